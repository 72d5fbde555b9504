import type pg from 'pg';
import { mapConcurrently } from '../store/nodes/by-ledger.js';
import { isDistributed } from '../store/nodes/distribution.js';

/** Whose changes are counted: a ledger, and the leaves of its log. */
export interface Counted {
  readonly ledger: number;
  readonly size: number;
}

/** Milliseconds. */
export const HOUR = 3_600_000;

/** How many of the last leaves of each log are of changes since a moment. */
export type CountSince = (logs: readonly Counted[], since: Date) => Promise<number[]>;

/** Few enough for the statement timeout. */
const LOGS_PER_STATEMENT = 1_000;

/**
 * Counts by halving: leaves follow the order of commits, so a few of them tell where a time begins, however long the log is. Most ledgers
 * are idle, so the last leaf is looked at first. A leaf of no change is taken for an older one. It reads `log_leaf` and `change` by their keys alone.
 *
 * @param ledger SQL: the id of the ledger
 * @param size SQL: the leaves of its log
 * @param since SQL: the moment
 */
const countStatement = (ledger: string, size: string, since: string) => `with recursive half as (
    -- The first leaf since then is at "low" or above, and below "high" where there is one.
    select 0::bigint as low, ${size} as high, ${size} - 1 as place
    union all
    select n.low, n.high, (n.low + n.high) / 2
    from half h
      cross join lateral (select coalesce((
        select c.moment >= ${since}
        from (select f.luid, f.change from log_leaf f where f.ledger_id = ${ledger} and f.first <= h.place order by f.first desc limit 1) f
          join change c on c.ledger_id = ${ledger} and c.luid = f.luid and c.change = f.change), false) as is_since) m
      cross join lateral (select case when m.is_since then h.low else h.place + 1 end as low,
        case when m.is_since then h.place else h.high end as high) n
    where h.low < h.high)
  select (${size} - min(high))::int as count from half`;

const OF_ALL = `select n.count
  from unnest($1::bigint[], $2::bigint[]) with ordinality as p (ledger, size, ord)
    cross join lateral (${countStatement('p.ledger', 'p.size', '$3::timestamptz')}) n
  order by p.ord`;

/** On a cluster, one statement is about one ledger. */
const OF_ONE = countStatement('$1::bigint', '$2::bigint', '$3::timestamptz');

/** The count is approximate for imported ledgers, and where clocks differed. */
export function createCountSince(pool: pg.Pool): CountSince {
  return async (logs, since) => {
    if (await isDistributed(pool))
      return mapConcurrently(logs, async ({ ledger, size }) => {
        const { rows } = await pool.query<{ count: number }>(OF_ONE, [ledger, size, since]);
        return rows[0]!.count;
      });
    const counts: number[] = [];
    for (let at = 0; at < logs.length; at += LOGS_PER_STATEMENT) {
      const some = logs.slice(at, at + LOGS_PER_STATEMENT);
      const values = [some.map(({ ledger }) => ledger), some.map(({ size }) => size), since];
      const { rows } = await pool.query<{ count: number }>(OF_ALL, values);
      counts.push(...rows.map(({ count }) => count));
    }
    return counts;
  };
}
