import { Type } from 'typebox';
import { closed, common, Free, Handle } from './data.js';
import type { KindDeclaration } from './kind.js';

// Whatever a wallet is known by elsewhere: not resolved, so not held to the form of an address (contract 02 §3.1).
const Text = Type.String({ minLength: 1 });
const Target = Type.Union([Text, closed({ handle: Text, custom: Type.Optional(Free) })]);

/** A name under which a wallet is known (contract 02 §3). */
export const anchor: KindDeclaration = {
  name: 'anchor',
  title: 'Anchor',
  missing: 'Anchor',
  prefix: 'anc',
  path: 'anchors',
  data: {
    shape: closed({
      handle: Handle,
      target: Target,
      wallet: Type.Optional(Handle),
      symbol: Type.Optional(Handle),
      source: Type.Optional(Target),
      amount: Type.Optional(Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
      ...common,
    }),
    order: ['handle', 'wallet', 'symbol', 'target', 'source', 'amount', 'schema', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    signals: ['anchor-created', 'anchor-updated', 'anchor-proofs-added', 'anchor-dropped'],
  },
  links: {
    value: ({ wallet }) => (wallet === undefined ? undefined : String(wallet)),
    // A wallet must be named and exist, yet its absence is told like that of the wallet, after all checks of shape.
    // No record has the empty handle.
    relations: ({ wallet = '' }) => [
      { kind: 'wallet', handle: String(wallet), missing: `Cannot find anchor wallet '${wallet || undefined}'` },
    ],
    renamable: false,
  },
  access: {
    decides: 'never',
    freeNames: true,
    forwards: true,
  },
  filters: { data: ['wallet', 'target', 'symbol', 'record', 'source'] },
  trail: { labels: false },
};
