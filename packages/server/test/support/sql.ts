import pg from 'pg';

/** A connection for each database that was asked something; beginning one takes longer than most statements. */
const kept = new Map<string, pg.Pool>();

/** Runs one statement on a database. */
export async function runSql<Row>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  let pool = kept.get(url);
  if (!pool) {
    pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // A database that is stopped, or deleted, cuts it: an error without a listener ends the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    kept.set(url, pool);
  }
  return (await pool.query(text, [...values])).rows as Row[];
}

/** Closes the connection to a database that nothing may be connected to, or that is deleted. */
export async function closeSql(url: string): Promise<void> {
  const pool = kept.get(url);
  kept.delete(url);
  await pool?.end();
}
