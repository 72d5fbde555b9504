import type pg from 'pg';
import { limits } from '../../limits.js';
import { textArray } from '../arrays/text-array.js';
import { formatUnnest } from '../queries/unnested.js';
import { addBytes } from '../stored-bytes.js';
import { receiverOf } from './delivery-columns.js';

/** How a delivery stands after an attempt. */
export interface Settlement {
  readonly ledger: number;
  readonly handle: string;
  /** Attempts before it: a row that has changed since then is left alone (optimistic concurrency). */
  readonly before: number;
  readonly attempts: number;
  readonly tries: number;
  readonly status: 'delivered' | 'failed' | 'cancelled';
  readonly attempted: Date;
  /** When the next attempt is due; absent after the last, and for one that is set aside. */
  readonly due?: Date;
  /** Since when it is set aside. */
  readonly aside?: Date;
  /** Proofs of this attempt, as JSON, joined by commas; empty where nothing is signed. */
  readonly proofs: string;
  /** What the intent of a call that was given up is to note: it is due then. */
  readonly note?: GivenUpNote;
  /** What is learnt of the receiver; absent where there is nothing to learn. */
  readonly lesson?: ReceiverLesson;
}

/** What an attempt says of its receiver. */
export interface ReceiverLesson {
  /** Whether it took the delivery, or wants no more of it; undefined for one that is no longer wanted: nobody was called. */
  readonly succeeded?: boolean;
  /** Whether it was an attempt of a delivery that was taken up. */
  readonly isFurther: boolean;
}

/** Why a call was given up. */
export interface GivenUpNote {
  /** Luid of the intent. */
  readonly intent: string;
  readonly detail: string;
  /** Authentication code. */
  readonly mac: string;
}

const SETTLED = [
  'handle text',
  'before int',
  'attempts int',
  'tries int',
  'status text',
  'attempted timestamptz',
  'due timestamptz',
  'proofs text',
];

function settleStatement(columns: readonly string[], more = ''): string {
  return `
update delivery d set status = s.status, attempts = s.attempts, tries = s.tries, attempted = s.attempted, due = s.due,
  proofs = concat_ws(',', nullif(d.proofs, ''), nullif(s.proofs, ''))${more}
from ${formatUnnest('s', columns, 2)}
where d.ledger_id = $1 and d.handle = s.handle and d.attempts = s.before and d.status = 'running'`;
}

/** What is added to the proofs of a delivery counts for the quota of its ledger, with the comma before it. */
const PROOF_BYTES = `octet_length(s.proofs) + (s.proofs <> '' and octet_length(d.proofs) > octet_length(s.proofs))::int as bytes`;
const countProofs = (after: string) => addBytes(`select coalesce(sum(settled.bytes), 0) + ${after} from settled`);

/** Of deliveries that were never set aside, to receivers without a failure. */
const SETTLE = `with settled as (${settleStatement(SETTLED)}
  returning ${PROOF_BYTES})
${countProofs('0')}`;

const { first, greatest, rests, atOnce } = limits.deliveries.further;

/** The delay after so many failures: from three quarters of it to all of it, so that queues that failed together part. */
function delayAfter(step: string): string {
  return `(least(${greatest}, ${first} * 2.0 ^ least(${step}, 20)) * (0.75 + 0.25 * random()) * interval '1 millisecond')`;
}

/**
 * In the same transaction, intents of calls that were given up become due, so that no note is lost, and backlogs learn when
 * the deliveries that were set aside are taken up, so that none is forgotten.
 *
 * A success of a receiver that rested, or with a delivery that was taken up, makes the next ones due at once. So does one that is no
 * longer wanted, in whose place the next is taken up; one whose time is over says nothing of the receiver.
 */
const SETTLE_ALL = `
with settled as (${settleStatement(
  [
    ...SETTLED,
    'intent text',
    'given_up text',
    'given_up_mac text',
    'aside timestamptz',
    'succeeded boolean',
    'further boolean',
  ],
  `,
  given_up = coalesce(s.given_up, d.given_up), given_up_mac = coalesce(s.given_up_mac, d.given_up_mac), aside = s.aside`,
)}
  returning ${receiverOf('d')} as receiver, s.intent, s.attempted, s.aside, s.succeeded, s.further, ${PROOF_BYTES}),
noted as (
  update open_intent o set due = greatest(s.attempted, o.due + interval '1 microsecond')
  from (select intent, max(attempted) as attempted from settled where intent is not null group by intent) s
  where o.ledger_id = $1 and o.luid = s.intent
  returning o.luid),
told as materialized (
  select receiver, max(attempted) as now, bool_or(aside is not null) as parks, coalesce(bool_or(succeeded), false) as succeeded,
    count(*) filter (where not succeeded)::int as failed,
    count(*) filter (where further and succeeded)::int as taken,
    bool_or(further and succeeded is null) as unwanted,
    bool_or(further and aside is not null) as failed_again
  from settled where further is not null group by receiver),
-- After the intents: a settlement locks them before the row of the quota, too.
counted as (${countProofs('0 * (select count(*) from noted)')})
insert into delivery_backlog as q (ledger_id, receiver, failures, step, allowed, due)
select $1, t.receiver, case when t.succeeded then 0 else t.failed end, 0, 2 * t.taken,
  case when t.taken > 0 then t.now when t.parks then t.now + ${delayAfter('0')} when t.unwanted then t.now end
from told t where t.failed > 0 or t.taken > 0 or t.parks
  or exists (select from delivery_backlog k where k.ledger_id = $1 and k.receiver = t.receiver) order by t.receiver
on conflict (ledger_id, receiver) do update set (failures, step, allowed, due) = (
  select
    case when t.succeeded then 0 else least(q.failures + t.failed, 1000000) end,
    case when t.taken > 0 or eased then 0 when t.failed_again then least(q.step + 1, 20) else q.step end,
    least(${atOnce}, q.allowed + 2 * t.taken),
    case when t.taken > 0 or eased then t.now
      when t.failed_again then t.now + ${delayAfter('q.step + 1')}
      when t.unwanted then t.now
      when t.parks then coalesce(q.due, t.now + ${delayAfter('q.step')})
      else q.due end
  from told t cross join lateral (select t.succeeded and q.failures >= ${rests} as eased) e
  where t.receiver = excluded.receiver)`;

/** Stores what became of attempts of one ledger. */
export async function settleDeliveries(pool: pg.Pool, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return;
  const values = [
    settlements[0]!.ledger,
    settlements.map((one) => one.handle),
    settlements.map((one) => one.before),
    settlements.map((one) => one.attempts),
    settlements.map((one) => one.tries),
    settlements.map((one) => one.status),
    settlements.map((one) => one.attempted),
    settlements.map((one) => one.due ?? null),
    textArray(settlements.map((one) => one.proofs)),
  ];
  if (settlements.every(({ note, lesson }) => note === undefined && lesson === undefined)) {
    await pool.query({ name: 'settle-deliveries', text: SETTLE, values });
    return;
  }
  const more = [
    settlements.map((one) => one.note?.intent ?? null),
    settlements.map((one) => one.note?.detail ?? null),
    settlements.map((one) => one.note?.mac ?? null),
    settlements.map((one) => one.aside ?? null),
    settlements.map((one) => one.lesson?.succeeded ?? null),
    settlements.map((one) => one.lesson?.isFurther ?? null),
  ];
  await pool.query({ name: 'settle-all-deliveries', text: SETTLE_ALL, values: [...values, ...more] });
}
