import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeTogether } from '../../src/store/committer/batch.js';
import { createCommitter } from '../../src/store/committer/commit.js';
import type { Write, WriteOutcome } from '../../src/store/committer/write.js';
import { createPool } from '../../src/store/pool.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { writeOf } from './write.js';

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

/** A create of a wallet of a new handle in the ledger, or what `more` makes of it. */
function write(more: Partial<Write> = {}): Write {
  made += 1;
  return writeOf(made, { ledger, ...more });
}

/** A ledger beside the one all tests share, made when it is first asked for. */
async function otherLedger(handle: string): Promise<{ id: number }> {
  const { rows } = await pool.query(
    `insert into ledger (handle, luid, owners) values ($1, '$ldg.' || $1, '{}')
     on conflict (handle) do update set handle = excluded.handle returning id`,
    [handle],
  );
  return rows[0];
}

async function stored(luid: string): Promise<{ current: number[]; changes: number[]; bodies: string[] }> {
  const current = await pool.query('select change from record where ledger_id = $1 and luid = $2', [ledger, luid]);
  const history = await pool.query(
    'select change, body from change where ledger_id = $1 and luid = $2 order by change',
    [ledger, luid],
  );
  return {
    current: current.rows.map((row) => row.change),
    changes: history.rows.map((row) => row.change),
    bodies: history.rows.map((row) => row.body),
  };
}

async function store(one: Write): Promise<WriteOutcome> {
  const [outcome] = await storeTogether(pool, [one]);
  return outcome!;
}

