import type { BackOff } from '../base/back-off.js';
import type { BackgroundMetrics } from '../metrics.js';
import type { Leases } from '../store/queries/leases.js';
import type { WorkerFailure } from './failures.js';
import type { Heartbeat } from './heartbeat.js';

/** Bounds of background work, as `backgroundLimits` has them. */
export interface BackgroundBounds {
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
export interface WorkerDeps {
  readonly leases: Leases;
  readonly heartbeat: Heartbeat;
  readonly metrics: BackgroundMetrics;
  readonly failed: (failure: WorkerFailure) => void;
  readonly bounds: BackgroundBounds;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** Whether no units are claimed for now. */
  readonly isPaused: () => boolean;
  /** A mutex for looks for due units: it leaves a connection for renewals. */
  readonly inTurn: <T>(look: () => Promise<T>) => Promise<T>;
}
