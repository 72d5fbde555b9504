import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeSettlement } from '../../src/store/committer/batch.js';
import { cutVersions } from '../../src/store/committer/cut.js';
import type { EarlierVersion } from '../../src/store/committer/write.js';
import { createPool } from '../../src/store/pool.js';
import { createBodies } from '../../src/store/queries/bodies.js';
import { createHistory, createHistoryPage } from '../../src/store/queries/history.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { writeOf } from './write.js';

const earlierOf = (bodies: readonly string[], whole: string, first = 1): EarlierVersion[] =>
  cutVersions(
    whole,
    bodies.map((body, index) => {
      const action = index === 0 ? 'create' : 'update';
      return { change: first + index, action, body, mac: '' } as const;
    }),
  );

/** Texts that begin alike, as versions do, with characters of one to four bytes. */
const texts = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', '"', 'é', '€', '😀', '😁', '\u{10ffff}'), maxLength: 40 }),
    fc.array(fc.tuple(fc.nat(40), fc.string({ unit: fc.constantFrom('a', '😀', '😁', 'é'), maxLength: 5 })), {
      minLength: 1,
      maxLength: 8,
    }),
  )
  .map(([common, ends]) => ends.map(([length, end]) => [...common].slice(0, length).join('') + end));

describe('versions that are stored together', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let ledger: number;
  let made = 0;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool({ connectionString: database.url }, () => {});
    const { rows } = await pool.query(
      `insert into ledger (handle, luid, owners) values ('l', '$ldg.l', '{}') returning id`,
    );
    ledger = rows[0].id;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Stores the versions of a new record, or those that follow `stored` ones. */
  async function store(bodies: readonly string[], luid: string, stored = 0): Promise<void> {
    const earlier = earlierOf(bodies.slice(0, -1), bodies.at(-1)!, stored + 1);
    const action = stored === 0 ? 'create' : 'update';
    const more = {
      ledger,
      luid,
      key: luid,
      action,
      change: stored + bodies.length,
      body: bodies.at(-1)!,
      earlier,
    } as const;
    const { outcomes } = await storeSettlement(pool, {
      ledger,
      writes: [writeOf(made, { ...more, mac: '' })],
      needs: [],
      balances: [],
      entries: [],
      limits: [],
      opened: [],
      closed: [],
      calls: [],
      moment: '2030-01-01T00:00:00.000Z',
      leader: undefined,
    });
    expect(outcomes.map(({ result }) => result)).toEqual(['done']);
  }

  const newLuid = () => {
    made += 1;
    return `$wlt.${made}`;
  };

  it('are read as they were, whatever their texts are', async () => {
    const history = createHistory(pool, { check: () => undefined });
    await fc.assert(
      fc.asyncProperty(texts, texts, async (first, later) => {
        const luid = newLuid();
        await store(first, luid);
        await store(later, luid, first.length);
        const all = [...first, ...later];
        const of = all.map((_, index) => ({ luid, change: index + 1 }));
        const bodies = await createBodies(pool)({ ledger, of, most: 2 ** 30 });
        expect(bodies.map(({ body }) => body)).toEqual(all);
        expect(bodies.map(({ size }) => size)).toEqual(all.map((text) => Buffer.byteLength(text)));
        const page = await createHistoryPage(pool)(
          { ledger, kind: 'wallet', luid },
          { index: 0, limit: 100, filters: [] },
        );
        expect(page.changes.map(({ body }) => body)).toEqual(all.toReversed());
        const { change } = await history.one({ ledger, kind: 'wallet', luid }, 1);
        expect(change?.body).toBe(all[0]);
      }),
      { numRuns: process.env.LONG_TESTS ? 500 : 20 },
    );
  });

  it('are kept once: the last one whole, of the others what it does not begin with', async () => {
    const luid = newLuid();
    await store(['{"a":1,"é":1}', '{"a":1,"😀":[1]}', '{"a":1,"😀":[1,2]}'], luid);
    const { rows } = await pool.query('select cut, body from change where luid = $1 order by change', [luid]);
    expect(rows).toEqual([
      { cut: 8, body: 'é":1}' },
      { cut: 13, body: ']}' },
      { cut: null, body: '{"a":1,"😀":[1,2]}' },
    ]);
  });

  it('are no longer what they were once the last one is gone', async () => {
    const luid = newLuid();
    await store(['{"a":1}', '{"a":2}'], luid);
    const client = await pool.connect();
    try {
      await client.query(`begin; set local session_replication_role = 'replica'`);
      await client.query('delete from change where luid = $1 and change = 2', [luid]);
      const { rows } = await client.query('select body from version where luid = $1', [luid]);
      expect(rows).toEqual([{ body: '1}' }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

it('a cut does not end in the middle of a character', () => {
  expect(earlierOf(['x😁'], 'x😀')).toMatchObject([{ cut: 1, body: '😁' }]);
});