describe('the committer', () => {
  it('stores every good write of a batch, whatever its neighbours do', async () => {
    const signer = write({ kind: 'signer', link: 'registered-key' });
    const taken = write();
    const updated = write();
    for (const one of [signer, taken, updated]) expect((await store(one)).result).toBe('done');

    const good = Array.from({ length: 120 }, () => write());
    const bad: [Write, string][] = [
      [write({ key: taken.key }), 'duplicated'],
      [write({ key: good[0]!.key }), 'duplicated'],
      [{ ...updated, action: 'update', change: 3 }, 'stale'],
      [{ ...updated, action: 'drop', change: 7 }, 'stale'],
      [write({ version: 2 }), 'stale'],
      [write({ assumedUnregistered: ['nobody', 'registered-key'] }), 'stale'],
      [write({ mustExist: [{ kind: 'bridge', handle: 'never-was' }] }), 'stale'],
      [write({ body: 'text with \u0000' }), '22021'],
      [write({ moment: 'no moment' }), '22007'],
      [write({ link: randomText(20_000) }), '54000'],
      [write({ change: 0 }), '23514'],
    ];
    const commit = createCommitter(pool);
    // The bad ones between the good ones, so that every halving finds some of both.
    const all = good.flatMap((one, index) => (index % 10 === 5 ? [one, bad[Math.floor(index / 10)]?.[0]] : [one]));
    const writes = all.filter((one) => one !== undefined);
    const results = await Promise.all(
      writes.map((one) =>
        commit(one).then(
          ({ result }) => result as string,
          (error: pg.DatabaseError) => String(error.code),
        ),
      ),
    );
    const of = new Map(writes.map((one, index) => [one, results[index]]));
    expect(bad.map(([one]) => of.get(one))).toEqual(bad.map(([, result]) => result));
    expect(good.map((one) => of.get(one))).toEqual(good.map(() => 'done'));
    for (const one of good) {
      expect(await stored(one.luid)).toEqual({ current: [1], changes: [1], bodies: [one.body] });
    }
    for (const [one] of bad.filter(([{ action }]) => action === 'create')) {
      expect(await stored(one.luid)).toEqual({ current: [], changes: [], bodies: [] });
    }
    expect((await stored(updated.luid)).changes).toEqual([1]);
  });

  it('lets one of several writes on one version of a record through', async () => {
    const one = write();
    await store(one);
    const commit = createCommitter(pool);
    const next: Write[] = [
      ...Array.from({ length: 20 }, (_, index) => ({
        ...one,
        action: 'update' as const,
        change: 2,
        body: `u${index}`,
      })),
      { ...one, action: 'drop', change: 2, body: 'd' },
    ];
    const outcomes = await Promise.all(next.map((each) => commit(each)));
    const through = next.filter((_, index) => outcomes[index]?.result === 'done');
    expect(through).toHaveLength(1);
    const { current, changes, bodies } = await stored(one.luid);
    expect(changes).toEqual([1, 2]);
    expect(bodies[1]).toBe(through[0]?.body);
    expect(current).toEqual(through[0]?.action === 'drop' ? [] : [2]);
  });

  it('raises the version for what decides, and tells of it', async () => {
    const other = { ledger: (await otherLedger('d')).id };
    expect(await store(write({ ...other, bumpsRules: true }))).toEqual({ result: 'done', version: 2 });
    const late = write({ ...other });
    expect(await store(late)).toEqual({ result: 'stale', version: 2 });
    expect(await store({ ...late, version: 2 })).toEqual({ result: 'done', version: 2 });
    // A write that is not stored changes nothing, also when it would decide.
    expect(await store({ ...late, version: 2, bumpsRules: true })).toMatchObject({ result: 'duplicated' });
    expect(await store(write({ ...other, version: 2 }))).toEqual({ result: 'done', version: 2 });
    expect((await store(write())).result).toBe('done');
  });

  it('stores one of the writes that change the rules, and tells the others at which version to decide anew', async () => {
    const other = { ledger: (await otherLedger('e')).id, kind: 'policy' } as const;
    const made = [write(other), write(other), write(other)];
    const together = createCommitter(pool);
    const created = await Promise.all(made.map((one) => together({ ...one, bumpsRules: true })));
    // What is created takes nothing from anybody.
    expect(created).toEqual(made.map(() => ({ result: 'done', version: 2 })));
    const changes = made.map((one) => ({ ...one, action: 'update' as const, change: 2, version: 2, bumpsRules: true }));
    const late = { ...write(other), version: 1, bumpsRules: true };
    const wallet = { ...write(other), kind: 'wallet' as const, version: 2 };
    const outcomes = await Promise.all([late, ...changes, wallet].map(together));
    expect(outcomes.map(({ result }) => result)).toEqual(['stale', 'done', 'stale', 'stale', 'done']);
    expect(new Set(outcomes.map(({ version }) => version))).toEqual(new Set([3]));
  });

  it('lets nothing be taken away beside what is created, in one batch', async () => {
    const other = { ledger: (await otherLedger('f')).id, kind: 'circle-signer', bumpsRules: true } as const;
    const [one, another] = [write(other), write(other)];
    const made = await storeTogether(pool, [one, another]);
    expect(made.map(({ result }) => result)).toEqual(['done', 'done']);
    // The create has the turn, and other creates with it; each of the two others may rest on what the next takes away.
    const outcomes = await storeTogether(pool, [
      write({ ...other, version: 2 }),
      { ...one, version: 2, action: 'drop', change: 2 },
      { ...another, version: 2, action: 'update', change: 2 },
      write({ ...other, version: 2 }),
    ]);
    expect(outcomes).toEqual(['done', 'stale', 'stale', 'done'].map((result) => ({ result, version: 3 })));
  });

  it.each(['signer', 'signer-factor'] as const)('takes no key of a %s for one that nobody has', async (kind) => {
    const key = `key-of-a-${kind}`;
    const rival = { ledger: (await otherLedger('g')).id, assumedUnregistered: [key] };
    expect((await store(write({ kind, link: key }))).result).toBe('done');
    expect((await store(write({ assumedUnregistered: [key] }))).result).toBe('stale');
    // Another kind's link is no key, and another ledger's key is nobody's in this one.
    expect((await store(write({ kind: 'anchor', link: `wallet-${kind}` }))).result).toBe('done');
    expect((await store(write({ assumedUnregistered: [`wallet-${kind}`] }))).result).toBe('done');
    expect((await store(write(rival))).result).toBe('done');
    expect((await store(write({ ...rival, kind, link: key, assumedUnregistered: [] }))).result).toBe('done');
    expect((await store(write(rival))).result).toBe('stale');
  });

  it('takes a proven key from a record again', async () => {
    const factor = write({ kind: 'signer-factor', link: 'proven-key', proven: true });
    expect((await store(factor)).result).toBe('done');
    const without = { ...factor, action: 'update', change: 2, link: undefined, proven: false } as const;
    expect((await store(without)).result).toBe('done');
    expect((await store(write({ assumedUnregistered: ['proven-key'] }))).result).toBe('done');
  });

  it('lets no rename take a key that another record has', async () => {
    const [one, other] = [write(), write()];
    for (const each of [one, other]) await store(each);
    const renamed = { ...one, action: 'update', change: 2, key: other.key, renames: true } as const;
    expect(await createCommitter(pool)(renamed)).toEqual({ result: 'duplicated', version: 1 });
    expect((await stored(one.luid)).changes).toEqual([1]);
  });

  it('stores a write only when all that it needs is there', async () => {
    const bridge = write({ kind: 'bridge' });
    await store(bridge);
    const there = { kind: 'bridge' as const, handle: bridge.key };
    const missing = { kind: 'bridge' as const, handle: 'never-was' };
    const ofAnotherKind = { kind: 'wallet' as const, handle: bridge.key };
    const results = async (...needs: Write['mustExist'][]) => {
      const outcomes = await storeTogether(
        pool,
        needs.map((one) => write({ mustExist: one })),
      );
      return outcomes.map(({ result }) => result);
    };
    const stale = [[missing], [ofAnotherKind], [there, missing], [missing, there]];
    expect(await results(...stale, [there], [])).toEqual(['stale', 'stale', 'stale', 'stale', 'done', 'done']);
    await store(write({ kind: 'wallet', key: bridge.key }));
    expect(await results([there, ofAnotherKind])).toEqual(['done']);
  });

  it('keeps secrets with what it stores only', async () => {
    const commit = createCommitter(pool);
    await pool.query(`insert into master_key (number, key_check) values (1, 'x')`);
    const sealedAs = (text: string) => Buffer.concat([Buffer.of(1), Buffer.from(text)]);
    const holding = (one: Write, text: string) => ({ ...one, secrets: [{ name: 's', sealed: sealedAs(text) }] });
    const bridge = write({ kind: 'bridge' });
    expect((await commit(holding(bridge, 'first'))).result).toBe('done');
    const rival = write({ kind: 'bridge', key: bridge.key });
    const late = { ...bridge, action: 'update' as const, change: 3 };
    expect((await commit(holding(rival, 'of who came second'))).result).toBe('duplicated');
    expect((await commit(holding(late, 'of a version that has passed'))).result).toBe('stale');
    const kept = async () => {
      const { rows } = await pool.query(
        `select luid, convert_from(substr(sealed, 2), 'utf8') as text from secret where ledger_id = $1 and luid = any($2)`,
        [ledger, [bridge.luid, rival.luid]],
      );
      return rows;
    };
    expect(await kept()).toEqual([{ luid: bridge.luid, text: 'first' }]);
    expect((await commit(holding({ ...late, change: 2 }, 'second'))).result).toBe('done');
    expect(await kept()).toEqual([{ luid: bridge.luid, text: 'second' }]);
  });

  it('gets every write of processes that lock the same records in opposite orders to its end', async () => {
    const records = Array.from({ length: 40 }, () => write());
    for (const one of records) await store(one);
    const pools = [0, 1, 2].map(() => createPool({ connectionString: database.url }, () => {}));
    try {
      const results = await Promise.all(
        pools.map(async (own, process) => {
          const commit = createCommitter(own);
          const ordered = process % 2 === 0 ? records : records.toReversed();
          const changes = ordered.map((one) => ({ ...one, action: 'update' as const, change: 2, body: `p${process}` }));
          return Promise.all(changes.map((one) => commit(one)));
        }),
      );
      const done = results.flat().filter(({ result }) => result === 'done');
      expect(done).toHaveLength(records.length);
      expect(results.flat().filter(({ result }) => result === 'stale')).toHaveLength(2 * records.length);
      for (const one of records) expect((await stored(one.luid)).changes).toEqual([1, 2]);
    } finally {
      for (const own of pools) await own.end();
    }
  });

  it.each([{ renames: true }, {}])('takes a write that a deadlock undid for one to decide anew (%j)', async (way) => {
    const [held, needed] = [write({ kind: 'bridge' }), write()];
    for (const one of [held, needed]) await store(one);
    const other = await pool.connect();
    try {
      // The other side holds what the write needs, and waits for what the write holds.
      await other.query('set deadlock_timeout = 60000');
      await other.query('begin');
      await other.query('select from record where ledger_id = $1 and luid = $2 for update', [ledger, needed.luid]);
      const needs = [{ kind: 'bridge' as const, handle: held.key }];
      const waiting = createCommitter(pool)({ ...needed, ...way, action: 'update', change: 2, mustExist: needs });
      await untilWaiting();
      const release = other.query('delete from record where ledger_id = $1 and luid = $2', [ledger, held.luid]);
      expect(await waiting).toEqual({ result: 'stale', version: 1 });
      await release;
      expect((await stored(needed.luid)).changes).toEqual([1]);
    } finally {
      await other.query('rollback');
      other.release(true);
    }
  });

  it('asks a database that can do nothing once, not for every write', async () => {
    const bridge = write({ kind: 'bridge' });
    await store(bridge);
    const slow = createPool({ connectionString: database.url, statement_timeout: 300 }, () => {});
    const other = await pool.connect();
    try {
      await other.query('begin');
      await other.query('select from record where ledger_id = $1 and luid = $2 for update', [ledger, bridge.luid]);
      const commit = createCommitter(slow);
      let asked = 0;
      slow.on('acquire', () => {
        asked += 1;
      });
      const writes = Array.from({ length: 64 }, () => write({ mustExist: [{ kind: 'bridge', handle: bridge.key }] }));
      const errors = await Promise.all(writes.map((one) => commit(one).catch((error: pg.DatabaseError) => error.code)));
      expect(new Set(errors)).toEqual(new Set(['57014']));
      // One batch, or a first write alone and one batch.
      expect(asked).toBeLessThanOrEqual(2);
      await other.query('rollback');
      expect((await commit(writes[0]!)).result).toBe('done');
    } finally {
      other.release(true);
      await slow.end();
    }
  });
});

/** Waits until some statement waits for a lock. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}

/** Text that does not compress. */
function randomText(characters: number): string {
  let seed = 1;
  return Array.from({ length: characters }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x21 + (seed % 90));
  }).join('');
}
