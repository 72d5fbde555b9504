import { luid } from '@countersign/protocol';
import type pg from 'pg';
import type { Runtime } from '../base/clock.js';
import type { LedgerClock } from '../base/ledger-clock.js';
import type { Metrics } from '../metrics.js';
import type { Signing } from '../signing/signing.js';
import { createHomes } from '../store/money/homes.js';
import type { OpenIntents } from '../store/money/open-intents.js';
import type { Store } from '../store/store.js';
import { createEngine, type Engine } from './engine.js';
import { createSettlerMetrics, watchOpenIntents } from './metrics.js';

/** What this process decides on intents with. */
export interface Money {
  readonly engine: Engine;
  readonly openIntents: OpenIntents;
}

export interface MoneyMeans {
  readonly store: Pick<Store, 'settle' | 'loadBooks' | 'openIntents'>;
  readonly runtime: Runtime;
  /** Moments of ledgers. */
  readonly moments: LedgerClock;
  readonly signing: Signing;
  /** Name of this process. */
  readonly holder: string;
  /** Whether requests can be sent to another process, of that name in the table of homes. */
  readonly reaches: (holder: string) => boolean;
  /** Says that another process is to decide on what was accepted. */
  readonly accepted: () => void;
  /** Says that deliveries were queued. */
  readonly queued: () => void;
  readonly metrics: Metrics;
}

export function createMoney(pool: pg.Pool, means: MoneyMeans): Money {
  const { store, runtime, moments, signing, holder, reaches, accepted, queued, metrics } = means;
  const { openIntents } = store;
  watchOpenIntents(metrics, openIntents.count, runtime.now);
  const engine = createEngine(
    {
      load: store.loadBooks,
      homes: createHomes(pool, holder),
      store: store.settle,
      signing,
      holder,
      clock: () => performance.now(),
      moments,
      newLuid: () => luid('wbl', Math.floor(runtime.now() / 1000), runtime.random(11)),
      reaches,
      accepted,
      queued,
      metrics: createSettlerMetrics(metrics),
    },
    openIntents,
  );
  return { engine, openIntents };
}
