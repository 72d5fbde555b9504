import type { KindName } from '../../kinds/kind.js';

/**
 * One change of one record, ready to be stored: all that was decided, and all it was decided on. Steps build it; only
 * the committer turns it into rows.
 */
export interface Write {
  readonly ledger: number;
  /** The version of the ledger's state the decision was made on. */
  readonly version: number;
  readonly action: 'create' | 'update' | 'drop';
  readonly kind: KindName;
  /** The key unique within the kind. */
  readonly key: string;
  readonly luid: string;
  /** Number of this change. An update or drop is stored only when the record is at `change - 1`. */
  readonly change: number;
  /** ISO 8601 with milliseconds. */
  readonly moment: string;
  readonly hash: string;
  readonly status: string | undefined;
  readonly domain: string | undefined;
  readonly link: string | undefined;
  /** Whether a proof of the record is by the key that `link` is. */
  readonly proven: boolean;
  /** What lists filter by, as JSON: dotted path -> values found there, within the scope of ledger and kind. */
  readonly document: string;
  /** What lists judge access by before they fetch the record; nothing when it is too long to be kept beside it. */
  readonly judged?: string | undefined;
  /** The record as it is served. */
  readonly body: string;
  /** The client's proofs it rests on, as `useOf` names them, each once. None of them may have been used for another record. */
  readonly proofs: readonly string[];
  /** Public keys taken to belong to no signer. */
  readonly strangers: readonly string[];
  /** Records that must exist. */
  readonly needs: readonly { readonly kind: KindName; readonly handle: string }[];
  /** The version's authentication code. */
  readonly mac?: string;
  /** Whether the write changes what other processes may have cached of the ledger. */
  readonly decides: boolean;
  /** Sealed values of secret references to keep with the record. */
  readonly secrets?: readonly { readonly name: string; readonly sealed: Buffer }[];
  /** Records that refuse this write as long as one exists: (kind, link). */
  readonly unless?: readonly { readonly kind: KindName; readonly link: string }[];
  /** The key changes: taken when free. */
  readonly renames?: boolean;
}

/**
 * What became of a write.
 * `done`: stored. `duplicated`: the key is taken. `reused`: one of its proofs was used for another record; of a create
 * the key may be taken all the same. `stale`: something it was decided on has changed (the record's
 * version, the ledger's rules, a record it needs, a stranger who registered, a dependant that appeared): prepare it
 * anew. `version` is the newest version of the ledger that the commit knows of, the one it made included.
 */
export interface Outcome {
  readonly result: 'done' | 'duplicated' | 'reused' | 'stale';
  readonly version: number;
}
