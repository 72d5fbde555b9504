import type pg from 'pg';

/**
 * Ties the database to the master key it was first used with. The check value tells nothing about the key.
 *
 * @throws when the database was made with another key: its sealed secrets could never be opened
 */
export async function assertSameMasterKey(pool: pg.Pool, check: string): Promise<void> {
  await pool.query(`insert into deployment (name, value) values ('master-key-check', $1) on conflict do nothing`, [
    check,
  ]);
  const { rows } = await pool.query<{ value: string }>(`select value from deployment where name = 'master-key-check'`);
  if (rows[0]?.value !== check) {
    throw new Error('MASTER_KEY does not match the one this database was made with.');
  }
}
