import { LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import { backgroundLimits } from '../background/background-limits.js';
import type { BackgroundWorker } from '../background/worker.js';
import { limitRate } from '../base/rate-limit.js';
import { scheduleLimits } from '../kinds/policies/policy-limits.js';
import { timetableOf } from '../kinds/policies/schedule.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { inSession, openOwnSession, type Session } from '../ledgers/session.js';
import { LedgerSuspended } from '../ledgers/suspension.js';
import type { ScheduleMetrics } from '../metrics.js';
import { DUE_SCHEDULES, type FollowedSchedule, type Schedules } from '../store/schedules.js';
import { judgeSchedule } from './judge.js';
import { createScheduledReport, type ReportOrder } from './report.js';

/** What the schedules of ledgers are followed with. */
export interface ScheduleDeps {
  readonly service: Service;
  readonly schedules: Schedules;
  readonly metrics: ScheduleMetrics;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
}

/** The name of the worker, for hints. */
export const FOLLOW_SCHEDULES = 'follow-schedules';

/** A report that the ledger refuses is not tried again, and told of once. */
type OnReportRefused = (ledger: Ledger, order: ReportOrder, error: LedgerError) => void;

/** Creates the reports that schedule policies ask for, one ledger at a time (interface/policies#schedule-policies). */
export function followSchedules(deps: ScheduleDeps): BackgroundWorker {
  const { service, logger } = deps;
  const pass = limitRate(backgroundLimits.lines, service.runtime.now);
  const refused: OnReportRefused = ({ luid: ledger }, { policy: { luid: policy }, window }, { reason, detail }) => {
    const passed = pass();
    if (!passed) return;
    const untold = passed.refused > 0 ? { untold: passed.refused } : {};
    const instant = new Date(window.end).toISOString();
    const told = { ledger, policy, instant, reason, detail: detail.slice(0, DETAIL), ...untold };
    logger.warn(told, 'a scheduled report was refused');
  };
  return {
    name: FOLLOW_SCHEDULES,
    due: DUE_SCHEDULES,
    every: 10_000,
    rest: 0,
    timeout: 60_000,
    concurrency: 4,
    isPaused: () => service.readOnly() !== undefined,
    each: 1,
    run: ({ ledger, unit }, signal) => followLedger(deps, { id: ledger, luid: unit }, refused, signal),
  };
}

/** Characters of a detail in a line of the log: it may repeat what users wrote. */
const DETAIL = 200;

/**
 * Creates the reports that the schedules of a ledger ask for. Where one fails, other than by a refusal, the rest go on, and it
 * is due again after a back-off.
 */
async function followLedger(
  { service, schedules, metrics }: ScheduleDeps,
  { id, luid }: { readonly id: number; readonly luid: string },
  refused: OnReportRefused,
  signal: AbortSignal,
): Promise<void> {
  // Each piece of the work is metered like a request of its own.
  const metered = (): Service => ({ ...service, task: service.scheduler.task(id, () => signal.aborted) });
  const { ledger, policies, areAll } = await currentPolicies(metered(), luid);
  const rows = new Map((await schedules.of(id)).map((row) => [row.policy, row]));
  const enabled = isEnabled(ledger);
  const kept: FollowedSchedule[] = [];
  const failures: unknown[] = [];
  for (const policy of policies) {
    signal.throwIfAborted();
    const { hash, meta, data } = policy;
    const acts = enabled && meta.status !== 'inactive';
    const judged = judgeSchedule(
      { luid: policy.luid, hash, moment: Date.parse(meta.moment), timetable: acts ? timetableOf(data) : undefined },
      rows.get(policy.luid),
      Date.parse(ledger.record.meta.moment),
      service.runtime.now(),
    );
    if (judged.window) {
      try {
        const order = { policy, window: judged.window };
        const outcome = await seeTo(openOwnSession(metered(), ledger), order, refused);
        metrics.followed(outcome, (service.runtime.now() - judged.window.end) / 1000);
      } catch (error) {
        failures.push(error);
        continue;
      }
    }
    kept.push(judged.row);
  }
  await schedules.keep(id, ledger.version, kept);
  const luids = policies.map((policy) => policy.luid);
  if (areAll) await schedules.forgetOthers(id, luids);
  else await schedules.passOverOthers(id, ledger.version, luids);
  if (failures.length > 0) throw failures[0];
}

async function seeTo(session: Session, order: ReportOrder, refused: OnReportRefused) {
  try {
    return await createScheduledReport(session, order);
  } catch (error) {
    // A ledger that was suspended meanwhile makes the report when it is resumed.
    if (error instanceof LedgerSuspended || !isFinalRefusal(error)) throw error;
    refused(session.ledger, order, error);
    return 'refused' as const;
  }
}

function isFinalRefusal(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.status < 500 && error.reason !== 'api.request-timeout';
}

function isEnabled({ config, isReadOnly, suspension }: Ledger): boolean {
  return config['policy.scheduleProcessorEnabled'] === true && isReadOnly !== true && suspension === undefined;
}

/** The ledger as it is now, and its schedule policies: `MOST` of them, where there are more. */
async function currentPolicies(
  service: Service,
  luid: string,
): Promise<{ readonly ledger: Ledger; readonly policies: readonly RecordEnvelope[]; readonly areAll: boolean }> {
  const held = await service.ledgers.resolve(luid);
  return inSession(openOwnSession(service, held), async (session) => {
    const { ledger } = session;
    const handles = [...ledger.policies.values()].flatMap(({ schema, handle }) =>
      schema === 'schedule' ? [handle] : [],
    );
    const policies = await findPolicies(session, handles.slice(0, MOST_SCHEDULES));
    await session.assertStillCurrent();
    return { ledger, policies, areAll: handles.length <= MOST_SCHEDULES };
  });
}

/** More than the limit: earlier releases had none, and concurrent creates may go a little beyond it. */
const MOST_SCHEDULES = 2 * scheduleLimits.policies;

async function findPolicies(session: Session, handles: readonly string[]): Promise<RecordEnvelope[]> {
  const records: RecordEnvelope[] = [];
  // Together they are no longer than the state of a ledger, which this process holds anyway.
  for (const record of await Promise.all(handles.map((handle) => session.findVersion('policy', handle, 'handle')))) {
    if (!record) continue;
    await session.task.turn();
    records.push(readJson(record.body) as RecordEnvelope);
  }
  return records;
}
