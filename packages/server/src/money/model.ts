import type { JsonObject } from '@countersign/protocol';
import type { Move } from '@countersign/protocol/trail';

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
export interface Failure {
  readonly reason: string;
  readonly detail: string;
}

/** What resolution fixed about an intent: nothing of it changes afterwards. */
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

/** What became of a part: `idle` until the bridge is asked. */
export type PartStatus = 'idle' | 'asked' | 'prepared' | 'failed' | 'committing' | 'committed' | 'aborting' | 'aborted';

/**
 * Where an intent stands.
 * `accepted`: stored, not resolved. `waiting`: for a permission. `debits`, `credits`: for the bridges of that side to
 * prepare. `held`: prepared, for a signer to decide. `prepared`: for the other intents of its thread.
 * `committing`: cleared, for bridges to commit. `aborting`: failed, for bridges to abort.
 */
export type Stage =
  | 'accepted'
  | 'waiting'
  | 'debits'
  | 'credits'
  | 'held'
  | 'prepared'
  | 'committing'
  | 'completed'
  | 'aborting'
  | 'rejected';

/** The state of an intent between two events. */
export interface IntentState {
  readonly stage: Stage;
  /** Absent until it is resolved, and for one that was not. */
  readonly plan?: Plan;
  /** By the order of `plan.parts`. */
  readonly parts: readonly PartStatus[];
  /** Indexes of the parts whose last call was given up, ascending: that is noted once. */
  readonly givenUp: readonly number[];
  /** Whether it was prepared, as its versions say from then on (`meta.routed`). */
  readonly isRouted: boolean;
  /** Why it fails, or has failed. */
  readonly failure?: Failure;
}

/** What a bridge says of a part. */
export type ReportStatus = 'prepared' | 'failed' | 'committed' | 'aborted';

/** What happens to an intent. */
export type IntentEvent =
  /** A claim leads to no wallet or symbol. */
  | { readonly type: 'unresolved'; readonly failure: Failure }
  /** `refusal`: a limit that it would exceed; judged only where it is permitted. */
  | { readonly type: 'resolved'; readonly plan: Plan; readonly isPermitted: boolean; readonly refusal?: Failure }
  /** A proof with the handle of a part. */
  | { readonly type: 'report'; readonly part: string; readonly status: ReportStatus }
  /** The last attempt of a call has failed. */
  | { readonly type: 'gave-up'; readonly part: string; readonly detail: string }
  | { readonly type: 'expired' }
  /** It is to commit, and a wallet has no room for its credits any more. */
  | { readonly type: 'full'; readonly failure: Failure }
  /** All intents of its thread are prepared, or one has failed. */
  | { readonly type: 'thread-prepared' }
  | { readonly type: 'thread-failed'; readonly failure: Failure }
  /** A signer decides on one that is held. */
  | { readonly type: 'decided'; readonly action: 'commit' | 'abort' };

/** A proof that the ledger is to make: `custom` without its moment. */
export interface PlannedProof {
  readonly by: 'system' | 'core';
  readonly custom: JsonObject;
  /** Served without `origin` and `signer` (interface/intents#trails). */
  readonly isBare?: true;
}

/** What follows from an event, in order. */
export type Effect =
  /**
   * A version to be stored: the proofs that it adds. `raises`: whether `intent-updated` tells of it. Those that do not are
   * steps on the way to the next: resolved, prepared by the core, routed, released by the core.
   */
  | {
      readonly type: 'version';
      readonly proofs: readonly PlannedProof[];
      readonly status: string;
      readonly isRouted: boolean;
      readonly raises: boolean;
    }
  /**
   * A change of balances, of all entries at once. `pending`: debits go from available to reserved. `void`: back.
   * `post`: debits leave (from reserved; from available for one that the ledger made to forward), credits arrive, limits
   * are set.
   */
  | { readonly type: 'move'; readonly move: Move }
  /** A call to the bridge of a part, with the intent as of the version before this effect. */
  | { readonly type: 'call'; readonly part: number; readonly verb: 'prepare' | 'commit' | 'abort' }
  /** The bridge is told of the intent's status, as of the version before this effect. */
  | { readonly type: 'notify'; readonly bridge: string }
  /** The ledger is to make the intents that forward credits (`Entry.forwardTo`). */
  | { readonly type: 'forward' };

/** The result of a step. */
export interface Step {
  readonly state: IntentState;
  readonly effects: readonly Effect[];
}
