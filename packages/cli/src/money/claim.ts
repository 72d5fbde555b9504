import { formatAmount } from '@countersign/client/amounts';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { usage } from '../terminal/failure.js';

/** What a claim does, and which of its parts it has. */
export const CLAIM_ACTIONS = ['transfer', 'issue', 'destroy'] as const;

/** A claim as a person states it: the amount in whole units. */
export interface SpokenClaim {
  readonly action: (typeof CLAIM_ACTIONS)[number];
  readonly amount: string;
  readonly symbol: string;
  readonly source?: string;
  readonly target?: string;
}

const CLAIM_FORMS =
  'transfer <amount> <symbol> from <wallet> to <wallet>, issue <amount> <symbol> to <wallet>, or destroy <amount> <symbol> from <wallet>';

/** Reads `transfer 25.00 usd from shop to till`. */
export function readClaim(text: string): SpokenClaim {
  const [action = '', amount, symbol, ...rest] = text.trim().split(/\s+/);
  const places: Record<string, string> = {};
  for (let index = 0; index < rest.length; index += 2) {
    const [word = '', place] = rest.slice(index, index + 2);
    if (place === undefined || !['from', 'to'].includes(word) || word in places) throw claimFailure(text);
    places[word] = place;
  }
  if (!isClaimAction(action) || amount === undefined || symbol === undefined) throw claimFailure(text);
  const { from: source, to: target } = places;
  const isWhole = hasSource(action) === (source !== undefined) && hasTarget(action) === (target !== undefined);
  if (!isWhole) throw claimFailure(text);
  return {
    action,
    amount,
    symbol,
    source,
    target,
  };
}

export function isClaimAction(text: string): text is SpokenClaim['action'] {
  return (CLAIM_ACTIONS as readonly string[]).includes(text);
}

export function hasSource(action: SpokenClaim['action']): boolean {
  return action !== 'issue';
}

export function hasTarget(action: SpokenClaim['action']): boolean {
  return action !== 'destroy';
}

/** The claim as it is signed (interface/intents#claims). */
export function toSignedClaim({ action, source, target, symbol }: SpokenClaim, amount: number): JsonObject {
  return {
    action,
    ...(source === undefined ? {} : { source: { handle: source } }),
    ...(target === undefined ? {} : { target: { handle: target } }),
    symbol: { handle: symbol },
    amount,
  };
}

/**
 * A claim in the words in which one is given; JSON where it is of another form, or says more.
 *
 * @param factor of its symbol; without it the amount is as the ledger counts
 */
export function claimText(claim: Json, factor: number | undefined): string {
  if (!isObject(claim)) return JSON.stringify(claim);
  const { action, amount, symbol, source, target, wallet, metric, ...more } = claim;
  const [unit, from, to, at] = [
    handleOfReference(symbol),
    handleOfReference(source),
    handleOfReference(target),
    handleOfReference(wallet),
  ];
  const isKnown = typeof action === 'string' && typeof amount === 'number' && unit !== undefined;
  const isOdd = [source, target, wallet].some((one) => one !== undefined && handleOfReference(one) === undefined);
  if (!isKnown || isOdd || (metric !== undefined && typeof metric !== 'string')) return JSON.stringify(claim);
  // That limit counts intents.
  const units = metric === 'dailyCount' ? 1 : factor;
  const words = [
    action,
    metric,
    at === undefined ? undefined : `of ${at} to`,
    units === undefined ? `${amount} (as counted) of` : formatAmount(amount, units),
    unit,
    from === undefined ? undefined : `from ${from}`,
    to === undefined ? undefined : `to ${to}`,
    Object.keys(more).length === 0 ? undefined : JSON.stringify(more),
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

function handleOfReference(named: Json | undefined): string | undefined {
  if (typeof named === 'string') return named;
  if (!isObject(named) || Object.keys(named).length !== 1) return undefined;
  return typeof named.handle === 'string' ? named.handle : undefined;
}

function claimFailure(text: string) {
  return usage(`'${text}' is not a claim.`, CLAIM_FORMS);
}
