import type { MetricObject, MetricValue } from 'prom-client';
import type { SpentRates } from '../metering/tenant-rates.js';

/** A metric as one process sends it to another. */
export type Counts = (MetricObject & { values: MetricValue<string>[]; aggregator: string })[];

/** Messages from the primary to a worker. Secrets travel this way, since other users can read the environment. */
export type ToWorker =
  | {
      readonly type: 'serve';
      readonly databaseUrl: string;
      readonly masterKey: string;
      readonly worker: string;
      /** The folder in which the processes meet. */
      readonly siblings?: string;
    }
  | { readonly type: 'stop' }
  | SpentMessage
  | { readonly type: 'count'; readonly question: number };

/** What a worker has let through lately of what has a limit: told to the primary, which passes it on to the others. */
export interface SpentMessage {
  readonly type: 'spent';
  readonly spent: SpentRates;
}

/** Messages from a worker to the primary. */
export type ToPrimary =
  /** The worker listens to messages; earlier ones would be lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving' }
  /** The worker failed to serve, and exits. */
  | { readonly type: 'failed'; readonly why: string; readonly isDatabaseUnavailable: boolean }
  /** The worker's event loop comes round: sent once a second. */
  | { readonly type: 'alive' }
  | SpentMessage
  | { readonly type: 'counts'; readonly question: number; readonly counts: Counts };
