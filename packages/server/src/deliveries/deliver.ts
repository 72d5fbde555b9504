import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { BackgroundWorker } from '../background/worker.js';
import { gather, gatherLimits } from '../base/gather.js';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import { limitRate } from '../base/rate-limit.js';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Service } from '../ledgers/service.js';
import type { DeliveryMetrics } from '../metrics.js';
import type { Outbound } from '../outbound/outbound.js';
import { type DeliveryStore, DUE_QUEUES, DUE_QUEUES_IN_CLUSTER, type DueQuestion } from '../store/outbox/deliveries.js';
import type { DeliveryState } from '../store/outbox/settle-deliveries.js';
import { type DeliveryBounds, deliveryLimits } from './delivery-limits.js';
import type { DeliveryDeps, DeliveryReport } from './engine.js';
import { QueueRun } from './queue-run.js';
import { Slots } from './slots.js';
import { createVersionReader } from './versions.js';

/** What deliveries need beside the service. */
export interface DeliverDeps {
  readonly store: DeliveryStore;
  /** Calls go out by connections of their own, so that forwarding keeps its share. */
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly logger: FastifyBaseLogger;
  readonly bounds?: DeliveryBounds;
  /** Called when deliveries that were set aside may be due. */
  readonly goOn?: () => void;
}

/** Name of the worker, which hints are sent to. */
export const DELIVER = 'deliver';

/**
 * Delivers queued events (interface/effects#deliveries). A unit is a queue: the deliveries of one ledger to one target, so a
 * slow or dead receiver delays its own queue only.
 */
export function deliverEvents(service: Service, deps: DeliverDeps): BackgroundWorker {
  const { bounds = deliveryLimits, goOn = () => {} } = deps;
  const engine = openEngine(service, { ...deps, bounds, goOn });
  const runs = new Set<QueueRun>();
  let isStopping = false;
  const luids = new LruCache<number, { readonly luid: string }>(cacheLimits.ledgers);
  const resolveLedger = async (id: number) => {
    const luid = luids.get(id)?.luid ?? (await service.store.ledgers.luid(id));
    if (luid === undefined) throw new Error(`There is no ledger ${id}.`);
    luids.set(id, { luid });
    return service.ledgers.resolve(luid);
  };
  return {
    name: DELIVER,
    due: DUE_QUEUES,
    dueInCluster: DUE_QUEUES_IN_CLUSTER,
    every: bounds.every,
    rest: 0,
    takesTurns: true,
    timeout: bounds.run + bounds.attempt + Math.max(bounds.attempt, bounds.call),
    concurrency: bounds.concurrency,
    each: bounds.each,
    hinted() {
      for (const run of runs) run.hint();
    },
    stopping() {
      isStopping = true;
      for (const run of runs) run.finish();
    },
    async run({ ledger: id, unit }, signal) {
      const run = new QueueRun(engine, await resolveLedger(id), { ledger: id, target: unit }, signal);
      runs.add(run);
      if (isStopping) run.finish();
      try {
        await run.run();
      } finally {
        runs.delete(run);
      }
    },
  };
}

function openEngine(
  service: Service,
  { store, outbound, metrics, logger, bounds, goOn }: Required<DeliverDeps>,
): DeliveryDeps {
  const pass = limitRate(deliveryLimits.lines, service.runtime.now);
  const together = gather<DeliveryState, void>(
    async (settlements) => {
      await store.settle(settlements);
      return settlements.map(() => undefined);
    },
    { batch: gatherLimits.batch, queue: gatherLimits.queue, concurrency: 2, apart: ({ ledger }) => ledger },
  );
  const hasDue = gather<DueQuestion, boolean>(
    (questions) => store.haveDue(questions, new Date(service.runtime.now())),
    { batch: gatherLimits.batch, queue: gatherLimits.queue, concurrency: 1 },
  );
  return {
    bounds,
    service: { ...service, outbound },
    store,
    hasDue,
    versions: createVersionReader(store, service.integrity),
    slots: new Slots(bounds.slots),
    setsAside: new Set(),
    longEvents: createWeightedSemaphore(bounds.long),
    async settle(settlement, signal) {
      // The receiver has answered: if its answer were lost, the event would be sent again.
      for (;;) {
        try {
          return await together(settlement);
        } catch (error) {
          if (pass()) logger.warn({ err: error }, 'the outcome of a delivery is not stored yet');
          await pause(bounds.every, undefined, { signal });
        }
      }
    },
    goOn,
    report: createReport(metrics, logger, service.runtime.now),
  };
}

/** Logs one line for each delivery that is given up, within a rate. */
function createReport(metrics: DeliveryMetrics, logger: FastifyBaseLogger, now: () => number): DeliveryReport {
  const pass = limitRate(deliveryLimits.lines, now);
  return {
    attempted: metrics.attempted,
    gaveUp(about, error) {
      metrics.gaveUp();
      const passed = pass();
      if (!passed) return;
      const untold = passed.refused > 0 ? { untold: passed.refused } : {};
      logger.error({ ...about, err: error, ...untold }, 'a delivery was given up');
    },
  };
}
