import type pg from 'pg';

/**
 * Runs one statement until the signal aborts it: the connection is then cut, and the caller goes on at once. PostgreSQL
 * may still complete the statement.
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
  // A checked-out connection has no error listener, and an error without a listener ends the process. The statement
  // fails anyway.
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
