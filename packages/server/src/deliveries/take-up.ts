import type pg from 'pg';
import type { BackgroundWorker } from '../background/worker.js';
import { DUE_ASIDE, takeUpDeliveries } from '../store/outbox/set-aside.js';
import type { DeliveryBounds } from './delivery-limits.js';

/** Name of the worker, which hints are sent to. */
export const TAKE_UP_DELIVERIES = 'take-up-deliveries';

/**
 * Takes up deliveries that were set aside (interface/effects#further-attempts): of a queue one at a time while they fail, and
 * twice as many as have ended while they do.
 *
 * @param now milliseconds since 1970, as deliveries are due by
 * @param bounds how often to look, and after how many milliseconds one that was set aside ends
 * @param deliveriesQueued called when deliveries have become due
 */
export function takeUpFurther(
  pool: pg.Pool,
  now: () => number,
  { every, retryFor }: Pick<DeliveryBounds, 'every' | 'retryFor'>,
  deliveriesQueued: () => void,
): BackgroundWorker {
  return {
    name: TAKE_UP_DELIVERIES,
    due: DUE_ASIDE,
    every,
    rest: 0,
    timeout: 60_000,
    concurrency: 1,
    each: 1,
    async run({ ledger }) {
      const count = await takeUpDeliveries(pool, ledger, new Date(now()), new Date(now() - retryFor));
      if (count > 0) deliveriesQueued();
    },
  };
}
