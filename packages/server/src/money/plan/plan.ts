import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Place } from '../../store/money/books.js';

/** A current record and the number of its version. */
export interface CurrentRecord {
  readonly record: RecordEnvelope;
  readonly change: number;
}

/** A wallet, symbol or bridge in the version that a decision rests on: the commit verifies that it is still current. */
export interface Named {
  readonly kind: 'wallet' | 'symbol' | 'bridge';
  readonly handle: string;
  readonly luid: string;
  readonly change: number;
}

export type Side = 'debit' | 'credit';

/** One side of a claim: an amount that leaves a wallet, or reaches one (interface/intents#entries). */
export interface Entry {
  /** `deb_` or `cre_` and 17 characters. */
  readonly handle: string;
  readonly side: Side;
  /** Index of the claim. */
  readonly claim: number;
  /** Handle and luid of the wallet that routes and addresses led to. */
  readonly wallet: string;
  readonly luid: string;
  readonly symbol: string;
  /** Greater than 0, in 1/factor units of the symbol. */
  readonly amount: number;
  /** Handle of the wallet's bridge. */
  readonly bridge?: string;
  /** Where a `forward` route sends the amount on: the address of the intent that follows. */
  readonly forwardTo?: string;
}

export type Metric = 'minBalance' | 'maxBalance' | 'dailyAmount' | 'dailyCount';

/** A claim that sets a limit on a wallet. */
export interface LimitClaim {
  readonly claim: number;
  readonly wallet: string;
  readonly luid: string;
  readonly symbol: string;
  readonly metric: Metric;
  /** Any integer. */
  readonly amount: number;
}

/** What one call asks of a bridge: an entry, or several of one side grouped (interface/bridges#grouping). */
export interface Part {
  /** Handle of the entry, or one of its own for a group. */
  readonly handle: string;
  readonly side: Side;
  /** Handle of the bridge. */
  readonly bridge: string;
  /** Indexes of entries. */
  readonly entries: readonly number[];
}

/** Why an intent fails, as its `failed` proof says it. */
export interface IntentFailure {
  readonly reason: string;
  readonly detail: string;
}

/** What its claims come to: nothing of it changes once the intent is resolved. */
export interface Plan {
  /** Handle of the intent. */
  readonly intent: string;
  readonly entries: readonly Entry[];
  readonly limits: readonly LimitClaim[];
  /** The calls to bridges; empty for an intent that the ledger settles alone. */
  readonly parts: readonly Part[];
  /** Whether the ledger itself made it to forward a credit (interface/intents#forwarding): the core has no part in it. */
  readonly isForward: boolean;
  /** Whether it holds at `prepared` until a signer decides (`config.commit: manual`). */
  readonly isManual: boolean;
}

/** The records that a claim led to. */
export interface Parties {
  /** The wallet that the source's address leads to, and the one that is debited. */
  readonly source?: CurrentRecord;
  readonly debited?: CurrentRecord;
  /** The wallet that is credited. */
  readonly credited?: CurrentRecord;
  /** The wallet that a limit is set on. */
  readonly wallet?: CurrentRecord;
  readonly symbol: CurrentRecord;
}

/** A plan with what it was made of, or why there is none. It rests on records whose versions the commit compares. */
export interface Planned {
  readonly outcome: Plan | IntentFailure;
  readonly isPermitted: boolean;
  /** The records that it rests on, those of its forwards included. */
  readonly needs: readonly Named[];
  /** By the order of claims; empty for one that does not resolve. */
  readonly parties: readonly Parties[];
  /** The intents that forward its credits, as they would be made. */
  readonly forwards: readonly Forward[];
}

/** An intent of the ledger's own that forwards a credit (interface/intents#forwarding). */
export interface Forward extends Planned {
  readonly data: JsonObject;
  readonly hash: string;
  /** Of the wallets that it names. */
  readonly domains: readonly string[];
}

/** The balances that a decision on a plan may read. */
export function placesOf({ entries, limits }: Plan): Place[] {
  return [...entries, ...limits].map(({ luid, symbol }) => ({ wallet: luid, symbol }));
}

/** Those of intents that are still to be resolved, and of what forwards their credits. */
export function placesOfPlanned({ outcome, forwards }: Planned): Place[] {
  const own = 'entries' in outcome ? placesOf(outcome) : [];
  return [...own, ...forwards.flatMap(placesOfPlanned)];
}
