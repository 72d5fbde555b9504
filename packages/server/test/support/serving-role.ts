import pg from 'pg';
import { grantToServe } from '../../src/store/deployment/serving-role.js';
import { migrate } from '../../src/store/migrate.js';
import { runSql } from './sql.js';

export const ROLE = 'test_serving';

/** The connection string of a role that may serve the database, which the owner migrates, and owns nothing in it. */
export async function asServingRole(url: string): Promise<string> {
  await runSql(
    url,
    `do $$ begin create role ${ROLE} login password '${ROLE}'; exception when duplicate_object or unique_violation then null; end $$`,
  );
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await migrate(pool);
    await grantToServe(pool, ROLE);
  } finally {
    await pool.end();
  }
  const serving = new URL(url);
  serving.username = ROLE;
  serving.password = ROLE;
  // Those of the embedded PostgreSQL are for its owner.
  serving.searchParams.delete('options');
  return serving.href;
}
