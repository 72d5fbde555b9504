import type pg from 'pg';
import type { BackgroundWorker } from '../background/worker.js';
import { DUE_RETRIES, resendPiece } from '../store/outbox/delivery-retries.js';
import { retryLimits } from '../store/outbox/outbox-limits.js';

/** Name of the worker, which hints are sent to. */
export const RETRY_DELIVERIES = 'retry-deliveries';

/**
 * Works off requests to send deliveries again (interface/effects#retry), in pieces: those of one ledger take turns, so a
 * request for a few deliveries is done beside one for a million.
 *
 * @param now milliseconds since 1970, as deliveries are due by
 * @param deliveriesQueued called when deliveries have become due
 */
export function retryDeliveries(pool: pg.Pool, now: () => number, deliveriesQueued: () => void): BackgroundWorker {
  return {
    name: RETRY_DELIVERIES,
    due: DUE_RETRIES,
    every: 5_000,
    rest: 0,
    timeout: 60_000,
    concurrency: 1,
    each: 1,
    async run({ ledger }, signal) {
      for (let pieces = 0; pieces < retryLimits.pieces; pieces += 1) {
        const count = await resendPiece(pool, ledger, new Date(now()), signal);
        if (count === undefined) break;
        if (count > 0) deliveriesQueued();
      }
    },
  };
}
