import type { BackOff } from '../base/back-off.js';
import type { BackgroundMetrics } from '../metrics.js';
import type { Leases } from '../store/queries/leases.js';
import type { Failure } from './failures.js';
import type { Heartbeat } from './heartbeat.js';

/** Bounds of background work, as `limits.background` has them. */
export interface Bounds {
  readonly lease: number;
  readonly beat: number;
  readonly pause: number;
  readonly jitter: number;
  readonly hint: number;
  readonly drain: number;
  readonly grace: number;
  readonly retry: BackOff;
  readonly reconnect: BackOff;
}

/** What all workers of a process share. */
export interface Shared {
  readonly leases: Leases;
  readonly heartbeat: Heartbeat;
  readonly metrics: BackgroundMetrics;
  readonly failed: (failure: Failure) => void;
  readonly bounds: Bounds;
  /** Milliseconds that pass, whatever the time of day is. */
  readonly clock: () => number;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Runs one look for due units at a time, so that a connection is left for renewals. */
  readonly inTurn: <T>(look: () => Promise<T>) => Promise<T>;
}
