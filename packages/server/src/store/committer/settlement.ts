import type { Need, NewDelivery, Write, WriteOutcome } from './write.js';

/** A balance as a batch leaves it; with `version` equal to `was` it was only read, and must still be so. */
export interface BalanceWrite {
  /** Luid. */
  readonly wallet: string;
  readonly symbol: string;
  /** The version in the database; 0 for a balance that does not exist yet. */
  readonly was: number;
  readonly version: number;
  readonly available: BalanceSide;
  /** Absent until the first debit. */
  readonly reserved?: BalanceSide | undefined;
}

/** One of the two rows of a balance that clients see. */
export interface BalanceSide {
  readonly amount: number;
  readonly luid: string;
  /** Of its last change, ISO 8601. */
  readonly moment: string;
  /** Whether it has changed since it was made. */
  readonly isChanged: boolean;
}

/** A movement: by what an intent changed a balance, and what it was then. */
export interface EntryWrite {
  readonly wallet: string;
  readonly symbol: string;
  /** Of the balance that it made. */
  readonly version: number;
  /** Luid of the intent, and number of the change that says so. */
  readonly intent: string;
  readonly change: number;
  readonly availableBy: number;
  readonly reservedBy: number;
  readonly available: number;
  readonly reserved?: number;
  readonly moment: string;
}

/** A limit as a batch leaves it; with `version` equal to `was` it was only read, and must still be so. */
export interface LimitWrite {
  readonly wallet: string;
  readonly symbol: string;
  readonly metric: string;
  /** Of the limit as it is served. One made anew, as of a symbol made anew, has another, and the same versions. */
  readonly luid: string;
  readonly was: number;
  readonly version: number;
  readonly amount: number;
  /** The UTC day that `used` counts for, as YYYY-MM-DD. */
  readonly day?: string;
  readonly used: number;
  /** As it is served. */
  readonly body: string;
}

/** An intent that stays open, as it is from now on. */
export interface OpenIntentWrite {
  readonly luid: string;
  readonly thread: string;
  /** The version in the database, 0 for a new one, and when it was due as it was read. */
  readonly was: number;
  readonly wasDue?: string;
  readonly due?: string;
  readonly deadline?: string;
  readonly stage: string;
  /** What it keeps from being dropped (store/money/holds.ts, `nameUse`). */
  readonly uses: readonly string[];
  /** JSON, with its authentication code. */
  readonly state: string;
  readonly mac: string;
}

/** The decisions of a batch, which are stored together or not at all. All are of one ledger. */
export interface Settlement {
  readonly ledger: number;
  readonly writes: readonly Write[];
  /** Records that the decisions rest on, each once. */
  readonly needs: readonly Need[];
  /** Each balance and limit once. */
  readonly balances: readonly BalanceWrite[];
  readonly entries: readonly EntryWrite[];
  readonly limits: readonly LimitWrite[];
  readonly opened: readonly OpenIntentWrite[];
  /** Luids of intents that are final now. */
  readonly closed: readonly string[];
  /** Calls of bridges, in their order, and the moment as of which they are queued (ISO 8601). */
  readonly calls: readonly NewDelivery[];
  readonly moment: string;
  /**
   * The process that decided, for how many milliseconds it stays the ledger's leader, and the moment of the last decision;
   * absent where nothing was decided.
   */
  readonly leader: { readonly holder: string; readonly lease: number; readonly moment: string } | undefined;
}

/** What became of a settlement. */
export interface Settled {
  /** Whether all of it was stored; nothing was otherwise. */
  readonly isStored: boolean;
  /** Whether the process still was the ledger's leader. */
  readonly isLeader: boolean;
  /** Of each write. `blocked`: nothing is wrong with the write itself. */
  readonly outcomes: readonly { readonly result: WriteOutcome['result'] | 'blocked'; readonly version: number }[];
}
