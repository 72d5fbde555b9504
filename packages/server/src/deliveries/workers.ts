import type pg from 'pg';
import type { BackgroundWorker } from '../background/worker.js';
import type { Service } from '../ledgers/service.js';
import type { Metrics } from '../metrics.js';
import { createAccessTokens } from '../outbound/access-tokens.js';
import { createDeliveryStore } from '../store/outbox/deliveries.js';
import { hastenDeliveries } from '../store/outbox/set-aside.js';
import { DELIVER, type DeliverDeps, deliverEvents } from './deliver.js';
import type { DeliveryBounds } from './delivery-limits.js';
import { watchDeliveries } from './metrics.js';
import { RETRY_DELIVERIES, retryDeliveries } from './retries.js';
import { TAKE_UP_DELIVERIES, takeUpFurther } from './take-up.js';

/** What the workers of deliveries need beside the service. */
export interface WorkersDeps extends Pick<DeliverDeps, 'outbound' | 'logger'> {
  readonly pools: { readonly deliveries: pg.Pool; readonly others: pg.Pool };
  readonly metrics: Metrics;
  readonly bounds: DeliveryBounds;
  /** Called when deliveries have become due. */
  readonly deliveriesQueued: () => void;
  /** Called when deliveries that were set aside may be due. */
  readonly goOn: () => void;
}

/** What wakes each of the workers. @param hint wakes the worker of that name */
export function deliveryHints(hint: (worker: string) => () => void) {
  return { deliveriesQueued: hint(DELIVER), retriesQueued: hint(RETRY_DELIVERIES), goOn: hint(TAKE_UP_DELIVERIES) };
}

/** The workers that deliver, and that make deliveries due again; and the access tokens that bridges are called with. */
export function createDeliveryWorkers(service: Service, deps: WorkersDeps): BackgroundWorker[] {
  const { pools, metrics, outbound, logger, bounds, deliveriesQueued, goOn } = deps;
  const { now } = service.runtime;
  const store = createDeliveryStore(pools.deliveries);
  watchDeliveries(metrics, store.waiting, now);
  const fetched = metrics.tokenFetched;
  const accessTokens = createAccessTokens({ outbound, now, fetched, calls: bounds.slots });
  const deliver = { store, outbound, metrics: metrics.deliveries, logger, bounds, goOn };
  return [
    deliverEvents({ ...service, accessTokens }, deliver),
    retryDeliveries(pools.others, now, deliveriesQueued),
    takeUpFurther(pools.others, now, bounds, deliveriesQueued),
  ];
}

/**
 * Has deliveries of an effect that was dropped, or taken out of use, end soon where they were set aside. Should that fail, they end when
 * they are taken up.
 */
export function endSoon(pool: pg.Pool, now: () => number, goOn: () => void): Service['effectEnded'] {
  return (ledger, luid) => void hastenDeliveries(pool, ledger, luid, new Date(now())).then(goOn, () => {});
}
