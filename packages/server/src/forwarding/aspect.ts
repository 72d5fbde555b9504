import { type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import { matches, member } from '../access/condition.js';
import type { Subject } from '../access/context.js';
import type { Kind } from '../kinds/kind.js';
import { domainsFrom, type Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';
import type { HandoverAction } from '../operations/stage.js';
import type { Command } from '../records/command.js';

export type Strategy = 'proxy' | 'fallback' | 'validate' | 'synchronize';

/** An action that a processing policy hands over to a bridge, and how. */
export interface Aspect {
  readonly action: HandoverAction;
  /** Handle of the bridge. */
  readonly bridge: string;
  readonly strategy: Strategy;
  /** The domain of its policy: it applies to records there and below only. */
  readonly domain?: string;
}

/** An aspect as its policy declares it. */
interface DeclaredAspect {
  readonly aspect: Aspect;
  readonly filter?: JsonObject;
}

/**
 * The aspects in force for an action on records of the kind, whatever the status of their policies
 * (interface/forwarding#which-bridge).
 *
 * @param cost charged for every aspect that is looked at
 * @param subject the record, as far as it is known; absent for a list
 * @returns empty when the ledger decides alone; several when policies conflict
 */
export function aspectsFor(
  cost: Cost,
  ledger: Ledger,
  kind: Kind,
  action: HandoverAction,
  command: Command,
  subject?: Subject,
): readonly Aspect[] {
  if (!declares(ledger, kind, action)) return [];
  const domains = domainsFrom(ledger, subject?.meta.domain).map(({ handle }) => handle);
  cost.spend(2 * domains.length);
  return (collectAspects(ledger).get(action) ?? [])
    .filter(({ filter, aspect: { domain } }) => {
      cost.spend(2 + (domain === undefined ? 0 : domains.length >> 2));
      if (domain !== undefined && !domains.includes(domain)) return false;
      return filter === undefined || matchesRequest(filter, command, subject, cost);
    })
    .map(({ aspect }) => aspect);
}

/**
 * The one aspect in force. Called after access has been granted: only authorized callers learn of conflicting policies.
 *
 * @throws `forward.unexpected-error` when policies have several for the action
 */
export function onlyOne([only, another]: readonly Aspect[]): Aspect | undefined {
  if (another) {
    const detail = `Multiple processing aspect values found for action ${another.action}.`;
    throw new LedgerError('forward.unexpected-error', detail);
  }
  return only;
}

/** Whether any processing policy is about the action: a cheap test first, since most ledgers have none. */
export function declares(ledger: Ledger, kind: Kind, action: HandoverAction): boolean {
  return kind.access.forwards === true && collectAspects(ledger).has(action);
}

type ByAction = ReadonlyMap<HandoverAction, readonly DeclaredAspect[]>;

/** Cache by the map of policies, which is replaced whenever a policy changes. */
const aspectsOfPolicies = new WeakMap<Ledger['policies'], ByAction>();

function collectAspects({ policies }: Ledger): ByAction {
  const found = aspectsOfPolicies.get(policies);
  if (found) return found;
  const declared = new Map<HandoverAction, DeclaredAspect[]>();
  for (const policy of policies.values()) {
    if (policy.schema !== 'processing') continue;
    const { values, filter, domain } = policy as unknown as ProcessingPolicy;
    for (const value of values) {
      const { action, invoke, config, filter: own = filter } = value;
      const strategy = strategyOf(action, config?.strategy);
      const aspect = { action, bridge: invoke.bridge, strategy, domain };
      const one = { aspect, ...(own ? { filter: own } : {}) };
      const others = declared.get(action);
      if (others) others.push(one);
      else declared.set(action, [one]);
    }
  }
  aspectsOfPolicies.set(policies, declared);
  return declared;
}

/** Its shape was checked when it was stored (kinds/policies/shapes.ts). */
interface ProcessingPolicy {
  readonly values: readonly {
    readonly action: HandoverAction;
    readonly invoke: { readonly bridge: string };
    readonly config?: { readonly strategy?: Strategy };
    readonly filter?: JsonObject;
  }[];
  readonly filter?: JsonObject;
  readonly domain?: string;
}

/** The named strategy where it applies to the action, else the default (interface/forwarding#strategies). */
function strategyOf(action: HandoverAction, named: Strategy | undefined): Strategy {
  if (action === 'read' || action === 'query') return named === 'proxy' ? named : 'fallback';
  return named === 'synchronize' && action === 'drop' ? 'validate' : (named ?? 'validate');
}

/**
 * Whether the anchor and its request match a filter: each key is a path in `ctx` (the request), `meta` or `data`; the
 * prefix `data` may be left out (interface/forwarding#which-bridge).
 */
function matchesRequest(
  filter: JsonObject,
  { request: { headers } }: Command,
  subject: Subject | undefined,
  cost: Cost,
): boolean {
  const { data = {}, meta = {} } = subject ?? {};
  const scope = { data, meta, ctx: { req: { headers } } } as unknown as JsonObject;
  return Object.entries(filter).every(([key, expected]) => {
    cost.spend(3 + (key.length >> 2));
    const [first = '', ...rest] = key.split('.');
    const path = Object.hasOwn(scope, first) ? [first, ...rest] : ['data', first, ...rest];
    return matches(expected, scopeValueAt(scope, path), cost);
  });
}

/** The value at a path. Names of headers are case-insensitive. */
function scopeValueAt(scope: Json, path: readonly string[]): Json | undefined {
  const exact = path[0] === 'ctx' && path[2] === 'headers' ? path.map((name) => name.toLowerCase()) : path;
  return exact.reduce<Json | undefined>(member, scope);
}
