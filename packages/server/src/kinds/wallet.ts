import { Type } from 'typebox';
import { limits } from '../limits.js';
import { closed, common, Free, Handle, oneOfNames } from './data.js';
import type { KindDeclaration } from './kind.js';

/** Where claims on a wallet go instead of the wallet itself; a target need not exist yet (contract 04 §8). */
const Route = closed({
  action: oneOfNames(['debit', 'credit', 'accept', 'forward']),
  filter: Type.Optional(Free),
  target: Type.Optional(Handle),
});

/** A holder of balances (contract 04 §2). */
export const wallet: KindDeclaration = {
  name: 'wallet',
  title: 'Wallet',
  missing: 'Wallet',
  prefix: 'wlt',
  path: 'wallets',
  data: {
    shape: closed({
      handle: Handle,
      bridge: Type.Optional(Handle),
      routes: Type.Optional(Type.Array(Route, { maxItems: limits.routes })),
      ...common,
    }),
    order: ['handle', 'schema', 'bridge', 'routes', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    signals: ['wallet-created', 'wallet-updated', 'wallet-proofs-added', 'wallet-dropped'],
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
    renamable: false,
  },
  access: {
    decides: 'never',
    freeNames: true,
  },
  filters: {
    data: ['bridge'],
  },
};
