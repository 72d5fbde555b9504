import type pg from 'pg';
import { isDistributed } from './distribution.js';

/** Statements that are under way at a time. */
const TOGETHER = 4;

/**
 * Makes a statement about ledgers.
 *
 * @param ledgers SQL: the rows of the table of ledgers that it is about, to be named `l`
 * @param id SQL: the id of the ledger, which every table is compared with
 */
export type LedgerStatement = (ledgers: string, id: string) => string;

/**
 * Reads something of ledgers by one statement; in a cluster by one for each ledger, since Citus plans the others over all nodes, or refuses them.
 *
 * @returns rows in no order
 */
export async function readByLedger<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  ids: readonly number[],
  about: LedgerStatement,
): Promise<Row[]> {
  if (!(await isDistributed(pool))) {
    const text = about('(select * from ledger where id = any ($1::bigint[]))', 'l.id');
    return (await pool.query<Row>(text, [ids])).rows;
  }
  const text = about('(select * from ledger where id = $1::bigint)', '$1::bigint');
  return (await mapConcurrently(ids, async (id) => (await pool.query<Row>(text, [id])).rows)).flat();
}

/** Calls `work` for each, a few at a time. @returns the results in their order */
export async function mapConcurrently<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const some = async () => {
    for (let at = next++; at < all.length; at = next++)
      results[at] = await work(all[at]!).catch((error: unknown) => {
        // The others begin nothing more.
        next = all.length;
        throw error;
      });
  };
  await Promise.all(Array.from({ length: TOGETHER }, some));
  return results;
}
