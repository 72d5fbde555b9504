import pg from 'pg';
import type { DeliveryOwner } from '../../kinds/declaration.js';
import { limits } from '../../limits.js';
import { queryUntil } from '../abortable.js';
import { effectActs, receiverOf } from './delivery-columns.js';
import type { DeliveryScope } from './delivery-list.js';

/** A request to send deliveries again, as the ledger decided it. */
export interface RetryRequest extends DeliveryScope {
  /** Luid of the effect or bridge, which the proofs are used for. */
  readonly luid: string;
  /** The version of the ledger's state the decision was made on. */
  readonly version: number;
  /** The client's proofs, as `identifyProof` names them, each once. */
  readonly proofs: readonly string[];
  /** The same under the master key, as those of erased records are kept. */
  readonly veiled: readonly string[];
  readonly now: Date;
}

/**
 * What became of a request. `stale`: the ledger's state has changed. `reused`: a proof was used for another record.
 * `repeated`: a proof was used for this very record before, so the request was. `full`: as many wait as may.
 */
export type RetryOutcome = 'done' | 'repeated' | 'reused' | 'stale' | 'full' | 'missing';

export interface DeliveryRetries {
  /** Stores a request for those whose last attempt was at `since` or later; absent for those of any age. */
  request(retry: RetryRequest & { readonly since?: Date }): Promise<{ outcome: RetryOutcome; version: number }>;
  /** Makes one delivery due at once, whatever its age; an event that was delivered stays so, a call is made again. */
  resend(retry: RetryRequest & { readonly handle: string }): Promise<{ outcome: RetryOutcome; version: number }>;
}

/**
 * Deliveries that are sent again: those that failed, wait or were given up, while their effect exists and is in use. One that runs is left
 * to its attempt. A delivery that was attempted often enough stays as it is, which bounds its proofs.
 */
const RESENDABLE = `d.status in ('pending', 'failed', 'cancelled') and d.attempts < ${limits.retries.attempts}
  and (d.effect is null or ${effectActs('d.effect')})`;

/** Calls that were delivered, for a bridge that never reported: whoever names one may have it made again. */
const REPEATABLE = `(d.purpose is not null and d.status = 'delivered' and d.attempts < ${limits.retries.attempts})`;

/** Whether a delivery is of an effect at large, or in one of those domains; a null array means any (`DeliveryScope`). */
function inDomains(domains: string): string {
  return `(${domains} is null or d.effect_domain is null or d.effect_domain = any (${domains}))`;
}

/** The proofs of the request that were used before. */
const USED_BEFORE = `
used as (
  select luid from used_proof where ledger_id = $1 and digest = any($4::uuid[])
  union all
  select luid from erased_proof where ledger_id = $1 and digest = any($9::uuid[]))`;

/**
 * Marks the proofs as used. When another transaction has used one for another record since this statement began, the null
 * violates its constraint; when it has used one for this record, fewer are returned.
 */
const KEPT = `
kept as (
  insert into used_proof (ledger_id, digest, luid)
  select $1, u.digest, $3::text from unnest($4::uuid[]) as u(digest) cross join may order by u.digest
  on conflict (ledger_id, digest) do update set luid = null where used_proof.luid <> excluded.luid
  returning digest
),
first as (select from may where (select count(*) from kept) = cardinality($4::uuid[]))`;

/** A receiver that rests has attempts made again: whoever asks for a retry expects one at once. */
const WOKEN = `
woken as (
  update delivery_backlog q set failures = 0
  from (
    select k.receiver from delivery_backlog k
    where k.ledger_id = $1 and k.failures > 0 and k.receiver in (select receiver from resent)
    order by k.receiver for no key update) w
  where q.ledger_id = $1 and q.receiver = w.receiver
)`;

const OUTCOME = `
  exists (select from used where luid <> $3) as reused, exists (select from used) as repeated`;

// When another transaction has taken the slot, the null violates its constraint, and the statement is run again.
function requestStatement(owner: DeliveryOwner): string {
  return `with ${USED_BEFORE},
slot as (
  select s.slot from generate_series(1, ${limits.retries.waiting}) as s(slot)
  where not exists (
    select from delivery_retry r where r.ledger_id = $1 and r.owner = '${owner}' and r.id = $5 and r.slot = s.slot)
  order by s.slot limit 1
),
may as (
  select slot.slot from ledger l cross join slot where l.id = $1 and l.version = $2 and not exists (select from used)
),
${KEPT},
queued as (
  insert into delivery_retry (ledger_id, owner, id, slot, requested, since, domains, reached, until, worked)
  select $1, '${owner}', $5, slot.slot, $6::timestamptz, $7::timestamptz, $8::text[], 0,
    coalesce((select max(d.seq) from delivery d where d.ledger_id = $1 and d.${owner} = $5), 0), $6::timestamptz
  from first cross join slot
  on conflict (ledger_id, owner, id, slot) do update set slot = null
  returning slot
)
select l.version, ${OUTCOME}, exists (select from slot) as room, true as found, exists (select from queued) as done
from ledger l where l.id = $1`;
}

function resendStatement(owner: DeliveryOwner): string {
  return `with ${USED_BEFORE},
found as (
  select d.handle from delivery d
  where d.ledger_id = $1 and d.handle = $6 and d.${owner} = $5
    and ${inDomains('$8::text[]')}
),
may as (
  select from ledger l where l.id = $1 and l.version = $2
    and not exists (select from used) and exists (select from found)
),
${KEPT},
resent as (
  update delivery d set status = 'pending', tries = 0, due = $7, aside = null
  from found f cross join first
  where d.ledger_id = $1 and d.handle = f.handle and (${RESENDABLE} or ${REPEATABLE})
  returning ${receiverOf('d')} as receiver
),
${WOKEN}
select l.version, ${OUTCOME}, true as room, exists (select from found) as found, exists (select from first) as done
from ledger l where l.id = $1`;
}

