import type { SemaphoreBounds } from '../base/weighted-semaphore.js';
import type { SlotBounds } from './slots.js';

/** Deliveries of events, and calls of bridges for intents. */
export const deliveryLimits = {
  /** Attempts under way of one process, and of one ledger. */
  slots: { process: 1_024, ledger: 256 },
  /** Attempts of one queue at a time: at first, and what these grow to while they succeed. */
  width: { first: 2, greatest: 32 },
  /** Milliseconds of one attempt. */
  attempt: 15_000,
  /** Milliseconds of one call of a bridge for an intent. */
  call: 60_000,
  /** Characters of the last refusal of such a call that are shown. */
  shown: 2_000,
  /** Milliseconds of one run of a queue. */
  run: 30_000,
  /** Milliseconds that a run waits for more when its queue is empty. */
  linger: 250,
  /** Milliseconds in which no attempt of a run begins or ends, after which its attempts count as hanging. */
  hangs: 250,
  /** Milliseconds between two looks for due queues: the most that a lost hint delays a delivery. */
  every: 250,
  /** Queues that one process runs. */
  concurrency: 1_024,
  /** Those of one ledger. */
  each: 256,
  /** Milliseconds for which a delivery is attempted after its first attempts, unless `DELIVERY_RETRY_HOURS` says otherwise. */
  retryFor: 72 * 3_600_000,
  /** Characters of versions that are kept. */
  kept: 4 * 1024 * 1024,
  /** Characters of a short version. */
  short: 32 * 1024,
  long: {
    /** Bytes of longer events that the attempts of one process hold at a time. */
    process: 128 * 1024 * 1024,
    /** Of these, the bytes that the attempts of one ledger hold. */
    ledger: 32 * 1024 * 1024,
    /** Attempts of one ledger that may wait for such bytes. */
    waiting: 1_000,
    /** Milliseconds that an attempt waits for such bytes at most. */
    patience: 10_000,
  },
  lines: {
    /** Failures that one process logs within a window. */
    count: 60,
    /** Milliseconds of that window. */
    window: 60_000,
  },
} as const;

/** Bounds of deliveries, as `deliveryLimits` has them. */
export interface DeliveryBounds {
  readonly slots: SlotBounds;
  readonly width: { readonly first: number; readonly greatest: number };
  readonly attempt: number;
  readonly call: number;
  readonly run: number;
  readonly linger: number;
  readonly hangs: number;
  readonly every: number;
  readonly concurrency: number;
  readonly each: number;
  readonly long: SemaphoreBounds;
  /** Milliseconds for which attempts are made after the first ones; 0 for none. */
  readonly retryFor: number;
}
