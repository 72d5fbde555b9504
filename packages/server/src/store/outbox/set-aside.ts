import type pg from 'pg';
import { limits } from '../../limits.js';
import { transaction } from '../transaction.js';

const { first, greatest, piece, queues, ledgers, atOnce } = limits.deliveries.further;

/** SQL that lists ledgers with deliveries to take up (`BackgroundWorker.due`): it hops from ledger to ledger through an index. */
export const DUE_ASIDE = `
with recursive resting as (
  (select q.ledger_id, q.due from delivery_queue q where q.due is not null order by q.ledger_id, q.due limit 1)
  union all
  select n.ledger_id, n.due from resting r cross join lateral (
    select q.ledger_id, q.due from delivery_queue q where q.due is not null and q.ledger_id > r.ledger_id
    order by q.ledger_id, q.due limit 1) n
)
select ledger_id, '', due from resting where due <= (select now from clock) limit ${ledgers}`;

const LOCK = `
select q.target from delivery_queue q where q.ledger_id = $1 and q.due <= $2
order by q.due limit ${queues} for update skip locked`;

/**
 * Of each queue, those whose time is over, and the next ones. Whoever sets one aside holds the row of the queue until it is
 * stored, so this sees all of them: a queue without any is left alone from then on.
 *
 * Arrays, and the comparison that always holds, have the planner take the right index whatever its statistics say.
 */
const TAKE = `
with mine as materialized (
  select q.target, q.step, greatest(1, q.allowed) as allowed from delivery_queue q
  where q.ledger_id = $1 and q.target = any ($3::text[])
),
over as materialized (
  select q.target, d.handle from mine q cross join lateral (
    select d.handle from delivery d
    where d.ledger_id = $1 and d.target = q.target and d.due is null and d.aside <= $4 order by d.aside limit ${piece}
    for no key update skip locked) d
),
next as materialized (
  select q.target, d.handle from mine q cross join lateral (
    select d.handle from delivery d
    where d.ledger_id = $1 and d.target = q.target and d.due is null and d.aside is not null
      and coalesce(d.attempted, d.moment) > '-infinity'
    order by coalesce(d.attempted, d.moment) limit q.allowed
    for no key update skip locked) d
),
taken as (
  update delivery d set due = $2, status = case when d.attempts = 0 then 'pending' else 'failed' end
  where d.ledger_id = $1 and d.handle = any (array(select handle from over union select handle from next))
),
moved as (
  update delivery_queue q set allowed = 0, due = case
    when (select count(*) from over o where o.target = q.target) = ${piece} then $2::timestamptz
    when exists (select from next n where n.target = q.target)
      then $2 + least(${greatest}, ${first} * 2.0 ^ q.step) * (0.75 + 0.25 * random()) * interval '1 millisecond'
    end
  from mine m where q.ledger_id = $1 and q.target = m.target
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
    const { rows } = await client.query<{ target: string }>(LOCK, [ledger, now]);
    if (rows.length === 0) return 0;
    const values = [ledger, now, rows.map(({ target }) => target), since];
    const taken = await client.query<{ count: number }>(TAKE, values);
    return Number(taken.rows[0]!.count);
  });
}

/** Deliveries of events that are due in a queue that rests; those that were taken up, and calls for intents, are attempted. */
const SET_ASIDE = `
with set_aside as (
  update delivery d set due = null, aside = $3, status = case when d.attempts = 0 then 'pending' else 'failed' end
  where d.ledger_id = $1 and d.handle = any (array(
    select w.handle from delivery w
    where w.ledger_id = $1 and w.target = $2 and w.due <= $3 and w.aside is null and w.purpose is null
      and w.handle <> all ($4::text[])
    order by w.due limit ${atOnce} for no key update skip locked))
  returning d.handle
),
told as (
  insert into delivery_queue as q (ledger_id, target, failures, step, allowed, due)
  select $1, $2, 0, 0, 0, $3::timestamptz + interval '1 millisecond' * ${first} where exists (select from set_aside)
  on conflict (ledger_id, target) do update set due = coalesce(q.due, excluded.due)
)
select count(*)::int as count from set_aside`;

/**
 * Sets a piece of what is due in a queue that rests aside, without an attempt.
 *
 * @param running handles that this process attempts
 * @returns whether there may be more
 */
export async function setAside(
  pool: pg.Pool,
  { ledger, target }: { readonly ledger: number; readonly target: string },
  now: Date,
  running: readonly string[],
): Promise<boolean> {
  const values = [ledger, target, now, running];
  const { rows } = await pool.query<{ count: number }>({ name: 'set-deliveries-aside', text: SET_ASIDE, values });
  return rows[0]!.count === atOnce;
}

/** Has queues take up deliveries at once, where those that they would take up next are of an effect: it was dropped, so they end. */
const HASTEN = `
update delivery_queue q set due = $3
from (
  select k.target from delivery_queue k
  where k.ledger_id = $1 and k.due > $3 and exists (
    select from (
      select d.effect from delivery d
      where d.ledger_id = $1 and d.target = k.target and d.due is null and d.aside is not null
        and coalesce(d.attempted, d.moment) > '-infinity'
      order by coalesce(d.attempted, d.moment) limit ${atOnce}) n
    where n.effect = $2)
  for no key update skip locked) h
where q.ledger_id = $1 and q.target = h.target`;

export async function hastenDeliveries(pool: pg.Pool, ledger: number, effect: string, now: Date): Promise<void> {
  await pool.query({ name: 'hasten-deliveries', text: HASTEN, values: [ledger, effect, now] });
}
