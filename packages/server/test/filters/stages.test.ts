import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import type { PathFilter } from '../../src/store/queries/filter.js';
import {
  createLists,
  FEW,
  type ListedPart,
  type ListQuery,
  type Lists,
  listShapeOf,
  SCANNED_HEAD,
} from '../../src/store/queries/list.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const RECORDS = 6_000;

let database: TestDatabase;
let pool: pg.Pool;
/** Statements that lists have sent. */
let sent: string[];

interface Made {
  readonly seq: number;
  readonly moment: number;
  readonly status: string;
  readonly domain: string | null;
  readonly values: readonly string[];
}

/** What the records are made of, oldest first: the same formulas as in the statement below. */
const made: Made[] = Array.from({ length: RECORDS }, (_, index) => {
  const seq = index + 1;
  const values = [
    ...(seq % 2 === 0 ? ['half'] : []),
    ...(seq % 400 === 0 ? ['rare'] : []),
    ...(seq <= FEW ? ['few'] : []),
    ...(seq <= FEW + 1 ? ['many'] : []),
    ...(seq === 1 ? ['first'] : []),
    ...(seq > RECORDS - SCANNED_HEAD ? ['head'] : []),
  ];
  const domain = seq < SCANNED_HEAD ? 'shorter' : seq < 2 * SCANNED_HEAD ? 'as-long' : null;
  return { seq, moment: Math.floor((seq - 1) / 5), status: seq % 3 === 0 ? 'closed' : 'open', domain, values };
});

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url }, () => {});
  await pool.query(`insert into ledger (handle, luid, owners) values ('one', '1', '{}'), ('two', '2', '{}')`);
  const rows = made.map(({ seq, moment, status, domain, values }) => [
    seq,
    moment,
    status,
    domain,
    JSON.stringify(values),
  ]);
  // Two ledgers and two kinds with the same records: whatever crosses over is there twice.
  for (const [ledger, kind] of [
    [1, 'wallet'],
    [1, 'symbol'],
    [2, 'wallet'],
  ] as const) {
    await pool.query(
      `insert into record (ledger_id, kind, handle, luid, change, hash, status, domain, moment, document)
       select $1::bigint, $2::text, 'r-' || seq, $2 || seq, 1, 'hash', status, domain, 'epoch'::timestamptz + moment * interval '1 s',
         jsonb_build_object($1 || '/' || $2, jsonb_build_object('data.custom.v', vals))
       from unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::jsonb[]) as r(seq, moment, status, domain, vals) order by seq`,
      [ledger, kind, ...[0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]))],
    );
  }
  await pool.query(`insert into change (ledger_id, luid, change, kind, action, moment, hash, body)
    select ledger_id, luid, 1, kind, 'create', moment, 'hash', ledger_id || ' ' || kind || ' ' || handle from record`);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Lists that write down what they send. */
function watchedLists(): Lists {
  const watched = {
    query: (statement: pg.QueryConfig) => {
      sent.push(statement.text);
      return pool.query(statement);
    },
  };
  return createLists(watched as unknown as pg.Pool);
}

async function page(query: Partial<ListQuery>, lists = watchedLists()): Promise<ListedPart> {
  sent = [];
  return lists.page({ ledger: 1, kind: 'wallet', filters: [], limit: 20, offset: 0, ...query });
}

function value(...values: string[]): PathFilter {
  return { path: 'data.custom.v', operator: '$in', values };
}

/** The bodies of those that match, in the order of lists: newest change first, then oldest record first. */
function expected(matches: (record: Made) => boolean): string[] {
  const ordered = made.filter(matches).toSorted((one, other) => other.moment - one.moment || one.seq - other.seq);
  return ordered.map(({ seq }) => `1 wallet r-${seq}`);
}

function bodies({ records }: ListedPart): string[] {
  return records.map(({ body }) => String(body));
}

describe('a list by a value in the document', () => {
  it.each([
    ['that many have', 'half', 20, 1],
    ['that few have, all old', 'first', 20, 2],
    ['that few have, here and there', 'rare', 20, 2],
    [`that ${FEW} have, all old`, 'few', 20, 2],
    [`that ${FEW + 1} have, all old`, 'many', 20, 3],
    [`that the newest ${SCANNED_HEAD} have, all of them asked for`, 'head', SCANNED_HEAD, 1],
    [`that the newest ${SCANNED_HEAD} have, and one more asked for`, 'head', SCANNED_HEAD + 1, 2],
    ['that none has', 'none', 20, 2],
  ])('%s', async (_, v, limit, statements) => {
    const found = bodies(await page({ filters: [value(v)], limit }));
    expect(found).toEqual(expected(({ values }) => values.includes(v)).slice(0, limit));
    expect(sent).toHaveLength(statements);
  });

  it.each(['half', 'rare', 'few', 'many', 'head'])('page by page, by number and by place: %s', async (v) => {
    const whole = expected(({ values, status }) => values.includes(v) && status === 'closed');
    const filters: PathFilter[] = [value(v, 'none'), { path: 'meta.status', operator: '$eq', values: ['closed'] }];
    const limit = Math.ceil(whole.length / 5);
    let after: ListQuery['after'];
    for (let index = 0; index < 6; index += 1) {
      const slice = whole.slice(index * limit, (index + 1) * limit);
      expect(bodies(await page({ filters, limit, offset: index * limit }))).toEqual(slice);
      const next = await page({ filters, limit, ...(after ? { after } : {}) });
      expect(bodies(next)).toEqual(slice);
      after = next.records.at(-1)?.place ?? after;
    }
  });

  it.each([
    ['shorter', SCANNED_HEAD - 1],
    ['as-long', SCANNED_HEAD],
  ])('that none has, in a list %s than what is looked at first', async (domain, length) => {
    expect(made.filter((record) => record.domain === domain)).toHaveLength(length);
    const within: PathFilter = { path: 'meta.domain', operator: '$eq', values: [domain] };
    expect(bodies(await page({ filters: [within, value('none')] }))).toEqual([]);
    expect(sent).toHaveLength(2);
  });
});

