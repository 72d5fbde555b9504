import type pg from 'pg';
import type { KindName } from '../../kinds/kind.js';
import type { NewDelivery } from '../committer/write.js';
import { isDistributed } from '../nodes/distribution.js';
import { ofReachable, readReachable } from '../nodes/reachable.js';
import { textArray } from '../parameters.js';
import { queryLimits } from '../queries/query-limits.js';
import { formatUnnest } from '../queries/unnested.js';
import { type StoredVersion, versionsOf } from '../queries/version.js';
import { ROW_BYTES } from '../quotas.js';
import { addBytes } from '../stored-bytes.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryColumns,
  effectActs,
  failuresOf,
  isSetAside,
  mayRest,
  withoutNulls,
} from './delivery-columns.js';
import { outboxLimits } from './outbox-limits.js';
import { setAside } from './set-aside.js';
import { type DeliveryState, settleDeliveries } from './settle-deliveries.js';

/** Deliveries of one ledger to one target. */
export interface DeliveryQueue {
  readonly ledger: number;
  readonly target: string;
}

/** A question about a queue. */
export interface DueQuestion extends DeliveryQueue {
  /** Handles that this process attempts already. */
  readonly running: readonly string[];
}

/** A delivery whose attempt is due, as its row has it: unverified. */
export interface DueDelivery extends NewDelivery {
  /** When it was queued. */
  readonly moment: Date;
  /** Moment of the event's proof: that of the first attempt. */
  readonly signed: Date;
  /** Attempts made: in all, and since it was queued or retried. */
  readonly attempts: number;
  readonly tries: number;
  /** Since when it is set aside, for one that was taken up. */
  readonly aside: Date | null;
  /** Whether the effect that asked for it still exists and is in use; of a call, whether its intent may still take it. */
  readonly isWanted: boolean;
  /** Failed attempts of its receiver since the last success. */
  readonly failures: number;
}

/** What is begun of a queue. */
export interface Started {
  readonly deliveries: readonly DueDelivery[];
  /** Whether events of effects that rest were met, which are to be set aside. */
  readonly hasResting: boolean;
}

/** The outbox, as the worker of deliveries uses it. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/**
 * Whether the events of a ledger stand still: an operator has stopped its reads, too. Bridges are still called for intents.
 *
 * @param ledger its id: an expression
 */
function holdsEvents(ledger: string): string {
  return `exists (select from ledger l where l.id = ${ledger} and l.suspended = 'all')`;
}

/**
 * SQL that lists queues with due deliveries (`BackgroundWorker.due`). It hops from ledger to ledger and from queue to queue
 * through the partial index, so it costs as much as there are queues, however many deliveries wait in each.
 *
 * It begins at any ledger and goes round, and ledgers share the bound of the list. So each comes up, whatever the others have.
 */
export const DUE_QUEUES = `
with recursive pivot as materialized (
  select first + floor(random() * (last - first + 1))::bigint as ledger_id from (select
    (select d.ledger_id from delivery d where d.due is not null order by d.ledger_id limit 1) as first,
    (select d.ledger_id from delivery d where d.due is not null order by d.ledger_id desc limit 1) as last) e
),
upwards as (
  (select d.ledger_id from delivery d where d.due is not null and d.ledger_id >= (select p.ledger_id from pivot p)
    order by d.ledger_id limit 1)
  union all
  select n.ledger_id from upwards u cross join lateral (
    select d.ledger_id from delivery d where d.due is not null and d.ledger_id > u.ledger_id
    order by d.ledger_id limit 1) n
),
round as (
  (select d.ledger_id from delivery d where d.due is not null order by d.ledger_id limit 1)
  union all
  select n.ledger_id from round r cross join lateral (
    select d.ledger_id from delivery d where d.due is not null and d.ledger_id > r.ledger_id
    order by d.ledger_id limit 1) n
),
waiting as materialized (
  select ledger_id from (
    select ledger_id from upwards
    union all
    select ledger_id from round where ledger_id < (select p.ledger_id from pivot p)
  ) w
  -- Ledgers that stand still take no room of the others.
  where not ${holdsEvents('w.ledger_id')} or exists (
    select from delivery c where c.ledger_id = w.ledger_id and c.purpose is not null and c.due <= (select now from clock))
  limit ${outboxLimits.listed}
)
select w.ledger_id, q.target, q.due
from waiting w
  cross join lateral (
    with recursive queue as (
      (select d.target, d.due from delivery d where d.ledger_id = w.ledger_id and d.due is not null
        order by d.target, d.due limit 1)
      union all
      select n.target, n.due from queue q cross join lateral (
        select d.target, d.due from delivery d
        where d.ledger_id = w.ledger_id and d.due is not null and d.target > q.target
        order by d.target, d.due limit 1) n
    )
    select target, due from queue where due <= (select now from clock)
      and (not ${holdsEvents('w.ledger_id')} or exists (
        select from delivery c
        where c.ledger_id = w.ledger_id and c.target = queue.target and c.purpose is not null and c.due <= (select now from clock)))
    limit (select greatest(1, least(${outboxLimits.queues}, ${outboxLimits.listed} / count(*))) from waiting)
  ) q`;

