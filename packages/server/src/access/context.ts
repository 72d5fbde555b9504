import type { JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import type { AccessEntry, AccessValue, NameMatcher, RecordName, Rule } from './rules.js';

/** An access policy (interface/policies#access-policies). */
export interface AccessPolicy {
  readonly handle: string;
  /** A policy of a schema other than `access` grants nothing. */
  readonly schema?: string;
  readonly status?: string;
  /** What values without a `record` are about. */
  readonly record?: NameMatcher<RecordName>;
  readonly values: readonly AccessValue[];
  readonly extend?: string | readonly string[];
  /** The domain it is in: it counts for records there and below only. */
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
  /** False for a create: neither its own access nor its owners count. */
  readonly exists: boolean;
  /**
   * How much of it is known, where that is not everything: nothing but members of its `data` that say its name, or all
   * of `data`; and of `meta` what is there. What is absent is then unknown, and not absent. `index`: what lists have of it
   * before they fetch it, which is its name and all of `meta`.
   */
  readonly known?: 'name' | 'data' | 'index';
}

/** A right: an action on a kind of record. */
export interface Right {
  readonly action: string;
  readonly record: string;
}

/** What kinds of record change in how rules are read. */
export interface RightTerms {
  /** The right that an action on a kind needs on another kind, where either allows it: by record, then by action. */
  readonly alike: ReadonlyMap<string, ReadonlyMap<string, Right>>;
  /** The names of proofs (`intent-proof`) that the right to update the record does not allow. */
  readonly ownProofs: ReadonlySet<string>;
}

/** What a decision is made on, beside the caller: all of it as stored at this moment. */
export interface Context {
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
  /** Absent when the action is about no one record, as a list. */
  readonly subject?: Subject;
  /** Handles of the domains whose signers count as what their records say; those of `domains` unless given. */
  readonly signersOf?: readonly string[];
  /**
   * Whether the named condition of a policy value is fulfilled; without it none is (interface/policies#access-policies).
   */
  readonly invoke?: (name: string) => boolean;
  readonly terms: RightTerms;
  /** Charged for every rule that is looked at. */
  readonly cost: Cost;
  /** Takes filters on what is not known as fulfilled: it is asked whether finding out could lead to a grant. */
  readonly hopeful?: true;
}
