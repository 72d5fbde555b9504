import type pg from 'pg';
import { OUT_OF_USE } from '../../kinds/in-use.js';
import { ofReachable } from '../nodes/reachable.js';
import { callOf } from '../parameters.js';
import { furtherLimits } from './outbox-limits.js';

const { first, greatest, rests, piece, receivers, ledgers, atOnce } = furtherLimits;

/** SQL that lists ledgers with deliveries to take up (`BackgroundWorker.due`): a row of the backlog for each receiver at most. */
export const DUE_ASIDE = `select q.ledger_id, '', min(q.due) from delivery_backlog q
  where q.due <= (select now from clock) and ${ofReachable('q.ledger_id')} group by q.ledger_id limit ${ledgers}`;

/**
 * Makes the next deliveries of a ledger that were set aside due (sql/deliveries_1.sql).
 *
 * @param since those that were set aside before have had their time: they are due as well, and end
 * @returns about how many
 */
export async function takeUpDeliveries(pool: pg.Pool, ledger: number, now: Date, since: Date): Promise<number> {
  const call = callOf('take_up_deliveries_1', {
    ledger,
    now,
    since,
    out_of_use: OUT_OF_USE,
    first_delay: first,
    greatest_delay: greatest,
    receivers,
    piece,
  });
  const { rows } = await pool.query<{ take_up_deliveries_1: number }>(call);
  return rows[0]!.take_up_deliveries_1;
}

/**
 * Sets a piece of what is due in a queue aside, without an attempt: events of effects that rest.
 *
 * @param running handles that this process attempts
 */
export async function setAside(
  pool: pg.Pool,
  { ledger, target }: { readonly ledger: number; readonly target: string },
  now: Date,
  running: readonly string[],
): Promise<void> {
  const bounds = { first_delay: first, rests, at_once: atOnce };
  await pool.query(callOf('set_deliveries_aside_1', { ledger, queue: target, now, running, ...bounds }));
}

/** Has the deliveries of an effect taken up at once: it was dropped, or is out of use, so they end. */
export async function hastenDeliveries(pool: pg.Pool, ledger: number, effect: string, now: Date): Promise<void> {
  const text = 'update delivery_backlog set due = $3 where ledger_id = $1 and receiver = $2 and due > $3';
  await pool.query({ name: 'hasten-deliveries', text, values: [ledger, effect, now] });
}
