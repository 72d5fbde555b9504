import type { KindName } from '../../kinds/kind.js';
import type { HeldName } from '../money/holds.js';
import type { UniqueLabel } from './labeled.js';

/**
 * One change of one record, ready to be stored: the decision, and the state it rests on. Steps build it; only the
 * committer turns it into rows.
 */
export interface Write {
  readonly ledger: number;
  /** The version of the ledger's state the decision was made on. */
  readonly version: number;
  readonly action: 'create' | 'update' | 'drop' | 'erase';
  readonly kind: KindName;
  /** The key unique within the kind. */
  readonly key: string;
  readonly luid: string;
  /** Number of this change. An update or drop requires that the record is at the one before all that it stores. */
  readonly change: number;
  /** Versions before this one that the same write stores, oldest first. */
  readonly earlier?: readonly EarlierVersion[];
  /** ISO 8601 with milliseconds. */
  readonly moment: string;
  readonly hash: string;
  readonly status: string | undefined;
  readonly domain: string | undefined;
  readonly link: string | undefined;
  /** Whether a proof of the record is by the key in `link`. */
  readonly proven: boolean;
  /** Filter document of lists, as JSON: dotted path -> values found there, within the scope of ledger and kind. */
  readonly document: string;
  /** Data that lists judge access by before they fetch the record; undefined when too long to be kept beside it. */
  readonly judged?: string;
  /** The record as it is served. */
  readonly body: string;
  /** The client's proofs it rests on, as `useOf` names them, each once. All must be unused by other records. */
  readonly proofs: readonly string[];
  /** `proofs`, and the name that stays taken, as `erased_proof` has them: under the key of the ledger (integrity/veil.ts). */
  readonly veiled?: readonly string[];
  /** Public keys assumed to be unregistered. */
  readonly assumedUnregistered: readonly string[];
  /** Records that must exist. */
  readonly mustExist: readonly Need[];
  /** The version's authentication code. */
  readonly mac?: string;
  /** The leaves of all versions that it stores, with their code (integrity/log-leaves.ts). */
  readonly leaves: string;
  /** Whether it changes rules that other processes may have cached: the ledger's version rises. */
  readonly bumpsRules: boolean;
  /** Sealed values of secret references to store with the record. */
  readonly secrets?: readonly { readonly name: string; readonly sealed: Buffer }[];
  /** The write is stale while something of this exists. */
  readonly blockedBy?: Blockers;
  /** Labels that no other record of the kind may have. */
  readonly unique?: readonly UniqueLabel[];
  /** The key changes: taken when free. */
  readonly renames?: boolean;
  /** The intent that it changes is to be looked at: what is added may carry it on (interface/intents#reports). */
  readonly wakes?: boolean;
  /** Deliveries of the events that the change raises: stored with it, or not at all (outbox). */
  readonly deliveries?: readonly NewDelivery[];
}

/** What keeps a record from being dropped, or its fixed values from being changed. */
export interface Blockers {
  /** Records that name it, by kind and link. */
  readonly dependants?: readonly { readonly kind: KindName; readonly link: string }[] | undefined;
  /** What balances and intents under way name it by. */
  readonly money?: HeldName;
}

/** A record that must exist; with `luid` and `change`, in that version. */
export interface Need {
  readonly kind: KindName;
  readonly handle: string;
  readonly luid?: string;
  readonly change?: number;
}

/**
 * A version that is stored together with the later one of its write: number, action, authentication code, and the text
 * without the characters that it begins with in common with the later one (cut.ts).
 */
export interface EarlierVersion {
  readonly change: number;
  readonly action: 'create' | 'update';
  readonly cut: number;
  readonly body: string;
  readonly mac: string;
}

/** A delivery of an event to one receiver, or a call of a bridge for an intent, as it is queued. It is due at once. */
export interface NewDelivery {
  /** 17 characters: the luid without `$evd.`. */
  readonly handle: string;
  /** The effect that asks for it: luid, handle, and the version in force. A call has none. */
  readonly effect?: string;
  readonly effectHandle?: string;
  readonly effectChange?: number;
  /** What a call is for (interface/bridges#calls), and the handle of the entry that it is about; absent for an event. */
  readonly purpose?: 'prepare' | 'commit' | 'abort' | 'status';
  readonly entry?: string;
  /** Handle of the domain that the effect is in; absent for one at large. It decides which bridges show the delivery. */
  readonly effectDomain?: string;
  /** Handle of the bridge, for a call, and for an effect that leads to one. */
  readonly bridge?: string;
  /** Names the queue: deliveries of one queue wait for one another, others do not. */
  readonly target: string;
  /** Kind and handle of the record that the event is about; a dropped record has none. */
  readonly record: KindName;
  readonly linked?: string;
  /** The event as references into the history (events/event.ts), or the call (money/bridges.ts). */
  readonly event: string;
  /** Authentication code of all of this. */
  readonly mac: string;
}

/**
 * The outcome of a write.
 * `done`: stored.
 * `duplicated`: the key is taken.
 * `reused`: one of its proofs was used for another record; of a create the key may be taken as well.
 * `stale`: something it was decided on has changed (the record's version, the ledger's rules, a needed record, a
 * stranger who registered, a dependant or a balance that appeared): prepare it again.
 * `version` is the newest version of the ledger that the commit knows of, its own included.
 */
export interface WriteOutcome {
  readonly result: 'done' | 'duplicated' | 'reused' | 'stale';
  readonly version: number;
  /** The last moment of the ledger before the commit, milliseconds since 1970; absent where nobody has asked. */
  readonly newest?: number;
}
