import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { matchesData } from '../../access/data-filter.js';
import { routeLimits } from '../../kinds/wallet.js';
import type { Task } from '../../metering/task.js';
import type { Claim } from './claims.js';
import { handleOf, type Lookups } from './directory.js';
import type { CurrentRecord, Side } from './plan.js';

/** The actions of routes that are about a side of a claim (interface/wallets#routes). */
const ROUTE_ACTIONS: Readonly<Record<Side, readonly string[]>> = {
  debit: ['debit'],
  credit: ['credit', 'accept', 'forward'],
};

/** The words for a side in failures. */
const SIDE_WORDS: Readonly<Record<Side, { readonly named: string; readonly routed: string; readonly way: string }>> = {
  debit: { named: 'Source wallet', routed: 'Debit', way: 'in' },
  credit: { named: 'Target wallet', routed: 'Credit', way: 'out' },
};

/** What routes of one claim depend on. */
export interface Routing {
  /** Handle of the intent. */
  readonly intent: string;
  readonly claim: Claim;
  readonly lookups: Lookups;
  /** Charged for filters. */
  readonly task: Task;
}

/** Where a side of a claim leads. */
export interface Reached {
  /** The wallet that the claim's address leads to. */
  readonly named: CurrentRecord;
  /** The wallet that routes lead to from there, or the same. */
  readonly wallet: CurrentRecord;
  /** The address that a `forward` route sends the amount on to. */
  readonly forwardTo?: string;
}

/** Why an address leads to no wallet: the detail of `core.routing-failed`. */
export class Unrouted {
  constructor(readonly detail: string) {}
}

/**
 * The wallet that an address of a claim leads to, without its routes.
 *
 * @param what the address is of, as the failure says it
 */
export async function findNamed(lookups: Lookups, what: string, address: string): Promise<CurrentRecord | Unrouted> {
  const found = await lookups.walletAt(address);
  return found ? lookups.use('wallet', found) : addressFailure(what, address, address);
}

/**
 * Follows the routes of a side, from the wallet that the claim's address leads to (interface/wallets#routes). Depth is
 * judged before the next wallet is looked up, so that a side takes a fixed number of lookups at most.
 *
 * @throws what lookups and the task throw: `auth.forbidden` where filters take too many steps
 */
export async function followRoutes(routing: Routing, side: Side, address: string): Promise<Reached | Unrouted> {
  const { intent, claim, lookups } = routing;
  const { named: name, routed, way } = SIDE_WORDS[side];
  const named = await findNamed(lookups, name, address);
  if (named instanceof Unrouted) return named;
  const passed = new Set<string>();
  let wallet = named;
  for (let hops = 0; ; hops += 1) {
    passed.add(wallet.record.luid);
    const route = await findRoute(routing, side, wallet);
    if (route === 'none') return new Unrouted(`No matching ${way} route found for intent ${intent}.`);
    if (route === 'itself') return { named, wallet };
    if (route.action === 'forward') return { named, wallet, forwardTo: route.target };
    if (hops >= routeLimits.hops) return tooDeep(intent, claim);
    const next = await lookups.walletAt(route.target);
    if (!next) return addressFailure(`${routed} routed wallet`, route.target, handleOf(wallet));
    if (passed.has(next.record.luid)) {
      return new Unrouted(`${routed} routing cycle detected for the address ${address}.`);
    }
    wallet = lookups.use('wallet', next);
  }
}

/** A route that leads from a wallet to an address. */
interface Leading {
  readonly action: string;
  readonly target: string;
}

/**
 * The first route of a wallet that matches the claim. `itself` where the wallet has no route for the side, or accepts;
 * `none` where it has, and none of them matches. One that is to lead elsewhere and has no target matches nothing.
 */
async function findRoute(
  { claim, task }: Routing,
  side: Side,
  wallet: CurrentRecord,
): Promise<Leading | 'itself' | 'none'> {
  const routes = routesOf(wallet, side);
  for (const { action, filter, target } of routes) {
    if (isObject(filter)) {
      // A slice of work for each: together the filters of a wallet may be as long as a body.
      await task.turn();
      if (!matchesData(filter, claim as unknown as JsonObject, task)) continue;
    }
    if (action === 'accept') return 'itself';
    if (typeof target === 'string') return { action: String(action), target };
  }
  return routes.length === 0 ? 'itself' : 'none';
}

function routesOf({ record }: CurrentRecord, side: Side): readonly JsonObject[] {
  const { routes } = record.data as { readonly routes?: Json };
  if (!Array.isArray(routes)) return [];
  return routes.filter(isObject).filter(({ action }) => ROUTE_ACTIONS[side].includes(String(action)));
}

function addressFailure(what: string, address: string, parent: string): Unrouted {
  const why = `does not resolve to any existing wallet. Parent wallet: ${parent}`;
  return new Unrouted(`${what} not resolved for the address ${address} - ${why}`);
}

function tooDeep(intent: string, claim: Claim): Unrouted {
  const source = 'source' in claim ? claim.source.handle : '';
  const target = 'target' in claim ? claim.target.handle : '';
  const where = `Original source wallet: "${source}", original target wallet: "${target}".`;
  return new Unrouted(`Max wallet routing depth reached for intent ${intent}. ${where}`);
}
