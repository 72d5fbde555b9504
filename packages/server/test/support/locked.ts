import pg from 'pg';
import { expect } from 'vitest';
import { eventually } from './eventually.js';
import { runSql } from './sql.js';

/** Does `work` while nobody else can read a table. `waiting` tells how many statements with this text wait for it. */
export async function whileLocked(
  url: string,
  table: string,
  text: string,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query(`begin; lock table ${table} in access exclusive mode`);
    await work(async () => {
      const rows = await runSql<{ count: number }>(
        url,
        `select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
         where relation = $1::regclass and not granted and query like $2`,
        [table, `%${text}%`],
      );
      return rows[0]!.count;
    });
  } finally {
    await holder.end();
  }
}

/** Waits until a statement of another connection waits for what the transaction of this one holds; in a cluster, on any node. */
export async function untilOneWaitsFor(url: string, held: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const isCluster = process.env.CITUS_TEST_URL !== undefined;
  const { rows } = await held.query(`select ${isCluster ? 'citus_backend_gpid()' : 'pg_backend_pid()'} as id`);
  const waiting = isCluster
    ? 'select from citus_lock_waits where blocking_gpid = $1'
    : 'select from pg_stat_activity where datname = current_database() and $1 = any(pg_blocking_pids(pid))';
  await eventually(async () => expect(await runSql(url, waiting, [rows[0].id])).not.toEqual([]));
}
