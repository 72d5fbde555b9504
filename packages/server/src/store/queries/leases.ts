import type pg from 'pg';
import { isDistributed } from '../nodes/distribution.js';
import { readReachable } from '../nodes/reachable.js';
import { textArray } from '../parameters.js';
import { queryLimits } from './query-limits.js';

/** A unit of a worker's work. */
export interface Unit {
  /** The id of the ledger it belongs to; 0 for one of the whole deployment. */
  readonly ledger: number;
  /** Tells it from the ledger's other units; empty where a ledger has one. */
  readonly unit: string;
}

/** A unit whose lease this process has. */
export interface Claimed extends Unit {
  /** Previous runs in a row that failed, or whose process died. */
  readonly failures: number;
}

/** The key of a lease. */
export interface LeaseKey extends Unit {
  readonly worker: string;
}

export interface ClaimQuery {
  readonly worker: string;
  /** SQL that lists due units (`BackgroundWorker.due`), and the same for a cluster. */
  readonly due: string;
  readonly dueInCluster?: string | undefined;
  /** Milliseconds for which a lease holds. */
  readonly lease: number;
  /** Greatest number of claimed units. */
  readonly count: number;
  /** Greatest number of units of one ledger that this process runs at a time. */
  readonly each: number;
  /** The worker's units that this process runs already, which are skipped. */
  readonly running: readonly Unit[];
}

/** The result of a look for due units. */
export interface DueUnits {
  readonly claimed: readonly Claimed[];
  /** The number of free units it tried to claim: more than `claimed` where another process was first. */
  readonly chosen: number;
  /** Seconds that the longest due of the free units has waited; 0 when all are held or at rest. */
  readonly lag: number;
  /** Milliseconds until the first held or resting unit is free; absent when all due units are. */
  readonly wait?: number;
}

/**
 * The table of leases. A lease is an optimisation: it mostly keeps two processes from doing the same work at once. It
 * guarantees nothing: a stalled process runs on after its lease has ended, and a unit done a moment ago may still look
 * due. A run's writes are verified where they are stored.
 *
 * All times are those of the database's clock. Processes measure durations only, so their clocks may differ.
 */
export type Leases = ReturnType<typeof createLeases>;

const MILLISECOND = `interval '1 millisecond'`;

/**
 * SQL: the due units. A plain read, which may look at all ledgers wherever they are.
 *
 * @param due as of `BackgroundWorker.due`
 */
function dueStatement(due: string): string {
  return `with clock as (select $1::timestamptz as now)
    select d.ledger_id as ledger, d.unit collate "C" as unit, d.since::text as since
    from (${due}) as d (ledger_id, unit, since) limit ${queryLimits.due.listed}`;
}

/**
 * Takes leases of units that were found to be due, in one statement, on one snapshot. `turn` numbers the units of a
 * ledger, running ones included: the first of every ledger come before the second of any. An expired lease is locked, or
 * skipped while another process is taking it; a unit without a row is inserted, and the first process to do so has it. Rows
 * are inserted in one order, which keeps two claims from a deadlock.
 *
 * Taking over from a process that died counts as a failure.
 */
const CLAIM_DUE = `with due as materialized (
    select d.ledger_id, d.unit collate "C" as unit, d.since
    from unnest($8::bigint[], $9::text[], $10::timestamptz[]) as d (ledger_id, unit, since)
  ),
  running as (
    select r.ledger_id, r.unit collate "C" as unit from unnest($6::bigint[], $7::text[]) as r (ledger_id, unit)
  ),
  judged as (
    select d.ledger_id, d.unit, l.until, coalesce(greatest(d.since, l.until), now()) as since
    from due d left join lease l on l.ledger_id = d.ledger_id and l.worker = $1 and l.unit = d.unit
    where not exists (select from running r where r.ledger_id = d.ledger_id and r.unit = d.unit)
  ),
  free as (
    select j.*, row_number() over (partition by j.ledger_id order by j.since, j.unit)
      + (select count(*) from running r where r.ledger_id = j.ledger_id) as turn
    from judged j where j.until is null or j.until <= now()
  ),
  chosen as (select * from free where turn <= $5 order by turn, since, ledger_id, unit limit $4),
  ended as (
    select l.ledger_id, l.unit
    from lease l join chosen c on c.ledger_id = l.ledger_id and c.unit = l.unit
    where l.worker = $1 and l.until <= now()
    for update of l skip locked
  ),
  taken as (
    update lease l set holder = $2, until = now() + $3 * ${MILLISECOND},
      failures = case when l.holder is null then l.failures else l.failures + 1 end
    from ended e where l.ledger_id = e.ledger_id and l.worker = $1 and l.unit = e.unit
    returning l.ledger_id, l.unit, l.failures
  ),
  made as (
    insert into lease (ledger_id, worker, unit, holder, until, failures)
    select ledger_id, $1, unit, $2, now() + $3 * ${MILLISECOND}, 0
    from chosen where until is null order by ledger_id, unit
    on conflict do nothing
    returning ledger_id, unit, failures
  ),
  claimed as (select * from taken union all select * from made)
  select
    (select coalesce(json_agg(json_build_object('ledger', ledger_id, 'unit', unit, 'failures', failures)), '[]')
      from claimed) as claimed,
    (select count(*)::int from chosen) as chosen,
    (select coalesce(extract(epoch from now() - min(since)), 0)::float8 from free) as lag,
    (select extract(epoch from min(until) - now())::float8 * 1000 from judged where until > now()) as wait`;