interface OutcomeRow {
  readonly version: number;
  readonly reused: boolean;
  readonly repeated: boolean;
  readonly room: boolean;
  readonly found: boolean;
  readonly done: boolean;
}

export function createDeliveryRetries(pool: pg.Pool): DeliveryRetries {
  const run = async (name: string, text: string, retry: RetryRequest, values: readonly unknown[]) => {
    for (let times = 0; times <= limits.retries.waiting; times += 1) {
      try {
        const all = [retry.ledger, retry.version, retry.luid, retry.proofs, retry.id, ...values, retry.veiled];
        const { rows } = await pool.query<OutcomeRow>({ name: `${name}-${retry.owner}`, text, values: all });
        const { version = 0 } = rows[0] ?? {};
        return { outcome: toRetryOutcome(retry, rows[0]), version };
      } catch (error) {
        const table = violatedTable(error);
        if (table === 'used_proof') return { outcome: 'reused' as const, version: retry.version };
        if (table !== 'delivery_retry') throw error;
      }
    }
    return { outcome: 'full' as const, version: retry.version };
  };
  return {
    request: ({ since, ...retry }) =>
      run('request-retry', requestStatement(retry.owner), retry, [retry.now, since ?? null, retry.domains]),
    resend: ({ handle, ...retry }) =>
      run('resend-delivery', resendStatement(retry.owner), retry, [handle, retry.now, retry.domains]),
  };
}

function toRetryOutcome({ version }: RetryRequest, row: OutcomeRow | undefined): RetryOutcome {
  if (row?.version !== version) return 'stale';
  if (row.done) return 'done';
  if (!row.found) return 'missing';
  if (row.reused) return 'reused';
  if (row.repeated || row.room) return 'repeated';
  return 'full';
}

/** The table whose constraint another transaction made the statement violate. */
function violatedTable(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23502' ? error.table : undefined;
}

/** SQL that lists ledgers with requests (`BackgroundWorker.due`): it hops from ledger to ledger through an index. */
export const DUE_RETRIES = `
with recursive waiting as (
  (select r.ledger_id, r.worked from delivery_retry r order by r.ledger_id, r.worked limit 1)
  union all
  select n.ledger_id, n.worked from waiting w cross join lateral (
    select r.ledger_id, r.worked from delivery_retry r where r.ledger_id > w.ledger_id
    order by r.ledger_id, r.worked limit 1) n
)
select ledger_id, '', worked from waiting`;

interface WaitingRetry {
  readonly owner: DeliveryOwner;
  readonly id: string;
  readonly slot: number;
  readonly requested: Date;
  readonly reached: number;
}

const NEXT = `
select r.owner, r.id, r.slot, r.requested, r.reached from delivery_retry r
where r.ledger_id = $1 order by r.worked limit 1`;

/**
 * Works on a request: makes the next deliveries due, and moves the request on past them, or deletes it when there are no
 * more. Both or neither are stored, and only by the first of two processes that do it at once.
 */
function pieceStatement(owner: DeliveryOwner): string {
  const { piece } = limits.retries;
  const own = `r.owner = '${owner}' and r.id = $2 and r.slot = $3 and r.requested = $4 and r.reached = $5`;
  return `with retry as materialized (
  select r.since, r.domains, r.until from delivery_retry r where r.ledger_id = $1 and ${own}
),
piece as materialized (
  select d.handle, d.seq, r.since, r.domains from retry r cross join lateral (
    select d.handle, d.seq from delivery d
    where d.ledger_id = $1 and d.${owner} = $2 and d.seq > $5 and d.seq <= r.until
    order by d.seq limit ${piece}) d
),
ended as (
  delete from delivery_retry r where r.ledger_id = $1 and ${own} and (select count(*) from piece) < ${piece} returning r.slot
),
moved as (
  update delivery_retry r set reached = (select max(seq) from piece), worked = $6
  where r.ledger_id = $1 and ${own} and (select count(*) from piece) = ${piece} returning r.slot
),
resent as (
  update delivery d set status = 'pending', tries = 0, due = $6, aside = null
  from piece p
  where d.ledger_id = $1 and d.handle = p.handle and ${RESENDABLE}
    and (p.since is null or coalesce(d.attempted, d.moment) >= p.since) and ${inDomains('p.domains')}
    and (exists (select from ended) or exists (select from moved))
  returning ${receiverOf('d')} as receiver
),
${WOKEN}
select count(*) as count from resent`;
}

/**
 * Works on the request of a ledger that has waited longest for it.
 *
 * @returns deliveries that are due now; undefined when no request waits
 */
export async function resendPiece(
  pool: pg.Pool,
  ledger: number,
  now: Date,
  signal: AbortSignal,
): Promise<number | undefined> {
  const next = await queryUntil<WaitingRetry>(pool, { text: NEXT, values: [ledger] }, signal);
  const [retry] = next.rows;
  if (!retry) return undefined;
  const { owner, id, slot, requested, reached } = retry;
  const values = [ledger, id, slot, requested, reached, now];
  const { rows } = await queryUntil<{ count: number }>(pool, { text: pieceStatement(owner), values }, signal);
  return rows[0]?.count ?? 0;
}
