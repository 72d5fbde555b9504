import type { MetricObject, MetricValue } from 'prom-client';

/** A metric as a process tells it to another. */
export type Counts = (MetricObject & { values: MetricValue<string>[]; aggregator: string })[];

/** What the primary tells a worker. Secrets travel this way and not in the environment, which others can read. */
export type ToWorker =
  | { readonly type: 'serve'; readonly databaseUrl: string; readonly masterKey: string; readonly worker: string }
  | { readonly type: 'stop' }
  | { readonly type: 'count'; readonly question: number }
  | { readonly type: 'counted'; readonly question: number; readonly text: string };

/** What a worker tells the primary. */
export type ToPrimary =
  /** It listens to messages; one sent earlier would be lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving' }
  /** It cannot serve, and ends. */
  | { readonly type: 'failed'; readonly why: string }
  /** Its event loop comes round: told once a second. */
  | { readonly type: 'alive' }
  /** A client of this worker asked for the metrics of all. */
  | { readonly type: 'collect'; readonly question: number }
  | { readonly type: 'counts'; readonly question: number; readonly counts: Counts };