/**
 * The same where the ledgers are spread over nodes: each node reads what is due on it. It costs as much as there is due.
 */
export const DUE_QUEUES_IN_CLUSTER = `select d.ledger_id, d.target, min(d.due)
  from delivery d left join ledger l on l.id = d.ledger_id
  where d.due <= (select now from clock) and (d.purpose is not null or l.suspended is distinct from 'all')
    and ${ofReachable('d.ledger_id')}
  group by d.ledger_id, d.target limit ${outboxLimits.listed}`;

/**
 * What was taken up is attempted though its effect rests. So are calls for intents, which are few, and which somebody waits for. A
 * further attempt to have an intent prepared is made while it may still be.
 */
const START = `
with first as materialized (
  select d.handle, f.failures, ${mayRest('d')} and f.failures >= $6 as rests
  from delivery d cross join lateral (select ${failuresOf('d')} as failures) f
  where d.ledger_id = $1 and d.target = $2 and d.due <= $3 and d.handle <> all ($5::text[])
    and (d.purpose is not null or not ${holdsEvents('$1::bigint')})
  order by d.due limit $4
  for no key update of d skip locked
),
started as (
  update delivery d set status = 'running', signed = coalesce(d.signed, $3)
  from first c where d.ledger_id = $1 and d.handle = c.handle and not c.rests
  returning ${DELIVERY_COLUMNS}, d.moment, d.signed, d.attempts, d.tries, d.aside, c.failures,
    case when d.purpose is null then ${effectActs('d.effect')}
      else d.purpose <> 'prepare' or d.aside is null or exists (
        select from record r join open_intent o on o.ledger_id = $1 and o.luid = r.luid
        where r.ledger_id = $1 and r.kind = 'intent' and r.handle = d.linked and o.stage in ('debits', 'credits'))
    end as "isWanted"
)
select r."hasResting", s.* from (select exists (select from first where rests) as "hasResting") r left join started s on true`;

/** Handles are unique, so those of all queues are left out of each. */
const HAVE_DUE = `
select q.ord
from ${formatUnnest('q', ['ord int', 'ledger_id bigint', 'target text'], 3)}
  cross join lateral (
    select from delivery d
    where d.ledger_id = q.ledger_id and d.target = q.target and d.due <= $1 and d.handle <> all ($2::text[])
    limit 1) d`;

/** Of one queue, which a node has. */
const HAS_DUE = `
select from delivery d
where d.ledger_id = $3::bigint and d.target = $4 and d.due <= $1 and d.handle <> all ($2::text[])
limit 1`;

const SIZE = `
select coalesce(sum(octet_length(c.body)), 0)::bigint as size
from ${formatUnnest('v', ['luid text', 'change int'], 2)}
  join ${versionsOf('$1')} c on c.luid = v.luid and c.change = v.change`;

const VERSIONS = `
select v.kind, c.luid, c.change, c.action, c.mac, c.body
from (
  select v.*, sum(octet_length(c.body)) over (order by v.ord rows unbounded preceding) as size
  from ${formatUnnest('v', ['ord int', 'kind text', 'luid text', 'change int'], 3)}
    join ${versionsOf('$1')} c on c.luid = v.luid and c.change = v.change
      and ($7::int is null or octet_length(c.body) <= $7)
) v join ${versionsOf('$1')} c on c.luid = v.luid and c.change = v.change
where v.ord = 0 or v.size <= $2`;

/** Of the whole deployment, whatever the ledger; without those that wait for an operator to resume it. */
const COUNT_WAITING = `select count(*)::int as count, min(due) as oldest,
  (select count(*)::int from (
    select 1 from delivery d where ${isSetAside('d')} and ${ofReachable('d.ledger_id')} limit 100000) a) as aside
from (
  select d.due from delivery d
  where d.due is not null and not (d.purpose is null and ${holdsEvents('d.ledger_id')}) and ${ofReachable('d.ledger_id')}
  limit 100000) w`;

/** More failures than are counted. */
const NEVER = 2 ** 31 - 1;

/** The columns of a delivery are null in the one row that tells of none. */
type StartedRow = Omit<DeliveryColumns<DueDelivery>, 'handle'> & {
  readonly hasResting: boolean;
  readonly handle: string | null;
};

function toStarted({ hasResting: _, handle, ...row }: StartedRow): DueDelivery[] {
  return handle === null ? [] : [withoutNulls<DueDelivery>({ ...row, handle } as DeliveryColumns<DueDelivery>)];
}

