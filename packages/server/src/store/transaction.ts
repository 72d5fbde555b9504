import type pg from 'pg';

/**
 * Runs `work` on a connection, once there is one. As with a query of the pool, the connection is destroyed when it throws.
 *
 * @throws what `work` or the database throws
 */
export async function onceConnected<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const lost = (error: Error) => {
    broken = error;
  };
  client.on('error', lost);
  try {
    return await work(client);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/**
 * Runs `work` in one transaction on one connection. Its result is returned after the commit, unless `work` returns
 * through `rollback`, which undoes everything and returns the given value.
 *
 * @throws what `work` or the database throws, after a rollback
 */
export async function transaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, rollback: (answer: T) => T) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let keep = true;
  let broken: Error | undefined;
  // A checked-out connection has no error listener, and an error without a listener ends the process. The next query
  // fails anyway.
  const lost = (error: Error) => {
    broken = error;
  };
  client.on('error', lost);
  try {
    await client.query('begin');
    const answer = await work(client, (value) => {
      keep = false;
      return value;
    });
    await client.query(keep ? 'commit' : 'rollback');
    return answer;
  } catch (error) {
    await client.query('rollback').catch(lost);
    throw error;
  } finally {
    client.off('error', lost);
    // A connection that failed to roll back is destroyed.
    client.release(broken);
  }
}
