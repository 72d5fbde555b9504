import type { Cost } from '../metering/cost.js';
import { accessLimits } from './access-limits.js';
import type { AccessContext, AccessPolicy, Right } from './context.js';
import { actionMatches, matcherSteps, nameMatches } from './matchers.js';
import type { AccessEntry, AccessValue, PolicyReference } from './rules.js';

/**
 * Where a rule stands; `policy` under the policy-based strategy only (interface/access#levels,
 * interface/access#policy-based-access).
 */
export type Level = 'record' | 'domain' | 'ledger' | 'server' | 'policy';

/** A rule that counts, and where it was found. */
export interface ApplicableRule {
  readonly level: Level;
  /** Index of the entry in its list; at level `policy`, of the value in its policy. */
  readonly index: number;
  /** The access policy whose value it is. */
  readonly policy?: string;
  /** Takes the policy's `record` where the value omits it. */
  readonly rule: AccessValue;
}

/**
 * Every rule that counts, from the record outwards (interface/access#levels). Under policies: the values about one of
 * `rights` (interface/policies#access-policies).
 */
export function* applicableRules(rights: readonly Right[], context: AccessContext): Generator<ApplicableRule> {
  const { ledger, server, subject } = context;
  if (ledger.policyBased) {
    yield* policyBased(rights, context);
    return;
  }
  // The rules of a ledger record are the ledger's own: they count once.
  if (subject?.exists && subject.kind !== 'ledger') yield* entries('record', subject.access, context);
  for (const domain of selectDomains(context)) {
    context.cost.spend(DOMAIN_STEPS);
    yield* entries('domain', domain.access, context);
  }
  yield* entries('ledger', ledger.access, context);
  yield* entries('server', server, context);
}

/** Steps per domain, and per rule beside its matchers. */
const DOMAIN_STEPS = 5;
const RULE_STEPS = 3;

function ruleCost({ action, record }: AccessValue): number {
  return RULE_STEPS + matcherSteps(action) + matcherSteps(record);
}

/** The domains whose rules and policies count. Domain records inherit nothing (interface/access#levels). */
function selectDomains({ domains, subject }: AccessContext): AccessContext['domains'] {
  return subject?.kind === 'domain' ? [] : domains;
}

/**
 * The rules, with each reference replaced by the values it stands for, whatever the policy's status
 * (interface/policies#access-policies).
 */
function* entries(level: Level, access: readonly AccessEntry[], context: AccessContext): Generator<ApplicableRule> {
  const seen = new Set<string>();
  const domains = selectDomains(context);
  for (const [index, entry] of access.entries()) {
    if (!isPolicyReference(entry)) {
      context.cost.spend(ruleCost(entry));
      yield { level, index, rule: entry };
      continue;
    }
    for (const policy of withExtended(listPolicyHandles(entry.policy), context.policies, domains, seen, context.cost)) {
      for (const value of policy.values) {
        const rule = withRecord(value, policy);
        context.cost.spend(ruleCost(rule));
        yield { level, index, policy: policy.handle, rule };
      }
    }
  }
}

/**
 * The values of active access policies, and of those they extend in any status (interface/access#policy-based-access).
 */
function* policyBased(rights: readonly Right[], context: AccessContext): Generator<ApplicableRule> {
  const { policies, cost } = context;
  if (!opensLedger(policies, cost)) yield* OWNERS_RIGHTS;
  for (const applicable of policyValuesAbout(rights, policies, selectDomains(context), cost)) {
    cost.spend(ruleCost(applicable.rule));
    yield applicable;
  }
}

/**
 * The rights of owners while no policy lets anyone into the ledger: else it could never be changed again. They suffice to
 * create or activate a policy (docs/interface/domains.md).
 */
const OWNERS_RIGHTS: readonly ApplicableRule[] = [
  {
    level: 'ledger',
    index: 0,
    rule: {
      action: { $in: ['access', 'create', 'update', 'drop'] },
      record: { $in: ['ledger', 'ledger-proof', 'policy', 'policy-proof'] },
      signer: { $ledger: 'owner' },
    },
  },
  {
    level: 'ledger',
    index: 1,
    rule: {
      action: { $in: ['read', 'query'] },
      record: { $in: ['ledger', 'policy'] },
      bearer: { $signer: { $ledger: 'owner' } },
    },
  },
];

/**
 * Whether a value of the active policies outside every domain gives `access` to the ledger (interface/access#gate,
 * interface/access#policy-based-access).
 */
export function opensLedger(policies: AccessContext['policies'], cost: Cost): boolean {
  const known = summarizePolicies(policies);
  known.opens ??= activeIn(policies, [], cost).values.some(({ rule }) => {
    cost.spend(ruleCost(rule));
    return coversRight(rule, { action: 'access', record: 'ledger' }) && !rule.filter && rule.invoke === undefined;
  });
  return known.opens;
}

/** The values of active policies that count in a domain, and by right those that cover it. */
interface Active {
  readonly values: readonly ApplicableRule[];
  readonly about: Map<string, readonly ApplicableRule[]>;
}

/** What is cached for the policies of a ledger. */
interface PolicySummary {
  /** By chain of domains, as `activeIn` names it. */
  readonly active: Map<string, Active>;
  opens?: boolean;
  /** How many more values may be cached: a ledger may have many domains, and access checks may ask for any right. */
  room: number;
}

/** Cached by identity of the map: a changed policy makes a new map. */
const policySummaries = new WeakMap<AccessContext['policies'], PolicySummary>();

