import type pg from 'pg';
import { type CountSince, HOUR } from './count-changes.js';

/** Ledgers whose changes of the last hour are counted: those that have changed last. */
const MOST_ACTIVE = 10_000;

/** The condition on the table `ledger l`, and its values. */
export interface LedgerFilter {
  readonly where: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Ids of the ledgers that have changed within the last hour, those with most changes first. Only ledgers whose log was sealed since then,
 * or waits for it, are counted.
 */
export async function findBusiest(
  pool: pg.Pool,
  { where, values }: LedgerFilter,
  countSince: CountSince,
  now: number,
): Promise<number[]> {
  const since = new Date(now - HOUR);
  const active = [...where, `(g.sealed >= $${values.length + 1} or w.waiting > 0)`];
  const { rows } = await pool.query<{ id: number; size: number; waiting: number }>(
    `select l.id, coalesce(g.size, 0)::bigint as size, coalesce(w.waiting, 0)::int as waiting
     from ledger l left join log g on g.ledger_id = l.id
       left join (select ledger_id, sum(cardinality(changes)) as waiting from unsealed group by ledger_id) w on w.ledger_id = l.id
     where ${active.join(' and ')} order by w.waiting desc nulls last, g.sealed desc nulls last, l.id desc limit ${MOST_ACTIVE}`,
    [...values, since],
  );
  const counts = await countSince(
    rows.map(({ id, size }) => ({ ledger: id, size })),
    since,
  );
  return rows
    .map(({ id, waiting }, at) => ({ id, changes: counts[at]! + waiting }))
    .filter(({ changes }) => changes > 0)
    .sort((one, other) => other.changes - one.changes || other.id - one.id)
    .map(({ id }) => id);
}
