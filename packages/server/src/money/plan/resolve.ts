import type { JsonObject } from '@countersign/protocol';
import type { Task } from '../../metering/task.js';
import { type Claim, normalizeClaims, walletAddressesOf } from './claims.js';
import { type Directory, handleOf, Lookups } from './directory.js';
import { makeEntryHandle, type Random } from './handles.js';
import type { CurrentRecord, Entry, IntentFailure, LimitClaim, Named, Parties, Side } from './plan.js';
import { findNamed, followRoutes, type Reached, type Routing, Unrouted } from './routes.js';

export interface Resolved {
  /** By the order of claims, debit before credit (interface/intents#entries). */
  readonly entries: readonly Entry[];
  readonly limits: readonly LimitClaim[];
  /** Each record that this rests on, once: wallets that routes passed through, too. */
  readonly needs: readonly Named[];
  /** By the order of claims. */
  readonly parties: readonly Parties[];
}

export interface Unresolved {
  readonly failure: IntentFailure;
  /** The records that were found before. */
  readonly needs: readonly Named[];
}

export type Resolution = Resolved | Unresolved;

/**
 * Resolves the claims of an intent to entries and limits (interface/intents#resolution). The first failure ends it. Within
 * a claim the source comes first, then the target, then the symbol.
 *
 * The debit of an intent with an `origin` is taken from its source itself: nobody is asked for a permission, and a
 * `debit` route could lead to any wallet.
 *
 * @param data of an intent, in its shape
 * @param task charged for the filters of routes
 * @throws what the directory and the task throw: `auth.forbidden` where filters take too many steps
 */
export async function resolveIntent(
  data: JsonObject,
  directory: Directory,
  random: Random,
  task: Task,
): Promise<Resolution> {
  const claims = normalizeClaims(data);
  const lookups = new Lookups(directory);
  const intent: Resolving = {
    handle: String(data.handle),
    isForward: data.origin !== undefined,
    lookups,
    random,
    task,
  };
  await lookUpNamed(claims, lookups);
  const found: ClaimResult[] = [];
  for (const [index, claim] of claims.entries()) {
    const result = await resolveClaim(intent, claim, index);
    if ('reason' in result) return { failure: result, needs: lookups.needs() };
    found.push(result);
  }
  return {
    entries: found.flatMap(({ entries }) => entries),
    limits: found.flatMap(({ limits }) => limits),
    needs: lookups.needs(),
    parties: found.map(({ parties }) => parties),
  };
}

/** What claims of one intent are resolved with. */
interface Resolving extends Omit<Routing, 'claim' | 'intent'> {
  readonly handle: string;
  readonly isForward: boolean;
  readonly random: Random;
}

interface ClaimResult extends Pick<Resolved, 'entries' | 'limits'> {
  readonly parties: Parties;
}

/** Looks up all that claims name at once: lookups of one moment are one query. */
async function lookUpNamed(claims: readonly Claim[], lookups: Lookups): Promise<void> {
  await Promise.all(
    claims.flatMap((claim) => [
      ...walletAddressesOf(claim).map((address) => lookups.walletAt(address)),
      lookups.symbol(claim.symbol.handle),
    ]),
  );
}

async function resolveClaim(intent: Resolving, claim: Claim, index: number): Promise<ClaimResult | IntentFailure> {
  const debit = 'source' in claim ? await findSource(intent, claim, claim.source.handle) : undefined;
  if (debit instanceof Unrouted) return failureOfRoute(debit);
  const credit = 'target' in claim ? await routeClaim(intent, claim, 'credit', claim.target.handle) : undefined;
  if (credit instanceof Unrouted) return failureOfRoute(credit);
  const wallet = 'wallet' in claim ? await findNamed(intent.lookups, 'Wallet', claim.wallet.handle) : undefined;
  if (wallet instanceof Unrouted) return failureOfRoute(wallet);
  const symbol = await intent.lookups.symbol(claim.symbol.handle);
  if (!symbol) return { reason: 'core.symbol-invalid', detail: `Symbol ${claim.symbol.handle} not found.` };
  intent.lookups.use('symbol', symbol);
  const make = (side: Side, reached: Reached) => makeClaimEntry(intent, claim, index, side, reached);
  return {
    entries: [...(debit ? [make('debit', debit)] : []), ...(credit ? [make('credit', credit)] : [])],
    limits: 'wallet' in claim && wallet ? [{ ...describeClaim(claim, index, wallet), metric: claim.metric }] : [],
    parties: {
      ...(debit ? { source: debit.named, debited: debit.wallet } : {}),
      ...(credit ? { credited: credit.wallet } : {}),
      ...(wallet ? { wallet } : {}),
      symbol,
    },
  };
}

async function findSource(intent: Resolving, claim: Claim, address: string): Promise<Reached | Unrouted> {
  if (!intent.isForward) return routeClaim(intent, claim, 'debit', address);
  const wallet = await findNamed(intent.lookups, 'Source wallet', address);
  return wallet instanceof Unrouted ? wallet : { named: wallet, wallet };
}

function routeClaim({ handle, lookups, task }: Resolving, claim: Claim, side: Side, address: string) {
  return followRoutes({ intent: handle, claim, lookups, task }, side, address);
}

function makeClaimEntry({ random }: Resolving, claim: Claim, index: number, side: Side, to: Reached): Entry {
  const { bridge } = to.wallet.record.data;
  return {
    handle: makeEntryHandle(side, random),
    side,
    ...describeClaim(claim, index, to.wallet),
    ...(bridge === undefined ? {} : { bridge: String(bridge) }),
    ...(to.forwardTo === undefined ? {} : { forwardTo: to.forwardTo }),
  };
}

/** What an entry and a limit have in common. */
function describeClaim({ symbol, amount }: Claim, claim: number, wallet: CurrentRecord) {
  return { claim, wallet: handleOf(wallet), luid: wallet.record.luid, symbol: symbol.handle, amount };
}

function failureOfRoute({ detail }: Unrouted): IntentFailure {
  return { reason: 'core.routing-failed', detail };
}