describe('lists by one field, one after the other', () => {
  const few = async (lists: Lists, v = 'first') => {
    const found = bodies(await page({ filters: [value(v)] }, lists));
    expect(found).toEqual(expected(({ values }) => values.includes(v)).slice(0, 20));
    return sent.length;
  };

  it('go straight to the index after it has answered eight of them', async () => {
    const lists = watchedLists();
    for (let times = 0; times < 8; times += 1) expect(await few(lists)).toBe(2);
    expect([await few(lists), await few(lists, 'rare'), await few(lists, 'none')]).toEqual([1, 1, 1]);
    // Another ledger, another kind and another field are other lists.
    const others = [
      { ledger: 2 },
      { kind: 'symbol' },
      { filters: [{ ...value('first'), path: 'data.custom.w' }] },
    ] as const;
    for (const other of others) {
      await page({ filters: [value('first')], ...other }, lists);
      expect(sent).toHaveLength(2);
    }
  });

  it('look at the newest first again, once the index found too many', async () => {
    const lists = watchedLists();
    for (let times = 0; times < 9; times += 1) await few(lists);
    // The index, then the walk; the newest, the index and the walk; the newest.
    expect([await few(lists, 'many'), await few(lists, 'many'), await few(lists, 'half')]).toEqual([2, 3, 1]);
    expect(await few(lists)).toBe(2);
  });

  it('forget the streak when the newest answer one of them', async () => {
    const lists = watchedLists();
    for (let times = 0; times < 7; times += 1) await few(lists);
    expect(await few(lists, 'half')).toBe(1);
    for (let times = 0; times < 8; times += 1) expect(await few(lists)).toBe(2);
    expect(await few(lists)).toBe(1);
  });
});

describe('the name of lists that match alike', () => {
  const named = (path: string, ledger = 1) =>
    listShapeOf({ ledger, kind: 'wallet', filters: [{ path, operator: '$eq', values: ['x'] }] });

  it('is short, however long the fields are, and another one for others', () => {
    const long = `data.custom.${'n'.repeat(1_000)}`;
    expect(named(long).length).toBeLessThan(100);
    const names = [named(long), named(`${long}m`), named('data.a'), named('data.a', 2)];
    expect(new Set(names).size).toBe(names.length);
    expect(named(long)).toBe(names[0]);
  });
});

describe('a list by what is in a column', () => {
  it('takes one statement', async () => {
    const closed: PathFilter = { path: 'meta.status', operator: '$eq', values: ['closed'] };
    const whole = expected(({ status }) => status === 'closed');
    expect(bodies(await page({ filters: [closed], offset: 1_000 }))).toEqual(whole.slice(1_000, 1_020));
    expect(sent).toHaveLength(1);
    const named: PathFilter = { path: 'data.handle', operator: '$in', values: ['r-3', 'r-6'], key: true };
    expect(bodies(await page({ filters: [named, closed, value('half')] }))).toEqual(['1 wallet r-6']);
    expect(sent).toHaveLength(1);
  });

  it('ends after its last page', async () => {
    expect(bodies(await page({ offset: RECORDS - 1 }))).toHaveLength(1);
    expect(bodies(await page({ offset: RECORDS }))).toEqual([]);
    expect(bodies(await page({ offset: 999_999_999_000 }))).toEqual([]);
  });
});

/** The indexes a list is read by, before the database has any statistics and after. */
describe('lists are read by an index', () => {
  const closed: PathFilter = { path: 'meta.status', operator: '$eq', values: ['closed'] };
  const since: PathFilter = { path: 'meta.moment', operator: '$gte', values: ['1970-01-01T00:10:00Z'] };
  const rows: [string, PathFilter[], RegExp[]][] = [
    ['of everything', [], [/Index Scan using record_newest/]],
    ['by status', [closed], [/Index Scan using record_status/]],
    ['by moment', [since], [/Index Scan using record_newest/]],
    ['by handle', [{ path: 'data.handle', operator: '$eq', values: ['r-9'], key: true }], [/record_ledger_id_handle/]],
    ['by value', [value('rare')], [/Index Scan using record_newest/, /Bitmap Index Scan on record_document/]],
    ['by status and value', [closed, value('first')], [/record_status/, /Bitmap Index Scan on record_document/]],
  ];

  /** @param planned with the values of the parameters, or once for all values */
  async function plans(filters: PathFilter[], planned: 'for the values' | 'for all values'): Promise<string[]> {
    const found: string[] = [];
    const explaining = {
      query: async ({ text, values }: pg.QueryConfig) => {
        const explained =
          planned === 'for all values' ? [`explain (generic_plan) ${text}`] : ([`explain ${text}`, values] as const);
        const { rows } = await pool.query(...(explained as [string]));
        found.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return pool.query(text, values);
      },
    };
    const query = { ledger: 1, kind: 'wallet', filters, limit: 20, offset: 0 } as const;
    await createLists(explaining as unknown as pg.Pool).page(query);
    return found;
  }

  it.each(rows)('%s', async (_, filters, indexes) => {
    for (const statistics of [false, true]) {
      if (statistics) await pool.query('analyze record');
      for (const planned of ['for the values', 'for all values'] as const) {
        const found = await plans(filters, planned);
        expect(found).toHaveLength(indexes.length);
        for (const [index, plan] of found.entries()) {
          expect(plan).toMatch(indexes[index] as RegExp);
          expect(plan).not.toMatch(/Seq Scan on record/);
        }
      }
    }
  });
});
