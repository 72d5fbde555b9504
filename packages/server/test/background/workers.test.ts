import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { backgroundLimits } from '../../src/background/background-limits.js';
import { renewStatistics } from '../../src/background/renew-statistics.js';
import { sweepUsedTokens } from '../../src/background/sweep-used-tokens.js';
import { createCommitter } from '../../src/store/committer/commit.js';
import { createPool } from '../../src/store/pool.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';
import { createReplays } from '../../src/store/queries/replays.js';
import { writeOf } from '../store/write.js';
import { eventually } from '../support/eventually.js';
import { withWork } from './work.js';

const work = withWork();

const MINUTE = 60_000;

const leases = async () => (await work.current.pool.query('select worker, holder, failures from lease')).rows;

describe('sweep-used-tokens', () => {
  const now = 1_000_000_000_000;

  it('deletes the tokens that have expired, however many, and no others', async () => {
    const { pool } = work.current;
    await pool.query(
      `insert into used_token select 'l', 'old-' || n, $1 from generate_series(1, ${2 * queryLimits.due.swept + 1}) n`,
      [new Date(now)],
    );
    await pool.query(`insert into used_token values ('l', 'good', $1)`, [new Date(now + 1)]);
    work.start({ workers: [sweepUsedTokens(pool, () => now)] });
    await eventually(async () => {
      expect(await leases()).toEqual([{ worker: 'sweep-used-tokens', holder: null, failures: 0 }]);
    });
    const left = await pool.query(`select use from used_token where ledger <> ''`);
    expect(left.rows).toEqual([{ use: 'good' }]);
  });

  it('deletes rows of leases that nobody has needed for a day', async () => {
    const { pool } = work.current;
    await pool.query(`insert into lease values
      (1, 'gone', 'old', null, now() - interval '25 hours', 3), (2, 'gone', 'new', null, now() - interval '23 hours', 3)`);
    work.start({ workers: [sweepUsedTokens(pool, () => now)] });
    const old = async () => (await pool.query(`select unit from lease where worker = 'gone'`)).rows;
    await eventually(async () => expect(await old()).toEqual([{ unit: 'new' }]));
  });

  it('fails and waits without holding up or failing a request, and is told', async () => {
    const { pool } = work.current;
    await pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); raise exception 'no removal'; end $$`);
    await pool.query('create trigger refused before delete on used_token for each statement execute function refuse()');
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock(1)');
    try {
      const { lines } = work.start({ workers: [sweepUsedTokens(pool, () => now)] });
      await eventually(async () => expect(await leases()).toHaveLength(1));
      const replays = createReplays(pool, { now: () => now, random: (bytes) => new Uint8Array(bytes) });
      expect(await replays.use('slow', 'jti', now + MINUTE)).toBe(true);
      expect(await replays.use('slow', 'jti', now + MINUTE)).toBe(false);
      await holder.query('select pg_advisory_unlock(1)');
      await eventually(() =>
        expect(lines[0]).toMatchObject({ name: 'sweep-used-tokens', err: { message: 'no removal' } }),
      );
    } finally {
      holder.release();
      await pool.query('drop trigger refused on used_token');
    }
  });

  it('lets go of a statement that stands still when the process stops', async () => {
    const { pool } = work.current;
    const own = createPool({ connectionString: work.current.url, max: 1 }, () => {});
    const holder = await pool.connect();
    await holder.query('begin; lock table used_token in exclusive mode');
    try {
      const bounds = { ...backgroundLimits, jitter: 1, drain: 10, grace: 60_000 };
      const { background } = work.start({ bounds, workers: [sweepUsedTokens(own, () => now)] });
      await eventually(async () => expect(await leases()).toHaveLength(1));
      await background.stop();
      expect(await leases()).toEqual([{ worker: 'sweep-used-tokens', holder: null, failures: 0 }]);
    } finally {
      await holder.query('rollback');
      holder.release();
      await own.end();
    }
  });
});

describe('renew-statistics', () => {
  it('analyzes a table that was empty when its statements were planned, after its first writes', async () => {
    const { pool } = work.current;
    for (const table of ['record', 'change']) {
      await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
    }
    await pool.query(`insert into ledger (handle, luid, owners) values ('l', '$ldg.l', '{}')`);
    // One connection: whatever was planned on it stays planned. PostgreSQL is told to report at once what it changed.
    const one = createPool({ connectionString: work.current.url, max: 1 }, () => {});
    try {
      const commit = createCommitter(one);
      const worker = { ...renewStatistics(pool), every: 20, rest: 20 };
      const write = async (from: number, to: number) => {
        for (let number = from; number < to; number += 1) {
          const more = number % 2 ? { action: 'update' as const, change: 2 } : {};
          expect((await commit(writeOf(number - (number % 2), more))).result).toBe('done');
        }
        await one.query('select pg_stat_force_next_flush()');
      };
      const { value } = work.start({ workers: [worker] });
      const runs = () => value('countersign_background_runs_total', { name: worker.name });
      await write(0, 198);
      expect(await analyzed(pool)).toEqual({ is: false, changes: 198 });
      expect(await due(pool, worker.due)).toBe(false);
      await write(198, 200);
      await eventually(async () => expect(await analyzed(pool)).toEqual({ is: true, changes: 0 }));
      const { rows } = await pool.query(`select reltuples from pg_class where oid = 'record'::regclass`);
      expect(rows[0].reltuples).toBe(100);
      await eventually(async () => expect(await runs()).toBe(1));
      // As long as most rows are known to it, it need not be done again, though many have changed.
      await write(200, 1_000);
      await pool.query('analyze record');
      const touched = await one.query(
        'update record set judged = judged where seq in (select seq from record limit 220)',
      );
      await one.query('select pg_stat_force_next_flush()');
      expect(touched.rowCount).toBe(220);
      expect(await analyzed(pool)).toEqual({ is: true, changes: 220 });
      expect(await due(pool, worker.due)).toBe(false);
    } finally {
      await one.end();
    }
  });
});

async function analyzed(pool: pg.Pool): Promise<{ is: boolean; changes: number }> {
  const { rows } = await pool.query(
    `select last_analyze is not null as is, n_mod_since_analyze as changes
     from pg_stat_user_tables where relid = 'record'::regclass`,
  );
  return rows[0];
}

async function due(pool: pg.Pool, statement: string): Promise<boolean> {
  return (await pool.query(statement)).rows.length > 0;
}
