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

/** Moments of the changes at places of logs; null where a leaf is of no change. */
const MOMENTS = `select p.ord, c.moment
  from unnest($1::int[], $2::bigint[], $3::bigint[]) as p (ord, ledger, place)
    cross join lateral (
      select f.luid, f.change from log_leaf f where f.ledger_id = p.ledger and f.first <= p.place order by f.first desc limit 1) f
    join change c on c.ledger_id = p.ledger and c.luid = f.luid and c.change = f.change`;

/** The moment of the change at a place of one log. */
const MOMENT = `select c.moment
  from (select f.luid, f.change from log_leaf f where f.ledger_id = $1 and f.first <= $2 order by f.first desc limit 1) f
    join change c on c.ledger_id = $1 and c.luid = f.luid and c.change = f.change`;

/** What is asked for: a place of the log of a ledger. */
interface Place {
  readonly ord: number;
  readonly ledger: number;
  readonly place: number;
}

/** @returns moments by `ord` */
async function readMoments(pool: pg.Pool, places: readonly Place[]): Promise<ReadonlyMap<number, Date>> {
  if (await isDistributed(pool)) {
    const found = await mapConcurrently(places, async ({ ord, ledger, place }) => {
      const { rows } = await pool.query<{ moment: Date }>(MOMENT, [ledger, place]);
      return rows.map(({ moment }) => [ord, moment] as const);
    });
    return new Map(found.flat());
  }
  const { rows } = await pool.query<{ ord: number; moment: Date }>(MOMENTS, [
    places.map(({ ord }) => ord),
    places.map(({ ledger }) => ledger),
    places.map(({ place }) => place),
  ]);
  return new Map(rows.map(({ ord, moment }) => [ord, moment]));
}

/**
 * Counts by halving: leaves follow the order of commits, so a few of them tell where a time begins, however long the log is. Of all
 * logs one query asks for a place each; on a cluster there is one for each log. Where clocks ran apart, and for imported ledgers, it is about right.
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
      const moments = await readMoments(pool, left);
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
