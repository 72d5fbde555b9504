import { LedgerError } from '@countersign/protocol';
import type { BackgroundWorker } from '../background/worker.js';
import { Overloaded } from '../base/gather.js';
import type { Service } from '../ledgers/service.js';
import { inSession, OutOfDate, openOwnSession } from '../ledgers/session.js';
import { dueLedgers, type OpenIntents, type StoredOpenIntent } from '../store/money/open-intents.js';
import { settleLimits } from '../store/money/settle-limits.js';
import { isUnavailable } from '../store/unavailable.js';
import { isDecided, type Stage } from './intent.js';
import type { Engine } from './money.js';
import { sequencerLimits } from './sequencer-limits.js';

/** The name of the worker, for hints. */
export const PROCESS_INTENTS = 'process-intents';

/** What intents under way are processed with. */
export interface IntentWorkerDeps {
  readonly service: Service;
  readonly engine: Engine;
  readonly openIntents: OpenIntents;
  /** Name of this process in the table of leaders. */
  readonly holder: string;
  /** Told of an intent that could not be processed, and is put off. */
  readonly failed: (failure: { readonly err: unknown; readonly ledger: string; readonly intent: string }) => void;
}

/**
 * Sees to intents that something has happened to since they were accepted: another process took them, a bridge has
 * reported, a signer has decided, or they expire (interface/intents#processing). A run is about one ledger.
 */
export function processIntents({ service, engine, openIntents, holder, failed }: IntentWorkerDeps): BackgroundWorker {
  return {
    name: PROCESS_INTENTS,
    due: dueLedgers(holder),
    every: 5_000,
    rest: 0,
    takesTurns: true,
    timeout: 60_000,
    concurrency: 4,
    each: 1,
    isPaused: () => service.readOnly() !== undefined,
    async run({ ledger, unit }, signal) {
      const metered = (): Service => ({ ...service, task: service.scheduler.task(ledger, () => signal.aborted) });
      const now = new Date(service.runtime.now()).toISOString();
      const due = await openIntents.due(ledger, now, settleLimits.batch * 4);
      const threads = new Map(due.map((open) => [open.thread, open]));
      const held = await service.ledgers.resolve(unit);
      const advance = (open: StoredOpenIntent) =>
        inSession(openOwnSession(metered(), held), async (session) => {
          // It stays due: it is seen to when the ledger goes on.
          if (session.ledger.suspension && !isDecided(open.stage as Stage)) return;
          const { result, version } = await engine.advance(session, open);
          if (result !== 'done') throw new OutOfDate(version);
        });
      const open = [...threads.values()];
      const ended = await Promise.allSettled(open.map(advance));
      // One that cannot be processed is put off, so that it stands in the way of no other.
      const until = new Date(service.runtime.now() + sequencerLimits.postponed).toISOString();
      const failedIntents: string[] = [];
      for (const [index, one] of ended.entries()) {
        if (one.status === 'fulfilled') continue;
        if (signal.aborted || isPassing(one.reason)) throw one.reason;
        const { luid } = open[index]!;
        failed({ err: one.reason, ledger: unit, intent: luid });
        failedIntents.push(luid);
      }
      await openIntents.postpone(ledger, failedIntents, until);
    },
  };
}

/** Whether a failure says nothing about the intent. */
function isPassing(error: unknown): boolean {
  if (error instanceof Overloaded || error instanceof OutOfDate) return true;
  return isUnavailable(error) || (error instanceof LedgerError && error.reason === 'api.request-timeout');
}
