import { isObject, type Json } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import type { CallerKey, CallerToken, SignerFacts } from './caller.js';
import { matches, member } from './condition.js';
import type { BearerMatcher, MatcherOf, SignerMatcher } from './rules.js';

/** The surroundings that a matcher is judged in. */
export interface Owners {
  /** The owners that `$record` stands for: public keys. */
  readonly record: readonly string[];
  /** The same for `$ledger`. */
  readonly ledger: readonly string[];
  /** Handles of the domains of the subject: the one it joined, and those above. */
  readonly domains?: readonly string[];
}

/** The only format of keys; also that of a key that has no signer record. */
const KEY_FORMAT = 'ed25519-raw';

/** Whether a rule's `action` or `record` covers `name` (interface/access#rules). */
export function nameMatches(matcher: MatcherOf<string>, name: string): boolean {
  if (typeof matcher === 'string') return matcher === 'any' || matcher === name;
  if ('$in' in matcher) return matcher.$in.includes('any') || matcher.$in.includes(name);
  // `$nin: ['any']` excludes every name; a question about `any` is covered by an empty `$nin` only.
  if (name === 'any') return matcher.$nin.length === 0;
  return !matcher.$nin.includes('any') && !matcher.$nin.includes(name);
}

/** Actions that cannot be undone: a rule grants them by their name only, never by `any` (interface/access#actions). */
const NAMED_ONLY: ReadonlySet<string> = new Set(['erase']);

/** Whether a rule's `action` covers the action called `name`. */
export function actionMatches(matcher: MatcherOf<string>, name: string): boolean {
  if (!NAMED_ONLY.has(name)) return nameMatches(matcher, name);
  return typeof matcher === 'string' ? matcher === name : '$in' in matcher && matcher.$in.includes(name);
}

/** Steps beside the first to search the names of a matcher. */
export function matcherSteps(matcher: MatcherOf<string> | undefined): number {
  if (matcher === undefined || typeof matcher === 'string') return 0;
  return ('$in' in matcher ? matcher.$in : matcher.$nin).length >> 2;
}

/** Whether `key` is one the `signer` of a rule means (interface/access#signer-matchers). `{}` means any key. */
export function signerMatches(matcher: SignerMatcher, key: CallerKey, owners: Owners, cost: Cost): boolean {
  cost.spend(3);
  if ('$in' in matcher) return matcher.$in.some((one) => signerMatches(one, key, owners, cost));
  return Object.entries(matcher).every(([trait, expected]) => hasTrait(trait, expected as Json, key, owners, cost));
}

function hasTrait(
  trait: string,
  expected: Json,
  { public: key, signer }: CallerKey,
  owners: Owners,
  cost: Cost,
): boolean {
  switch (trait) {
    case 'public':
      // A caller that has shown no key fails negative conditions (`$ne`, `$nin`) too.
      return key !== undefined && matches(expected, key, cost);
    case 'format':
      return matches(expected, signer?.format ?? KEY_FORMAT, cost);
    case 'handle':
      // A key that has no signer record fails negative conditions (`$ne`, `$nin`) too.
      return (
        signer !== undefined &&
        (isHandleList(expected) || speaksFor(signer, owners, cost)) &&
        matches(expected, signer.handle, cost)
      );
    case 'schema':
    case 'custom':
      return signer !== undefined && speaksFor(signer, owners, cost) && matches(expected, signer[trait], cost);
    case '$circle':
      return signer !== undefined && matches(expected, signer.circles as Json[], cost);
    case '$record':
      return isOwner(expected) && isAmong(owners.record, key, cost);
    case '$ledger':
      return isOwner(expected) && isAmong(owners.ledger, key, cost);
    default:
      return false;
  }
}

function isAmong(owners: readonly string[], key: string | undefined, cost: Cost): boolean {
  cost.spend(owners.length >> 2);
  return key !== undefined && owners.includes(key);
}

/**
 * Whether the schema, custom data and handle in a signer's record count here. A caller with rights in one domain can
 * create signers there with any content, so that content counts there and below only.
 */
function speaksFor({ domain }: SignerFacts, { domains = [] }: Owners, cost: Cost): boolean {
  if (domain === undefined) return true;
  cost.spend(domains.length >> 2);
  return domains.includes(domain);
}

/** Whether a condition lists exact handles. Those name signers of any domain; patterns and exclusions do not. */
function isHandleList(expected: Json): boolean {
  return typeof expected === 'string' || (isObject(expected) && ('$eq' in expected || '$in' in expected));
}

function isOwner(expected: Json): boolean {
  return expected === 'owner' || expected === 'creator';
}

/**
 * Whether `token` is one the `bearer` of a rule means (interface/access#bearer-matchers). `{}` means any valid token.
 * `$signer` needs a token that stands for a key; a token whose `sub` is unknown is matched by its claims only
 * (interface/tokens#provider-tokens). Other claims need a provider's token: anybody can write any into a token of their own.
 */
export function bearerMatches(matcher: BearerMatcher, token: CallerToken, owners: Owners, cost: Cost): boolean {
  cost.spend(3);
  if (isAlternatives(matcher)) return matcher.$in.some((one) => bearerMatches(one, token, owners, cost));
  const claims = Object.keys(matcher);
  cost.spend(2 * claims.length);
  return claims.every((claim) => {
    const expected = matcher[claim];
    if (claim === '$signer')
      return token.key !== undefined && signerMatches(expected as SignerMatcher, token.key, owners, cost);
    if (claim === 'hsh') return expected === false || (expected === true && isBound(token));
    if (!token.isProvided || claim.startsWith('$')) return false;
    return matches(expected as Json, member(token.claims, claim), cost);
  });
}

/** Whether the matcher asks, in each of its alternatives, for claims that only a provider's token has. */
export function needsProvider(matcher: BearerMatcher): boolean {
  if (isAlternatives(matcher)) return matcher.$in.every(needsProvider);
  return Object.keys(matcher).some((claim) => claim !== '$signer' && claim !== 'hsh');
}

function isAlternatives(
  matcher: BearerMatcher,
): matcher is Extract<BearerMatcher, { readonly $in: readonly unknown[] }> {
  return Array.isArray(matcher.$in);
}

/** Whether the token is bound to one request; verification has checked which (interface/tokens#request-hash). */
function isBound(token: CallerToken): boolean {
  const hsh = member(token.claims, 'hsh');
  return typeof hsh === 'string' && hsh !== '';
}
