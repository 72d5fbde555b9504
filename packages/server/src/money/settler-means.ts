import type { LedgerClock } from '../base/ledger-clock.js';
import type { Signing } from '../signing/signing.js';
import type { Settled, Settlement } from '../store/committer/settlement.js';
import type { LoadBooks } from '../store/money/books.js';
import type { Homes } from '../store/money/homes.js';
import type { Outcomes } from './batch.js';

/** What settlers are built on. */
export interface SettlerMeans {
  readonly load: LoadBooks;
  readonly homes: Homes;
  readonly store: (settlement: Settlement) => Promise<Settled>;
  readonly signing: Signing;
  /** Name of this process in the table of homes. */
  readonly holder: string;
  /** Milliseconds of a monotonic clock: for leases. */
  readonly clock: () => number;
  /** Moments of ledgers. */
  readonly moments: LedgerClock;
  /** Makes the luid of a row of a balance or limit. */
  readonly newLuid: () => string;
  /** Whether requests can be sent to another process, of that name in the table of homes. */
  readonly reaches: (holder: string) => boolean;
  /** Another process is to decide on what was accepted. */
  readonly accepted: () => void;
  /** Deliveries were queued. */
  readonly queued: () => void;
  readonly metrics: SettlerMetrics;
}

export interface SettlerMetrics {
  /** A batch was stored. @param size intents that it was asked for */
  settled(size: number, outcomes: Outcomes): void;
  /** A batch was decided anew, since something it rested on had changed. */
  redone(): void;
  /** This process is the home of a ledger that another one was the home of. */
  movedHome(): void;
}
