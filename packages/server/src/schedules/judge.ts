import type { Timetable } from '../base/timetable.js';
import type { FollowedSchedule } from '../store/schedules.js';

/** A schedule policy as it is. Times are milliseconds since 1970. */
export interface SchedulePolicy {
  readonly luid: string;
  /** Of its data. */
  readonly hash: string;
  /** When it was last changed. */
  readonly moment: number;
  /** Absent while it does not act. */
  readonly timetable: Timetable | undefined;
}

/** The span of time that ends at an instant of a schedule, and begins at the one before. */
export interface ReportWindow {
  readonly begin: number;
  readonly end: number;
}

/** What there is to do for a schedule policy, and the row of it when that is done. */
export interface JudgedSchedule {
  /** That of the latest instant whose report is owed; absent where none is. */
  readonly window?: ReportWindow;
  readonly row: FollowedSchedule;
}

/**
 * Judges what a schedule has missed and when it comes next. Of several missed instants only the latest counts, so that nothing
 * floods in after a downtime.
 *
 * A policy that has begun to act, or whose data has changed, owes no report for instants of its new times before that change.
 * An instant of its old times before the change is still owed.
 *
 * @param row what was followed before; absent for a new policy
 * @param enabled when the configuration of the ledger was last changed
 */
export function judgeSchedule(
  { luid: policy, hash, moment, timetable }: SchedulePolicy,
  row: FollowedSchedule | undefined,
  enabled: number,
  now: number,
): JudgedSchedule {
  const through = row?.through;
  if (!timetable) return { row: { policy, hash, through } };
  const since = sinceWhen(row, { hash, moment }, enabled);
  const last = timetable.upTo(now);
  const missed = last !== undefined && last > since ? last : instantStillDue(row, { hash, moment }, now);
  const done = Math.max(missed ?? since, since);
  const next = timetable.after(Math.max(now, done));
  const followed = { policy, hash, through: done, next };
  if (missed === undefined) return { row: followed };
  return { window: { begin: timetable.upTo(missed - 1) ?? missed, end: missed }, row: followed };
}

/** The instant before the change that the old data of the policy named, where its report is still owed. */
function instantStillDue(
  row: FollowedSchedule | undefined,
  { hash, moment }: Pick<SchedulePolicy, 'hash' | 'moment'>,
  now: number,
): number | undefined {
  const next = row?.hash === hash ? undefined : row?.next;
  return next !== undefined && next <= Math.min(moment, now) ? next : undefined;
}

/** The time up to which nothing is owed. */
function sinceWhen(
  row: FollowedSchedule | undefined,
  { hash, moment }: Pick<SchedulePolicy, 'hash' | 'moment'>,
  enabled: number,
): number {
  const through = row?.through ?? Number.NEGATIVE_INFINITY;
  if (row?.next === undefined) return Math.max(through, moment, enabled);
  return row.hash === hash ? through : Math.max(through, moment);
}
