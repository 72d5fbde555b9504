import type pg from 'pg';

/** Whose changes are counted: a ledger, and the leaves of its log. */
export interface Counted {
  readonly ledger: number;
  readonly size: number;
}

/** Milliseconds. */
export const HOUR = 3_600_000;

/** How many of the last leaves of each log are of changes since a moment. */
export type CountSince = (logs: readonly Counted[], since: Date) => Promise<number[]>;

/** Moments of the changes at places of logs; null where a leaf is of no change. */
const MOMENTS = `select p.ord, c.moment
  from unnest($1::int[], $2::bigint[], $3::bigint[]) as p (ord, ledger, place)
    cross join lateral (
      select f.luid, f.change from log_leaf f where f.ledger_id = p.ledger and f.first <= p.place order by f.first desc limit 1) f
    join change c on c.ledger_id = p.ledger and c.luid = f.luid and c.change = f.change`;

/**
 * Counts by halving: leaves follow the order of commits, so a few of them tell where a time begins, however long the log is. Of all
 * logs one query asks for a place each. Where clocks ran apart, and for imported ledgers, it is about right.
 */
export function createCountSince(pool: pg.Pool): CountSince {
  return async (logs, since) => {
    // The first leaf since then is at `low` or above, and below `high` where there is one.
    const open = logs.map(({ ledger, size }, ord) => ({ ord, ledger, low: 0, high: size, place: size - 1 }));
    const counts = logs.map(() => 0);
    for (
      let left = open.filter(({ high }) => high > 0);
      left.length > 0;
      left = left.filter((one) => one.low < one.high)
    ) {
      const { rows } = await pool.query<{ ord: number; moment: Date }>(MOMENTS, [
        left.map(({ ord }) => ord),
        left.map(({ ledger }) => ledger),
        left.map(({ place }) => place),
      ]);
      const moments = new Map(rows.map(({ ord, moment }) => [ord, moment]));
      for (const one of left) {
        const moment = moments.get(one.ord);
        if (moment !== undefined && moment >= since) one.high = one.place;
        else one.low = one.place + 1;
        // Most ledgers are idle: the last leaf, which is asked for first, tells.
        one.place = Math.floor((one.low + one.high) / 2);
        counts[one.ord] = logs[one.ord]!.size - one.high;
      }
    }
    return counts;
  };
}
