import { isObject, type JsonObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { common, Free, Handle, handlesOf, oneOfNames, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

/** Routes of a wallet (interface/wallets#routes). */
export const routeLimits = {
  /** Routes of a wallet. */
  count: 100,
  /** Routes that one side of a claim may follow. */
  hops: 3,
} as const;

/** Where claims on a wallet are redirected; the target may be created later (interface/wallets#routes). */
const WalletRoute = strictObject({
  action: oneOfNames(['debit', 'credit', 'accept', 'forward']),
  filter: Type.Optional(Free),
  target: Type.Optional(Handle),
});

/** A holder of balances (interface/wallets#wallets). */
export const wallet: KindDeclaration = {
  name: 'wallet',
  about: 'A holder of balances.',
  title: 'Wallet',
  missing: 'Wallet',
  prefix: 'wlt',
  path: 'wallets',
  data: {
    shape: strictObject({
      handle: Handle,
      bridge: Type.Optional(Handle),
      routes: Type.Optional(Type.Array(WalletRoute, { maxItems: routeLimits.count })),
      ...common,
    }),
    parts: { 'wallet-route': WalletRoute },
    order: ['handle', 'schema', 'bridge', 'routes', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: [
      ...['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
      // Served by the ledger, or by the wallet's bridge (interface/lookups).
      ...['anchors', 'lookup', 'domains'],
      // What it holds, and within which bounds.
      ...['balances', 'limits'],
    ],
    erasable: 'dropped',
    signals: ['wallet-created', 'wallet-updated', 'wallet-proofs-added', 'wallet-dropped'],
    subscribable: ['wallet-created', 'wallet-limited', 'wallet-proofs-added', 'wallet-updated', 'wallet-dropped'],
  },
  links: {
    value: ({ bridge }) => (bridge === undefined ? undefined : String(bridge)),
    relations: ({ bridge }) =>
      bridge === undefined
        ? []
        : [{ kind: 'bridge', handle: String(bridge), missing: `Referenced Bridge ${bridge} not found.` }],
    dependants: [
      {
        kind: 'anchor',
        member: 'wallet',
        refusal: (handle, anchors) => ({
          detail: `Cannot drop wallet '${handle}' with anchors associated with it`,
          custom: { anchors: [...anchors] },
        }),
      },
    ],
    holds: {
      by: 'wallet',
      refusal: (handle, symbols) => ({
        detail: `Cannot drop wallet '${handle}' with balance different from zero`,
        custom: { symbols: [...symbols] },
      }),
    },
    renamable: false,
  },
  access: {
    bumpsRules: 'never',
    freeNames: true,
    conditions: {
      'wallet.canSpendAllChangedRouteTargets': {
        quantifier: 'every',
        action: 'spend',
        kind: 'wallet',
        addresses: findNewTargets,
      },
    },
  },
  filters: {
    data: ['bridge'],
    access: { data: '^bridge$' },
  },
};

/** The targets of routes that the update adds. */
function findNewTargets(data: JsonObject, before: JsonObject = {}): string[] {
  const known = new Set(routesOfData(before).map((route) => JSON.stringify(route)));
  const leading = routesOfData(data).filter(({ action }) => action === 'forward' || action === 'debit');
  return handlesOf(leading.filter((route) => !known.has(JSON.stringify(route))).map(({ target }) => target));
}

function routesOfData({ routes }: JsonObject): JsonObject[] {
  return Array.isArray(routes) ? routes.filter(isObject) : [];
}