function summarizePolicies(policies: AccessContext['policies']): PolicySummary {
  let found = policySummaries.get(policies);
  if (!found) {
    const values = [...policies.values()].reduce((sum, one) => sum + (isAccess(one) ? one.values.length : 0), 0);
    found = { active: new Map(), room: accessLimits.about.times * values + accessLimits.about.more };
    policySummaries.set(policies, found);
  }
  return found;
}

function policyValuesAbout(
  rights: readonly Right[],
  policies: AccessContext['policies'],
  domains: AccessContext['domains'],
  cost: Cost,
): readonly ApplicableRule[] {
  const { values, about } = activeIn(policies, domains, cost);
  const name = rights.map(({ action, record }) => `${action} ${record}`).join(', ');
  let found = about.get(name);
  if (!found) {
    found = values.filter(({ rule }) => {
      cost.spend(ruleCost(rule));
      return rights.some((right) => coversRight(rule, right));
    });
    if (isRoomFor(policies, found.length)) about.set(name, found);
  }
  return found;
}

/** A chain of domains is identified by its first domain and its length; so is the list of all domains of a ledger. */
function activeIn(policies: AccessContext['policies'], domains: AccessContext['domains'], cost: Cost): Active {
  const { active } = summarizePolicies(policies);
  const chain = `${domains.length} ${domains[0]?.handle}`;
  let found = active.get(chain);
  if (!found) {
    found = { values: activeValues(policies, domains, cost), about: new Map() };
    // The values that count outside every domain are always cached.
    if (domains.length === 0 || isRoomFor(policies, found.values.length)) active.set(chain, found);
  }
  return found;
}

function isRoomFor(policies: AccessContext['policies'], values: number): boolean {
  const known = summarizePolicies(policies);
  if (known.room < values + ENTRY_VALUES) return false;
  known.room -= values + ENTRY_VALUES;
  return true;
}

/** Overhead of a cache entry, counted in values. */
const ENTRY_VALUES = 10;

function activeValues(
  policies: AccessContext['policies'],
  domains: AccessContext['domains'],
  cost: Cost,
): readonly ApplicableRule[] {
  const handles = [...policies.values()].filter(({ status }) => status === 'active').map(({ handle }) => handle);
  return withExtended(handles, policies, domains, new Set(), cost).flatMap((policy) => {
    cost.spend(RULE_STEPS * policy.values.length);
    return policy.values.map((value, index) => ({
      level: 'policy' as const,
      index,
      policy: policy.handle,
      rule: withRecord(value, policy),
    }));
  });
}

function isAccess({ schema = 'access' }: AccessPolicy): boolean {
  return schema === 'access';
}

/**
 * The access policies of those handles that count in the domains, each after those it extends. A policy in a domain
 * counts for records there and below, and so do those it extends, for its sake (interface/policies#access-policies).
 *
 * Each comes once, however often it is named: `seen` holds the earlier ones, and ends a cycle of policies that extend
 * one another.
 */
function withExtended(
  handles: readonly string[],
  policies: AccessContext['policies'],
  domains: AccessContext['domains'],
  seen: Set<string>,
  cost: Cost,
): AccessPolicy[] {
  const ordered: AccessPolicy[] = [];
  const pending = handles.toReversed().map((handle) => ({ handle, extended: false }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    cost.spend(RULE_STEPS);
    const { handle, extended } = next;
    const policy = policies.get(handle);
    if (!policy || !isAccess(policy) || !countsIn(domains, policy, cost)) continue;
    if (extended) {
      ordered.push(policy);
    } else if (!seen.has(handle)) {
      seen.add(handle);
      const above = typeof policy.extend === 'string' ? [policy.extend] : (policy.extend ?? []);
      pending.push({ handle, extended: true }, ...above.toReversed().map((one) => ({ handle: one, extended: false })));
    }
  }
  return ordered;
}

/** A policy in a domain counts for the records of that domain and below (interface/policies#access-policies). */
function countsIn(domains: AccessContext['domains'], { domain }: AccessPolicy, cost: Cost): boolean {
  if (domain === undefined) return true;
  cost.spend(1 + (domains.length >> 2));
  return domains.some(({ handle }) => handle === domain);
}

function withRecord(value: AccessValue, policy: AccessPolicy): AccessValue {
  return value.record === undefined && policy.record !== undefined ? { ...value, record: policy.record } : value;
}

/** Whether an entry stands for the values of access policies. */
export function isPolicyReference(entry: AccessEntry): entry is PolicyReference {
  return 'policy' in entry;
}

function listPolicyHandles(policy: PolicyReference['policy']): readonly string[] {
  return typeof policy === 'string' ? [policy] : policy.$in;
}

/** Whether a rule at its level is about `right` (interface/access#levels); the caller is not matched here. */
export function covers({ level, rule }: ApplicableRule, right: Right, context: AccessContext): boolean {
  if (!actionMatches(rule.action, right.action)) return false;
  // Proofs of intents are granted by ledger and policy rules only.
  if ((level === 'domain' || level === 'server') && context.terms.ownProofs.has(right.record)) return false;
  switch (level) {
    case 'record':
      return right.record === context.subject?.kind && nameMatches(rule.record ?? right.record, right.record);
    case 'ledger':
      return nameMatches(rule.record ?? 'ledger', right.record);
    case 'server':
      return nameMatches(rule.record ?? 'server', right.record);
    case 'domain':
    case 'policy':
      return coversRight(rule, right);
  }
}

/**
 * A rule that omits `record` covers nothing here; on a domain it is about the domain's own record, at level `record`.
 */
function coversRight({ action, record }: AccessValue, right: Right): boolean {
  return record !== undefined && actionMatches(action, right.action) && nameMatches(record, right.record);
}
