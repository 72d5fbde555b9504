import type { SemaphoreBounds } from '../base/weighted-semaphore.js';
import type { SlotBounds } from './slots.js';

/** Bounds of deliveries, as `limits.deliveries` has them. */
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
