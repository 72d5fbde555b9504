import type { Cost } from '../metering/cost.js';
import { type ApplicableRule, applicableRules, covers, type Level } from './applicable-rules.js';
import type { Caller, CallerKey, CallerToken } from './caller.js';
import type { AccessContext, Right } from './context.js';
import { matchesFilter } from './filter.js';
import { bearerMatches, type Owners, signerMatches } from './matchers.js';
import type { AccessValue, Rule } from './rules.js';

/** What rules are matched with: keys with their `signer`, the token with their `bearer`. */
export interface Principal {
  readonly keys: readonly CallerKey[];
  readonly token?: CallerToken;
}

/** The key of the caller's token, if it stands for one. */
export function tokenKeys(caller: Caller): readonly CallerKey[] {
  return caller.token?.key ? [caller.token.key] : [];
}

/** `keys` and the caller's token. */
export function principal(keys: readonly CallerKey[], caller: Caller): Principal {
  return caller.token ? { keys, token: caller.token } : { keys };
}

/**
 * Every applicable rule that grants one of `rights`, which all mean the same operation. `who` tells with whom the rules
 * of a level are matched.
 */
export function findGranting(
  rights: readonly Right[],
  context: AccessContext,
  who: (level: Level) => Principal,
): Generator<ApplicableRule> {
  return grantingAny(rights, context, [{ who, invoke: context.invoke }]);
}

/** One of several that rules are matched with: by their level, and with the conditions that this one fulfils. */
export interface RuleCandidate {
  readonly who: (level: Level) => Principal;
  readonly invoke: AccessContext['invoke'];
}

/** Every applicable rule that grants one of `rights` to any of the candidates, once. */
export function* grantingAny(
  rights: readonly Right[],
  context: AccessContext,
  candidates: readonly RuleCandidate[],
): Generator<ApplicableRule> {
  const domains = domainsAround(context);
  for (const one of applicableRules(rights, context)) {
    const about = rights.find((right) => covers(one, right, context));
    if (!about) continue;
    const owners = ownersFor(about, context, domains);
    for (const { who, invoke } of candidates) {
      if (!admits(one.rule, who(one.level), owners, context.cost) || !isPolicyValueMet(one.rule, context, invoke))
        continue;
      yield one;
      break;
    }
  }
}

/** Whether the rule is for this principal. With both `signer` and `bearer` both must match (interface/access#rules). */
export function admits(rule: Rule, { keys, token }: Principal, owners: Owners, cost: Cost): boolean {
  const { signer, bearer } = rule;
  if (signer && !keys.some((key) => signerMatches(signer, key, owners, cost))) return false;
  return !bearer || (token !== undefined && bearerMatches(bearer, token, owners, cost));
}

/** The owners that `$record` and `$ledger` mean. A record that is being created has none yet. */
export function ownersFor({ record }: Right, context: AccessContext, domains = domainsAround(context)): Owners {
  const { ledger, subject } = context;
  if (subject) return { record: subject.exists ? subject.owners : [], ledger: ledger.owners, domains };
  return { record: record === 'ledger' ? ledger.owners : [], ledger: ledger.owners, domains };
}

/**
 * The domains whose signers rules may match by schema, custom data and patterns of handles. The record of a domain counts
 * as in that domain.
 */
export function domainsAround({ domains, subject, signersOf }: AccessContext): readonly string[] {
  if (signersOf) return signersOf;
  const above = domains.map(({ handle }) => handle);
  return subject?.kind === 'domain' && subject.exists ? [String(subject.data.handle), ...above] : above;
}

/**
 * Whether `filter` and `invoke` of a policy value hold (interface/policies#access-policies). A filter needs a subject
 * and `invoke` needs conditions: where these are missing, the value grants nothing.
 */
function isPolicyValueMet(
  { filter, invoke }: AccessValue,
  context: AccessContext,
  met: AccessContext['invoke'],
): boolean {
  const { subject } = context;
  if (filter && !(subject && matchesFilter(filter, subject, context.cost, context.hopeful))) return false;
  return invoke === undefined || met?.(invoke) === true;
}