async function haveDueOnNodes(pool: pg.Pool, questions: readonly DueQuestion[], now: Date): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const { ledger, target, running } of questions) {
    const { rows } = await pool.query({
      name: 'has-due-delivery',
      text: HAS_DUE,
      values: [now, running, ledger, target],
    });
    answers.push(rows.length > 0);
  }
  return answers;
}

/**
 * Counts the deliveries of the whole deployment that wait for an attempt, and that are set aside, each up to 100,000; `oldest` is
 * when the first of those that wait is due.
 */
async function countWaiting(
  pool: pg.Pool,
): Promise<{ readonly count: number; readonly oldest: Date | null; readonly aside: number }> {
  const [row] = await readReachable<{ count: number; oldest: Date | null; aside: number }>(pool, {
    text: COUNT_WAITING,
    values: [],
  });
  return row!;
}

export function createDeliveryStore(pool: pg.Pool) {
  return {
    /**
     * Looks at the deliveries of a queue that were due first, and marks them as running, but for events of effects that rest.
     *
     * @param running handles that this process attempts already
     * @param failures in a row after which an effect rests; none does unless given
     */
    async start(
      { ledger, target }: DeliveryQueue,
      now: Date,
      count: number,
      running: readonly string[],
      failures: number = NEVER,
    ): Promise<Started> {
      const values = [ledger, target, now, count, running, failures];
      const { rows } = await pool.query<StartedRow>({ name: 'start-deliveries', text: START, values });
      return { deliveries: rows.flatMap(toStarted), hasResting: rows[0]!.hasResting };
    },
    /** Whether further deliveries of queues are due; of many queues in one query. */
    async haveDue(questions: readonly DueQuestion[], now: Date): Promise<boolean[]> {
      if (await isDistributed(pool)) return haveDueOnNodes(pool, questions, now);
      const values = [
        now,
        questions.flatMap(({ running }) => running),
        questions.map((_, ord) => ord),
        questions.map(({ ledger }) => ledger),
        textArray(questions.map(({ target }) => target)),
      ];
      const { rows } = await pool.query<{ ord: number }>({ name: 'have-due-deliveries', text: HAVE_DUE, values });
      const found = new Set(rows.map(({ ord }) => ord));
      return questions.map((_, ord) => found.has(ord));
    },
    /** Stores what became of attempts of one ledger. */
    settle: (settlements: readonly DeliveryState[]): Promise<void> => settleDeliveries(pool, settlements),
    /** Sets a piece of what is due in a queue aside, without an attempt: events of effects that rest. */
    setAside: (queue: DeliveryQueue, now: Date, running: readonly string[]): Promise<void> =>
      setAside(pool, queue, now, running),
    waiting: () => countWaiting(pool),
    /** Makes a delivery due later, without an attempt. */
    async putOff(ledger: number, handle: string, due: Date): Promise<void> {
      const text = `update delivery set status = case when attempts = 0 then 'pending' else 'failed' end, due = $3
        where ledger_id = $1 and handle = $2 and status = 'running'`;
      await pool.query({ name: 'put-off-delivery', text, values: [ledger, handle, due] });
    },
    /** Deletes a delivery before its first call: its bridge lacks the trait for it. */
    async withdraw(ledger: number, handle: string): Promise<void> {
      const text = `with gone as (
          delete from delivery where ledger_id = $1 and handle = $2 and status = 'running' and attempts = 0 returning event)
        ${addBytes(`select -coalesce(sum(${ROW_BYTES} + octet_length(event)), 0) from gone`)}`;
      await pool.query({ name: 'withdraw-delivery', text, values: [ledger, handle] });
    },
    /** Bytes of versions of a ledger, together. */
    async size(
      ledger: number,
      of: readonly (readonly [kind: KindName, luid: string, change: number])[],
    ): Promise<number> {
      const values = [ledger, textArray(of.map(([, luid]) => luid)), of.map(([, , change]) => change)];
      const { rows } = await pool.query<{ size: number }>({ name: 'size-versions', text: SIZE, values });
      return rows[0]!.size;
    },
    /**
     * The versions of a ledger that were asked for, unverified, as many as hold `queryLimits.answers.atOnce` bytes together; the first
     * one in any case.
     *
     * @param longest bytes: longer versions are left out
     */
    async versions(
      ledger: number,
      of: readonly (readonly [kind: KindName, luid: string, change: number])[],
      longest?: number,
    ): Promise<(StoredVersion & { readonly kind: KindName })[]> {
      if (of.length === 0) return [];
      const values = [
        ledger,
        queryLimits.answers.atOnce,
        of.map((_, ord) => ord),
        of.map(([kind]) => kind),
        textArray(of.map(([, luid]) => luid)),
        of.map(([, , change]) => change),
        longest ?? null,
      ];
      const { rows } = await pool.query<StoredVersion & { kind: KindName }>({
        name: 'delivery-versions',
        text: VERSIONS,
        values,
      });
      return rows;
    },
  };
}
