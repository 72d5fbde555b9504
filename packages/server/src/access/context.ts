import type { JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import type { AccessEntry, AccessValue, MatcherOf, RecordName, Rule } from './rules.js';

/** An access policy (interface/policies#access-policies). */
export interface AccessPolicy {
  readonly handle: string;
  /** Only policies of schema `access` grant. */
  readonly schema?: string;
  readonly status?: string;
  /** The `record` of values that have none. */
  readonly record?: MatcherOf<RecordName>;
  readonly values: readonly AccessValue[];
  readonly extend?: string | readonly string[];
  /** The domain it is in: it counts only for records there and below. */
  readonly domain?: string;
}

/** The record an action is about. */
export interface Subject {
  readonly kind: string;
  readonly access: readonly AccessEntry[];
  /** Public keys. */
  readonly owners: readonly string[];
  readonly data: JsonObject;
  readonly meta: {
    readonly status?: string;
    readonly domain?: string;
    readonly labels?: readonly string[];
    readonly thread?: string;
  };
  /** False for a create: the access and owners of the record then do not count yet. */
  readonly exists: boolean;
  /**
   * The part of the record that is known; unset when all of it is. Absent members outside that part are unknown.
   * - `name`: the members of `data` that hold its name, and the members of `meta` that are present;
   * - `data`: all of `data`, and the members of `meta` that are present;
   * - `index` (the entry that lists read first): the name, and all of `meta`.
   */
  readonly known?: 'name' | 'data' | 'index';
}

/** A right: an action on a kind of record. */
export interface Right {
  readonly action: string;
  readonly record: string;
}

/** How kinds of record change the meaning of rules. */
export interface RightTerms {
  /** A second right that allows the same operation, on another kind: by record, then by action. */
  readonly alike: ReadonlyMap<string, ReadonlyMap<string, Right>>;
  /**
   * The names of proofs (`intent-proof`) that need a right of their own: the right to update the record is not enough.
   */
  readonly ownProofs: ReadonlySet<string>;
}

/** What a decision rests on beside the caller, all as stored at this moment. */
export interface AccessContext {
  readonly ledger: {
    readonly access: readonly AccessEntry[];
    /** Public keys. */
    readonly owners: readonly string[];
    /** Whether `config["access.strategy"]` is `policy-based`. */
    readonly policyBased: boolean;
  };
  /** By handle. */
  readonly policies: ReadonlyMap<string, AccessPolicy>;
  /** The rules of the deployment. */
  readonly server: readonly Rule[];
  /** The domain the subject is in (or is to join), then those above it. */
  readonly domains: readonly { readonly handle: string; readonly access: readonly AccessEntry[] }[];
  /** Absent when the action is about the kind as a whole, as a list is. */
  readonly subject?: Subject;
  /** Domains whose signers rules may match by schema, custom data and patterns; those of `domains` unless given. */
  readonly signersOf?: readonly string[];
  /**
   * Whether the named condition of a policy value is fulfilled; absent, every condition fails
   * (interface/policies#access-policies).
   */
  readonly invoke?: (name: string) => boolean;
  readonly terms: RightTerms;
  /** Charged for every rule that is read. */
  readonly cost: Cost;
  /** Counts filters on unknown members as fulfilled: asks whether fetching the record could lead to a grant. */
  readonly hopeful?: true;
}
