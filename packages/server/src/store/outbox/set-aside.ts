import type pg from 'pg';
import { limits } from '../../limits.js';
import { transaction } from '../transaction.js';
import { effectActs, failuresOf, isSetAside, mayRest, receiverOf } from './delivery-columns.js';

const { first, greatest, rests, piece, receivers, ledgers, atOnce } = limits.deliveries.further;

/** SQL that lists ledgers with deliveries to take up (`BackgroundWorker.due`): it hops from ledger to ledger through an index. */
export const DUE_ASIDE = `
with recursive resting as (
  (select q.ledger_id, q.due from delivery_backlog q where q.due is not null order by q.ledger_id, q.due limit 1)
  union all
  select n.ledger_id, n.due from resting r cross join lateral (
    select q.ledger_id, q.due from delivery_backlog q where q.due is not null and q.ledger_id > r.ledger_id
    order by q.ledger_id, q.due limit 1) n
)
select ledger_id, '', due from resting where due <= (select now from clock) limit ${ledgers}`;

const LOCK = `
select q.receiver from delivery_backlog q where q.ledger_id = $1 and q.due <= $2
order by q.due limit ${receivers} for update skip locked`;

/** What receivers that are effects begin with. */
const EFFECT = '$eff.';

/**
 * Of each receiver, those whose time is over, and the next ones; of an effect that was dropped or is out of use, all are over.
 * Whoever sets one aside holds the row of the backlog until it is stored, so this sees all of them: a receiver without any is left
 * alone from then on. One that another transaction has locked is there still.
 *
 * Arrays, and the comparison that always holds, have the planner take the right index whatever its statistics say.
 */
const TAKE = `
with mine as materialized (
  select q.receiver, q.step, greatest(1, q.allowed) as allowed,
    case when not starts_with(q.receiver, '${EFFECT}') or ${effectActs('q.receiver')} then $4::timestamptz else 'infinity' end as since
  from delivery_backlog q
  where q.ledger_id = $1 and q.receiver = any ($3::text[])
),
over as materialized (
  select q.receiver, d.handle from mine q cross join lateral (
    select d.handle from delivery d
    where d.ledger_id = $1 and ${receiverOf('d')} = q.receiver and ${isSetAside('d')} and d.aside <= q.since
    order by d.aside limit ${piece}
    for no key update skip locked) d
),
next as materialized (
  select q.receiver, d.handle from mine q cross join lateral (
    select d.handle from delivery d
    where d.ledger_id = $1 and ${receiverOf('d')} = q.receiver and ${isSetAside('d')}
      and coalesce(d.attempted, d.moment) > '-infinity'
    order by coalesce(d.attempted, d.moment) limit q.allowed
    for no key update skip locked) d
),
taken as (
  update delivery d set due = $2, status = case when d.attempts = 0 then 'pending' else 'failed' end
  where d.ledger_id = $1 and d.handle = any (array(select handle from over union select handle from next))
),
moved as (
  update delivery_backlog q set allowed = 0, due = case
    when (select count(*) from over o where o.receiver = q.receiver) = ${piece} then $2::timestamptz
    when exists (select from delivery d where d.ledger_id = $1 and ${receiverOf('d')} = q.receiver and ${isSetAside('d')})
      then $2 + least(${greatest}, ${first} * 2.0 ^ q.step) * (0.75 + 0.25 * random()) * interval '1 millisecond'
    end
  from mine m where q.ledger_id = $1 and q.receiver = m.receiver
)
select (select count(*) from over) + (select count(*) from next) as count`;

/**
 * Makes the next deliveries of a ledger that were set aside due.
 *
 * @param since those that were set aside before have had their time: they are due as well, and end
 * @returns about how many
 */
export async function takeUpDeliveries(pool: pg.Pool, ledger: number, now: Date, since: Date): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ receiver: string }>(LOCK, [ledger, now]);
    if (rows.length === 0) return 0;
    const values = [ledger, now, rows.map(({ receiver }) => receiver), since];
    const taken = await client.query<{ count: number }>(TAKE, values);
    return Number(taken.rows[0]!.count);
  });
}

/** Of the first that are due in a queue, those whose effect rests. */
const SET_ASIDE = `
with first as materialized (
  select w.handle, ${mayRest('w')} and ${failuresOf('w')} >= ${rests} as rests from delivery w
  where w.ledger_id = $1 and w.target = $2 and w.due <= $3 and w.handle <> all ($4::text[])
  order by w.due limit ${atOnce}
),
set_aside as (
  update delivery d set due = null, aside = $3, status = case when d.attempts = 0 then 'pending' else 'failed' end
  where d.ledger_id = $1 and d.handle = any (array(
    select w.handle from delivery w
    where w.ledger_id = $1 and w.handle = any (array(select handle from first where rests)) and w.due <= $3 and ${mayRest('w')}
    for no key update skip locked))
  returning ${receiverOf('d')} as receiver
)
insert into delivery_backlog as q (ledger_id, receiver, failures, step, allowed, due)
select distinct $1::bigint, s.receiver, 0, 0, 0, $3::timestamptz + interval '1 millisecond' * ${first} from set_aside s order by s.receiver
on conflict (ledger_id, receiver) do update set due = coalesce(q.due, excluded.due)`;

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
  const values = [ledger, target, now, running];
  await pool.query({ name: 'set-deliveries-aside', text: SET_ASIDE, values });
}

/** Has the deliveries of an effect taken up at once: it was dropped, or is out of use, so they end. */
export async function hastenDeliveries(pool: pg.Pool, ledger: number, effect: string, now: Date): Promise<void> {
  const text = 'update delivery_backlog set due = $3 where ledger_id = $1 and receiver = $2 and due > $3';
  await pool.query({ name: 'hasten-deliveries', text, values: [ledger, effect, now] });
}
