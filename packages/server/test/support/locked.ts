import pg from 'pg';
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
