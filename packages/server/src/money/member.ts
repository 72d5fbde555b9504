import type { StoredOpenIntent } from '../store/money/open-intents.js';
import type { Draft, DraftVersion } from './draft.js';
import type { Effect, IntentState } from './model.js';
import type { Prepared, PreparedForward } from './prepare.js';
import type { Parties } from './resolution/resolve.js';

/** An intent of a thread while it is decided on. */
export interface Member {
  readonly draft: Draft;
  state: IntentState;
  /** The UTC day on which it was counted against daily limits. */
  day?: string;
  /** Versions of which effects are told, each with the one told before. */
  readonly told: { readonly version: DraftVersion; readonly before: DraftVersion | undefined }[];
  /** The version at which its balances changed; absent while they have not. */
  settled?: DraftVersion;
  /** What was found for it, where this decision resolves it. */
  readonly prepared?: Prepared;
  /** What its credits are forwarded by, where an earlier decision has resolved it. */
  readonly forwards?: readonly PreparedForward[];
  /** The records that its claims led to, for the events it raises. */
  readonly parties: readonly Parties[];
  readonly calls: Call[];
  /** Its row among the intents under way; absent for a new one. */
  readonly row?: StoredOpenIntent;
}

/** A call to a bridge, with the intent as of a version: one that was just made, or that was stored before. */
export interface Call {
  readonly effect: Extract<Effect, { type: 'call' | 'notify' }>;
  readonly change: number;
}
