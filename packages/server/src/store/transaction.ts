import type pg from 'pg';

/**
 * Runs `work` in one transaction on one connection. What it returns is answered after the commit, unless it returns
 * through `rollback`, which undoes everything and answers the given value.
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
  // Lent connections have no listener, and an error without one would end the process. The next query fails anyway.
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
    // A connection that could not even roll back is not given to the next request.
    client.release(broken);
  }
}