const RENEW = `update lease l set until = now() + $2 * ${MILLISECOND}
  from unnest($3::bigint[], $4::text[], $5::text[]) as k (ledger_id, worker, unit)
  where l.ledger_id = k.ledger_id and l.worker = k.worker and l.unit = k.unit and l.holder = $1
  returning l.ledger_id as ledger, l.worker, l.unit`;

const RELEASE = `update lease set holder = null, until = now() + $5 * ${MILLISECOND}, failures = $6
  where ledger_id = $1 and worker = $2 and unit = $3 and holder = $4`;

const FORGET_LEASE = `delete from lease where ledger_id = $1 and worker = $2 and unit = $3 and holder = $4`;

/**
 * @param holder unique name of this process among all past and future ones
 * @param now milliseconds since 1970 by the clock of the service, which lists of due units compare with
 */
export function createLeases(pool: pg.Pool, holder: string, now: () => number) {
  return {
    /** Takes leases of due units: fair over ledgers, longest due first. */
    async claim({ worker, due, dueInCluster = due, lease, count, each, running }: ClaimQuery): Promise<DueUnits> {
      const units = await readReachable<Unit & { since: string | null }>(pool, {
        name: `due-${worker}`,
        text: dueStatement((await isDistributed(pool)) ? dueInCluster : due),
        values: [new Date(now())],
      });
      if (units.length === 0) return { claimed: [], chosen: 0, lag: 0 };
      const { rows } = await pool.query<{ claimed: Claimed[]; chosen: number; lag: number; wait: number | null }>({
        name: 'claim-units',
        text: CLAIM_DUE,
        values: [
          worker,
          holder,
          lease,
          count,
          each,
          running.map((one) => one.ledger),
          running.map((one) => one.unit),
          units.map((one) => one.ledger),
          textArray(units.map((one) => one.unit)),
          units.map((one) => one.since),
        ],
      });
      const { claimed, chosen, lag, wait } = rows[0]!;
      return { claimed, chosen, lag, ...(wait === null ? {} : { wait }) };
    },
    /** Renews leases for so many milliseconds. @returns those that this process still had */
    async renew(keys: readonly LeaseKey[], lease: number): Promise<LeaseKey[]> {
      const columns = [keys.map((key) => key.ledger), keys.map((key) => key.worker), keys.map((key) => key.unit)];
      const { rows } = await pool.query<LeaseKey>({
        name: 'renew-leases',
        text: RENEW,
        values: [holder, lease, ...columns],
      });
      return rows;
    },
    /** Releases a lease: the unit stays unclaimed for so many milliseconds. A lost lease is left as it is. */
    async release({ ledger, worker, unit }: LeaseKey, rest: number, failures: number): Promise<void> {
      await pool.query({ text: RELEASE, values: [ledger, worker, unit, holder, rest, failures] });
    },
    /** Releases a lease and deletes its row. */
    async forget({ ledger, worker, unit }: LeaseKey): Promise<void> {
      await pool.query({ text: FORGET_LEASE, values: [ledger, worker, unit, holder] });
    },
  };
}

/**
 * Deletes rows of units that have been idle for a day, a bounded number at a time. A later failure inserts the row
 * again.
 */
export const DELETE_OLD_LEASES = `delete from lease where (ledger_id, worker, unit) in (
  select ledger_id, worker, unit from lease where until < now() - interval '1 day' limit ${queryLimits.due.swept}
  for update skip locked)`;
