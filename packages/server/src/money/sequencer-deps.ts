import type { LedgerClock } from '../base/ledger-clock.js';
import type { Signing } from '../signing/signing.js';
import type { Settled, Settlement } from '../store/committer/settlement.js';
import type { LoadBooks } from '../store/money/books.js';
import type { LeadershipDeps } from './leader.js';
import type { SequencerMetrics } from './metrics.js';
import type { RecordCache } from './plan/known-records.js';

/** What sequencers are built on. */
export interface SequencerDeps extends LeadershipDeps {
  readonly load: LoadBooks;
  readonly records: RecordCache;
  readonly store: (settlement: Settlement) => Promise<Settled>;
  readonly signing: Signing;
  /** Name of this process among leaders. */
  readonly holder: string;
  /** Moments of ledgers. */
  readonly moments: LedgerClock;
  /** Makes the luid of a row of a balance or limit. */
  readonly newLuid: () => string;
  /** Whether requests can be sent to another process, of that name among leaders. */
  readonly reaches: (holder: string) => boolean;
  /** Another process is to decide on what was accepted. */
  readonly accepted: () => void;
  /** Deliveries were queued. */
  readonly queued: () => void;
  readonly metrics: SequencerMetrics;
}
