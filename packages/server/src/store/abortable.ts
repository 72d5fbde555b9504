import type pg from 'pg';

/**
 * Runs one statement, and gives up on it when the signal says so: the connection is cut, and the caller goes on at once.
 * PostgreSQL may still end what it began.
 *
 * @throws the signal's reason when it was aborted; what the database throws
 */
export async function queryUntil<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: pg.QueryConfig,
  signal: AbortSignal,
): Promise<pg.QueryResult<Row>> {
  signal.throwIfAborted();
  const client = await pool.connect();
  let cut = false;
  const abort = () => {
    cut = true;
    client.release(true);
  };
  // Lent connections have no listener, and an error without one would end the process. The statement fails anyway.
  const lost = () => {};
  client.on('error', lost);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const result = await client.query<Row>(statement);
    signal.throwIfAborted();
    return result;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', abort);
    client.off('error', lost);
    if (!cut) client.release();
  }
}
