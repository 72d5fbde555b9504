import type pg from 'pg';

/**
 * Ties the database to the master key it was first used with. The check value reveals nothing of the key.
 *
 * @param from where the key comes from, for the error
 * @throws when the database was made with another key, so that its sealed secrets would stay sealed
 */
export async function assertSameMasterKey(pool: pg.Pool, check: string, from: string): Promise<void> {
  await pool.query(`insert into deployment (name, value) values ('master-key-check', $1) on conflict do nothing`, [
    check,
  ]);
  if ((await findStoredCheck(pool)) !== check) {
    throw wrongKey(from);
  }
}

/** @param from where the key comes from */
export function wrongKey(from: string): Error {
  return new Error(`The master key, ${from}, is not the one that this database was made with.`);
}

/** The check value of the key that the database was first used with; undefined for a new database. */
export async function findStoredCheck(pool: pg.Pool): Promise<string | undefined> {
  const { rows: tables } = await pool.query<{ there: boolean }>(
    `select to_regclass('deployment') is not null as there`,
  );
  if (!tables[0]?.there) return undefined;
  const { rows } = await pool.query<{ value: string }>(`select value from deployment where name = 'master-key-check'`);
  return rows[0]?.value;
}
