import { Type } from 'typebox';
import { closed, common, Free, Handle } from './data.js';
import type { Kind } from './kind.js';

// Whatever a wallet is known by elsewhere: not resolved, so not held to the form of an address (contract 02 §3.1).
const Text = Type.String({ minLength: 1 });
const Target = Type.Union([Text, closed({ handle: Text, custom: Type.Optional(Free) })]);

/** A name under which a wallet is known (contract 02 §3). */
export const anchor: Kind = {
  name: 'anchor',
  title: 'Anchor',
  missing: 'Anchor',
  prefix: 'anc',
  path: 'anchors',
  operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
  data: closed({
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
  link: ({ wallet }) => (wallet === undefined ? undefined : String(wallet)),
  filters: ['wallet', 'target', 'symbol', 'record', 'source'],
  signals: ['anchor-created', 'anchor-updated', 'anchor-proofs-added', 'anchor-dropped'],
  // A wallet must be named and exist, yet its absence is told like that of the wallet, after all checks of shape.
  // No record has the empty handle.
  relations: ({ wallet = '' }) => [
    { kind: 'wallet', handle: String(wallet), missing: `Cannot find anchor wallet '${wallet || undefined}'` },
  ],
  freeNames: true,
  renamable: false,
  forwards: true,
  decides: 'never',
  trail: { labels: false },
};
