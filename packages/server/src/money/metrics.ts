import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../metrics.js';
import { type OpenOfStage, SUSPENDED } from '../store/money/open-intents.js';
import type { Outcomes } from './batch.js';
import type { Stage } from './intent.js';

export type SequencerMetrics = ReturnType<typeof createSequencerMetrics>;

/** What an intent that is not final is counted under. */
const COUNTED_STAGES: readonly (Stage | typeof SUSPENDED)[] = [
  'accepted',
  'waiting',
  'debits',
  'credits',
  'held',
  'prepared',
  'committing',
  'aborting',
  SUSPENDED,
];

/** Adds what a process counts of the intents that it decides on. */
export function createSequencerMetrics({ registry, batched }: Metrics) {
  const registers = [registry];
  const settled = new Counter({
    name: 'countersign_intents_total',
    help: 'Intents that this process has decided on: completed, rejected, or left waiting, with the first decision.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const redone = new Counter({
    name: 'countersign_intent_batches_redone_total',
    help: 'Groups of decisions that were made again because something they were based on had changed before they were stored.',
    registers,
  });
  const moved = new Counter({
    name: 'countersign_intent_homes_moved_total',
    help: 'How often this process took over the intents of a ledger from another one.',
    registers,
  });
  return {
    /** A batch was stored. @param size intents that it was asked for */
    settled(size: number, outcomes: Outcomes): void {
      batched('intents', size, 0);
      for (const [outcome, count] of Object.entries(outcomes)) if (count > 0) settled.inc({ outcome }, count);
    },
    /** A batch was decided anew, since something it rested on had changed. */
    redone: (): void => redone.inc(),
    /** This process is the leader of a ledger that another one was the leader of. */
    movedLeader: (): void => moved.inc(),
  };
}

/**
 * Adds the intents under way in the whole deployment, counted when metrics are asked for; each process tells the same.
 *
 * @param now milliseconds since 1970
 */
export function watchOpenIntents(
  { registry }: Metrics,
  count: () => Promise<readonly OpenOfStage[]>,
  now: () => number,
): void {
  let found: Promise<readonly OpenOfStage[] | undefined> | undefined;
  // Both gauges are collected at once, by one query.
  const countOnce = () => {
    found ??= count()
      .catch(() => undefined)
      .finally(() => {
        found = undefined;
      });
    return found;
  };
  new Gauge({
    name: 'countersign_intents_open',
    help: 'Intents under way in the whole deployment, by what they wait for; counted up to 10,000. `suspended` are those that wait for an operator to resume their ledger.',
    labelNames: ['stage'] as const,
    registers: [registry],
    async collect() {
      const open = await countOnce();
      if (!open) return;
      for (const stage of COUNTED_STAGES) this.set({ stage }, open.find((one) => one.stage === stage)?.count ?? 0);
    },
  });
  new Gauge({
    name: 'countersign_intents_oldest_open_seconds',
    help: 'Age of the oldest of these intents; 0 if there are none.',
    labelNames: ['stage'] as const,
    registers: [registry],
    async collect() {
      const open = await countOnce();
      if (!open) return;
      for (const stage of COUNTED_STAGES) {
        const oldest = open.find((one) => one.stage === stage)?.oldest;
        this.set({ stage }, oldest ? Math.max(0, now() - oldest.getTime()) / 1000 : 0);
      }
    },
  });
}
