import { textArray } from '../arrays/text-array.js';
import type { Settles } from './settle-sql.js';
import type { Need, NewDelivery, Outcome, Write } from './write.js';

/** A balance as a batch leaves it; with `version` equal to `was` it was only read, and must still be so. */
export interface BalanceWrite {
  /** Luid. */
  readonly wallet: string;
  readonly symbol: string;
  /** The version in the database; 0 for a balance that does not exist yet. */
  readonly was: number;
  readonly version: number;
  readonly available: BalanceRow;
  /** Absent until the first debit. */
  readonly reserved?: BalanceRow | undefined;
}

/** One of the two rows of a balance that clients see. */
export interface BalanceRow {
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
  readonly reserved?: number | undefined;
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
  readonly day?: string | undefined;
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
  readonly wasDue?: string | undefined;
  readonly due?: string | undefined;
  readonly deadline?: string | undefined;
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
   * The process that decided, for how many milliseconds it stays the ledger's home, and the moment of the last decision;
   * absent where nothing was decided.
   */
  readonly home: { readonly holder: string; readonly lease: number; readonly moment: string } | undefined;
}

/** What became of a settlement. */
export interface Settled {
  /** Whether all of it was stored; nothing was otherwise. */
  readonly isStored: boolean;
  /** Whether the process still was the ledger's home. */
  readonly isHome: boolean;
  /** Whether balances and limits were as they were read; of balances that move, as far as nothing else stood in the way. */
  readonly isBalanced: boolean;
  /** Of each write. `blocked`: nothing is wrong with the write itself. */
  readonly outcomes: readonly { readonly result: Outcome['result'] | 'blocked'; readonly version: number }[];
}

/** The parts of the statement that the settlement needs. */
export function settlesOf({ balances, limits, opened, closed, calls }: Settlement): Settles {
  return {
    balance: balances.some(({ was }) => was === 0),
    limit: limits.length > 0,
    open: opened.length > 0 || closed.length > 0,
    call: calls.length > 0,
  };
}

/** The parameters of those parts, in the order of `settleFirst`. */
export function settlementColumns(settlement: Settlement): unknown[] {
  const { writes, home } = settlement;
  const earlier = writes.flatMap((write) => write.earlier ?? []);
  const { limit, open, call } = settlesOf(settlement);
  return [
    home?.holder ?? null,
    home?.lease ?? 0,
    home?.moment ?? null,
    writes.flatMap((write, ord) => (write.earlier ?? []).map(() => ord)),
    earlier.map((one) => one.change),
    earlier.map((one) => one.action),
    earlier.map((one) => one.cut),
    textArray(earlier.map((one) => one.body)),
    earlier.map((one) => one.mac),
    ...movementColumns(settlement),
    ...(limit ? limitColumns(settlement) : []),
    ...(open ? openColumns(settlement) : []),
    ...(call ? callColumns(settlement) : []),
  ];
}

function movementColumns({ balances, entries }: Settlement): unknown[] {
  return [
    balances.map((one) => one.wallet),
    balances.map((one) => one.symbol),
    balances.map((one) => one.was),
    balances.map((one) => one.version),
    balances.map((one) => one.available.amount),
    balances.map((one) => one.available.luid),
    balances.map((one) => one.available.moment),
    balances.map((one) => one.available.isChanged),
    balances.map((one) => one.reserved?.amount ?? null),
    balances.map((one) => one.reserved?.luid ?? null),
    balances.map((one) => one.reserved?.moment ?? null),
    balances.map((one) => one.reserved?.isChanged ?? null),
    entries.map((one) => one.wallet),
    entries.map((one) => one.symbol),
    entries.map((one) => one.version),
    entries.map((one) => one.intent),
    entries.map((one) => one.change),
    entries.map((one) => one.availableBy),
    entries.map((one) => one.reservedBy),
    entries.map((one) => one.available),
    entries.map((one) => one.reserved ?? null),
    entries.map((one) => one.moment),
  ];
}

function limitColumns({ limits }: Settlement): unknown[] {
  return [
    limits.map((one) => one.wallet),
    limits.map((one) => one.symbol),
    limits.map((one) => one.metric),
    limits.map((one) => one.luid),
    limits.map((one) => one.was),
    limits.map((one) => one.version),
    limits.map((one) => one.amount),
    limits.map((one) => one.day ?? null),
    limits.map((one) => one.used),
    textArray(limits.map((one) => one.body)),
  ];
}

function openColumns({ opened, closed }: Settlement): unknown[] {
  return [
    opened.map((one) => one.luid),
    opened.map((one) => one.thread),
    opened.map((one) => one.was),
    opened.map((one) => one.wasDue ?? null),
    opened.map((one) => one.due ?? null),
    opened.map((one) => one.deadline ?? null),
    opened.map((one) => one.stage),
    opened.map((one) => `{${one.uses.map((use) => JSON.stringify(use)).join(',')}}`),
    textArray(opened.map((one) => one.state)),
    opened.map((one) => one.mac),
    closed,
  ];
}

function callColumns({ calls, moment }: Settlement): unknown[] {
  return [
    calls.map((_, index) => index),
    calls.map((one) => one.handle),
    calls.map((one) => one.purpose),
    calls.map((one) => one.entry ?? null),
    calls.map((one) => one.bridge),
    calls.map((one) => one.target),
    calls.map((one) => one.record),
    calls.map((one) => one.linked),
    textArray(calls.map((one) => one.event)),
    calls.map((one) => one.mac),
    calls.map(() => moment),
  ];
}
