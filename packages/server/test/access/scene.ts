import type { Caller, CallerKey, SignerFacts } from '../../src/access/caller.js';
import type { AccessContext, AccessPolicy, Subject } from '../../src/access/context.js';
import type { AccessEntry, AccessValue, Rule } from '../../src/access/rules.js';
import { rightTerms } from '../../src/kinds/registry.js';
import { UNBOUNDED } from '../../src/metering/task.js';

/** A key that no signer record has. */
export function bare(name: string): CallerKey {
  return { public: `${name}-key` };
}

/** The key of the registered signer of that name. */
export function registered(name: string, facts: Partial<SignerFacts> = {}): CallerKey {
  const key = `${name}-key`;
  return { public: key, signer: { handle: name, public: key, format: 'ed25519-raw', circles: [], ...facts } };
}

export const nobody: Caller = { proofs: [] };

/** Who signed the request. */
export function signs(...proofs: CallerKey[]): Caller {
  return { proofs };
}

/** Who sends a provider's token and no proof; `claims` come on top of those every token has. */
export function bears(key: CallerKey | undefined, claims: Record<string, string> = {}): Caller {
  const all = { iss: 'idp', sub: 'user', aud: 'acme', ...claims };
  return { proofs: [], token: { claims: all, isProvided: true, ...(key ? { key } : {}) } };
}

export interface Parts {
  ledger?: readonly AccessEntry[];
  owners?: readonly string[];
  server?: readonly Rule[];
  domains?: Record<string, readonly AccessEntry[]>;
  policies?: readonly AccessPolicy[];
  policyBased?: boolean;
  subject?: Subject;
  invoke?: (name: string) => boolean;
  hopeful?: true;
}

export function context(parts: Parts = {}): AccessContext {
  const { ledger = [], owners = [], server = [], domains = {}, policies = [], policyBased = false } = parts;
  return {
    ledger: { access: ledger, owners, policyBased },
    policies: new Map(policies.map((policy) => [policy.handle, policy])),
    server,
    terms: rightTerms,
    domains: Object.entries(domains).map(([handle, access]) => ({ handle, access })),
    ...(parts.subject ? { subject: parts.subject } : {}),
    ...(parts.invoke ? { invoke: parts.invoke } : {}),
    cost: UNBOUNDED,
    ...(parts.hopeful ? { hopeful: parts.hopeful } : {}),
  };
}

/** A stored record with those rules. */
export function stored(kind: string, access: readonly AccessEntry[] = [], rest: Partial<Subject> = {}): Subject {
  return { kind, access, owners: [], data: { handle: 'one' }, meta: {}, exists: true, ...rest };
}

/** A record about to be made, whose body has those rules. */
export function coming(kind: string, access: readonly AccessEntry[] = [], rest: Partial<Subject> = {}): Subject {
  return stored(kind, access, { exists: false, ...rest });
}

export function policy(handle: string, values: readonly AccessValue[], rest: Partial<AccessPolicy> = {}): AccessPolicy {
  return { handle, schema: 'access', values, ...rest };
}
