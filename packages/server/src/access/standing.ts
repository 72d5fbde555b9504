import { limits } from '../limits.js';
import type { Cost } from '../work/cost.js';
import type { AccessPolicy, Context } from './context.js';
import { nameMatches, namesIn } from './matchers.js';
import type { AccessEntry, AccessValue, PolicyReference } from './rules.js';

/** Where a rule stands; `policy` under the policy-based strategy only (contract 03 §6.4, §8.2). */
export type Level = 'record' | 'domain' | 'ledger' | 'server' | 'policy';

/** A rule that counts, and where it was found. */
export interface Standing {
  readonly level: Level;
  /** Of the entry in its list; at level `policy`, of the value in its policy. */
  readonly index: number;
  /** The access policy whose value it is. */
  readonly policy?: string;
  /** With the policy's `record` where the value has none. */
  readonly rule: AccessValue;
}

/** A right: an action on a kind of record. */
export interface Right {
  readonly action: string;
  readonly record: string;
}

/**
 * Every rule that counts, from the record outwards (contract 03 §6.4), or those of policies (§8.2); of policies, only
 * what is about one of `rights`.
 */
export function* standing(rights: readonly Right[], context: Context): Generator<Standing> {
  const { ledger, server, subject } = context;
  if (ledger.policyBased) {
    yield* policyBased(rights, context);
    return;
  }
  // The ledger's rules are its record's own: they count once.
  if (subject?.exists && subject.kind !== 'ledger') yield* entries('record', subject.access, context);
  for (const domain of inherited(context)) {
    context.cost.spend(DOMAIN);
    yield* entries('domain', domain.access, context);
  }
  yield* entries('ledger', ledger.access, context);
  yield* entries('server', server, context);
}

/** Steps that a domain takes, and a rule, beside what its matchers do. */
const DOMAIN = 5;
const RULE = 3;

function ruleCost({ action, record }: AccessValue): number {
  return RULE + namesIn(action) + namesIn(record);
}

/** The domains whose rules and policies count. Domain records inherit nothing (contract 03 §6.4). */
function inherited({ domains, subject }: Context): Context['domains'] {
  return subject?.kind === 'domain' ? [] : domains;
}

/** Rules as they are; a reference as the values it stands for, whatever the policy's status (contract 03 §8.2). */
function* entries(level: Level, access: readonly AccessEntry[], context: Context): Generator<Standing> {
  const seen = new Set<string>();
  for (const [index, entry] of access.entries()) {
    if (!isReference(entry)) {
      context.cost.spend(ruleCost(entry));
      yield { level, index, rule: entry };
      continue;
    }
    const policies = withExtended(referredTo(entry.policy), context.policies, seen, context.cost);
    for (const policy of policies.filter((one) => countsHere(one, context))) {
      for (const value of policy.values) {
        const rule = withRecord(value, policy);
        context.cost.spend(ruleCost(rule));
        yield { level, index, policy: policy.handle, rule };
      }
    }
  }
}

/** The values of active access policies; of those they extend, whatever the status (contract 03 §8.2). */
function* policyBased(rights: readonly Right[], context: Context): Generator<Standing> {
  for (const { policy, standing } of valuesAbout(rights, context.policies, context.cost)) {
    context.cost.spend(ruleCost(standing.rule));
    if (countsHere(policy, context)) yield standing;
  }
}

interface ActiveValue {
  readonly policy: AccessPolicy;
  readonly standing: Standing;
}

/** The values of a ledger's active policies, and those of them that are about a right that was asked for. */
interface Active {
  readonly values: readonly ActiveValue[];
  readonly about: Map<string, readonly ActiveValue[]>;
  /** How much more may be remembered: an access check may ask for any right, and a value may be about all of them. */
  room: number;
}

/** What the active policies of a ledger amount to is the same until a policy changes, and then the map is another. */
const active = new WeakMap<Context['policies'], Active>();

function valuesAbout(rights: readonly Right[], policies: Context['policies'], cost: Cost): readonly ActiveValue[] {
  let known = active.get(policies);
  if (!known) {
    const values = activeValues(policies, cost);
    known = { values, about: new Map(), room: limits.about.times * values.length + limits.about.more };
    active.set(policies, known);
  }
  const name = rights.map(({ action, record }) => `${action} ${record}`).join(', ');
  let about = known.about.get(name);
  if (!about) {
    about = known.values.filter(({ standing: { rule } }) => {
      cost.spend(ruleCost(rule));
      return rights.some((right) => isAbout(rule, right));
    });
    if (known.room >= about.length + EACH) {
      known.room -= about.length + EACH;
      known.about.set(name, about);
    }
  }
  return about;
}

/** What a right counts as that no value is about. */
const EACH = 10;

function activeValues(policies: Context['policies'], cost: Cost): readonly ActiveValue[] {
  const handles = [...policies.values()].filter(({ status }) => status === 'active').map(({ handle }) => handle);
  return withExtended(handles, policies, new Set(), cost).flatMap((policy) => {
    cost.spend(RULE * policy.values.length);
    return policy.values.map((value, index) => ({
      policy,
      standing: { level: 'policy' as const, index, policy: policy.handle, rule: withRecord(value, policy) },
    }));
  });
}

/**
 * The access policies of those handles, each after the ones it extends. Each comes once, however often
 * it is named: `seen` is what came before, and what ends a circle of policies that extend one another.
 */
function withExtended(
  handles: readonly string[],
  policies: Context['policies'],
  seen: Set<string>,
  cost: Cost,
): AccessPolicy[] {
  const ordered: AccessPolicy[] = [];
  const pending = handles.toReversed().map((handle) => ({ handle, extended: false }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    cost.spend(RULE);
    const { handle, extended } = next;
    const policy = policies.get(handle);
    if (!policy || (policy.schema ?? 'access') !== 'access') continue;
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

/** A policy in a domain counts for the records of that domain and below (contract 03 §8.2). */
function countsHere(policy: AccessPolicy, context: Context): boolean {
  if (policy.domain === undefined) return true;
  const domains = inherited(context);
  context.cost.spend(1 + (domains.length >> 2));
  return domains.some((domain) => domain.handle === policy.domain);
}

function withRecord(value: AccessValue, policy: AccessPolicy): AccessValue {
  return value.record === undefined && policy.record !== undefined ? { ...value, record: policy.record } : value;
}

function isReference(entry: AccessEntry): entry is PolicyReference {
  return 'policy' in entry;
}

function referredTo(policy: PolicyReference['policy']): readonly string[] {
  return typeof policy === 'string' ? [policy] : policy.$in;
}

/** Whether a rule, standing where it does, is about `right` (contract 03 §6.4); whom it is for is not asked. */
export function covers({ level, rule }: Standing, right: Right, context: Context): boolean {
  if (!nameMatches(rule.action, right.action)) return false;
  // Proofs of intents: "from ledger (or policy) rules only".
  if (right.record === 'intent-proof' && (level === 'domain' || level === 'server')) return false;
  switch (level) {
    case 'record':
      return right.record === context.subject?.kind && nameMatches(rule.record ?? right.record, right.record);
    case 'ledger':
      return nameMatches(rule.record ?? 'ledger', right.record);
    case 'server':
      return nameMatches(rule.record ?? 'server', right.record);
    case 'domain':
    case 'policy':
      return isAbout(rule, right);
  }
}

/** Without a record it is about the domain's own record, where it is found at level `record`; or about nothing. */
function isAbout({ action, record }: AccessValue, right: Right): boolean {
  return record !== undefined && nameMatches(action, right.action) && nameMatches(record, right.record);
}
