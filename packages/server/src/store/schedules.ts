import type pg from 'pg';
import { queryUntil } from './abortable.js';
import { ofReachable, readReachable } from './nodes/reachable.js';
import { queryLimits } from './queries/query-limits.js';

/** How far the schedule of a policy has been followed. Times are milliseconds since 1970. */
export interface FollowedSchedule {
  /** Luid of the policy. */
  readonly policy: string;
  /** Of the policy's data as it was when the row was made; absent where nobody has looked at the policy yet. */
  readonly hash?: string;
  /** Instants up to this one are done with. */
  readonly through?: number;
  /** The next instant; absent while the policy does not act. */
  readonly next?: number;
}

/** The rows of schedule policies (sql/migrations/0011-schedules.sql). */
export type Schedules = ReturnType<typeof createSchedules>;

/** What the index of schedule policies is of: as in the migration, word for word. */
const IS_SCHEDULE = `r.kind = 'policy'
  and r.document -> (r.ledger_id::text || '/policy') -> 'data.schema' @> '["schedule"]'::jsonb`;

/** Ledgers with schedules to mark. */
const UNMARKED = `select distinct m.ledger_id as ledger from (
    (select r.ledger_id from record r
      where ${IS_SCHEDULE} and ${ofReachable('r.ledger_id')}
        and not exists (select from schedule s where s.ledger_id = r.ledger_id and s.policy = r.luid)
      limit ${queryLimits.due.listed})
    union all
    (select s.ledger_id from schedule s join ledger l on l.id = s.ledger_id
      where s.due is null and (s.version <> l.version or s.next_at <= $1) and ${ofReachable('s.ledger_id')}
      limit ${queryLimits.due.listed})
  ) m`;

const MARK_NEW = `insert into schedule (ledger_id, policy, version, due)
  select r.ledger_id, r.luid, 0, $2 from record r
  where r.ledger_id = $1 and ${IS_SCHEDULE}
    and not exists (select from schedule s where s.ledger_id = r.ledger_id and s.policy = r.luid)
  order by r.luid limit ${queryLimits.due.listed}
  on conflict do nothing`;

const MARK_WOKEN = `update schedule set due = $2 where ledger_id = $1 and policy in (
    select s.policy from schedule s join ledger l on l.id = s.ledger_id
    where s.ledger_id = $1 and s.due is null and (s.version <> l.version or s.next_at <= $2)
    order by s.policy limit ${queryLimits.due.listed} for update of s skip locked)`;

/** Ledgers that have something to do: each one's unit is called by its luid (`BackgroundWorker.due`). */
export const DUE_SCHEDULES = `select s.ledger_id, l.luid, min(s.due) from schedule s join ledger l on l.id = s.ledger_id
  where s.due is not null and ${ofReachable('s.ledger_id')} group by s.ledger_id, l.luid`;

const KEEP = `insert into schedule (ledger_id, policy, version, hash, through, next_at)
  select $1, policy, $2, hash, through, next_at
  from unnest($3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[]) as r (policy, hash, through, next_at)
  on conflict (ledger_id, policy) do update set version = excluded.version, hash = excluded.hash,
    through = greatest(schedule.through, excluded.through), next_at = excluded.next_at, due = null`;

export function createSchedules(pool: pg.Pool) {
  return {
    /**
     * Marks as due, in all ledgers: schedule policies that have no row yet; rows that were made on another version of
     * their ledger, which may have changed the policy or the configuration; and those whose next instant has come.
     *
     * @param now milliseconds since 1970
     * @returns how many were marked
     */
    async markDue(now: number, signal: AbortSignal): Promise<number> {
      const unmarked = { name: 'unmarked-schedules', text: UNMARKED, values: [new Date(now)] };
      const rows = await readReachable<{ ledger: number }>(pool, unmarked, (one) => queryUntil(pool, one, signal));
      let marked = 0;
      for (const { ledger } of rows) {
        for (const [name, text] of Object.entries({ 'mark-new-schedules': MARK_NEW, 'mark-schedules': MARK_WOKEN })) {
          const { rowCount } = await queryUntil(pool, { name, text, values: [ledger, new Date(now)] }, signal);
          marked += rowCount ?? 0;
        }
      }
      return marked;
    },
    /** All rows of a ledger. */
    async of(ledger: number): Promise<FollowedSchedule[]> {
      const { rows } = await pool.query<ScheduleRow>({
        name: 'schedules-of',
        text: 'select policy, hash, through, next_at from schedule where ledger_id = $1',
        values: [ledger],
      });
      return rows.map(toFollowed);
    },
    /**
     * Stores how far schedules were followed, as judged on that version of the ledger, and clears their mark as due. `through`
     * only grows.
     */
    async keep(ledger: number, version: number, rows: readonly FollowedSchedule[]): Promise<void> {
      await pool.query({
        name: 'keep-schedules',
        text: KEEP,
        values: [
          ledger,
          version,
          rows.map(({ policy }) => policy),
          rows.map(({ hash }) => hash ?? null),
          rows.map(({ through }) => timeOf(through)),
          rows.map(({ next }) => timeOf(next)),
        ],
      });
    },
    /** Deletes the rows of all policies of the ledger but these. */
    async forgetOthers(ledger: number, policies: readonly string[]): Promise<void> {
      const text = 'delete from schedule where ledger_id = $1 and policy <> all ($2::text[])';
      await pool.query({ name: 'forget-schedules', text, values: [ledger, policies] });
    },
    /**
     * Gives the rows of all policies of the ledger but these no next instant, so that they are not due until the ledger has
     * changed.
     */
    async passOverOthers(ledger: number, version: number, policies: readonly string[]): Promise<void> {
      const text = `update schedule set version = $2, next_at = null, due = null
        where ledger_id = $1 and policy <> all ($3::text[])`;
      await pool.query({ name: 'pass-over-schedules', text, values: [ledger, version, policies] });
    },
  };
}

interface ScheduleRow {
  readonly policy: string;
  readonly hash: string | null;
  readonly through: Date | null;
  readonly next_at: Date | null;
}

function toFollowed({ policy, hash, through, next_at: next }: ScheduleRow): FollowedSchedule {
  return {
    policy,
    ...(hash === null ? {} : { hash }),
    ...(through === null ? {} : { through: through.getTime() }),
    ...(next === null ? {} : { next: next.getTime() }),
  };
}

function timeOf(instant: number | undefined): Date | null {
  return instant === undefined ? null : new Date(instant);
}
