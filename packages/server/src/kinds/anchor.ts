import { Type } from 'typebox';
import { common, Free, Handle, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

// Names that other systems have for a wallet: they are not resolved, so any text is accepted
// (interface/anchors#fields).
const Text = Type.String({ minLength: 1 });
const AnchorTarget = Type.Union([Text, strictObject({ handle: Text, custom: Type.Optional(Free) })]);

/** A name under which a wallet is known (interface/anchors). */
export const anchor: KindDeclaration = {
  name: 'anchor',
  about: 'A name under which a wallet is known, here or in another system.',
  title: 'Anchor',
  missing: 'Anchor',
  prefix: 'anc',
  path: 'anchors',
  data: {
    shape: strictObject({
      handle: Handle,
      target: AnchorTarget,
      wallet: Type.Optional(Handle),
      symbol: Type.Optional(Handle),
      source: Type.Optional(AnchorTarget),
      amount: Type.Optional(Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
      ...common,
    }),
    parts: { 'anchor-target': AnchorTarget },
    order: ['handle', 'wallet', 'symbol', 'target', 'source', 'amount', 'schema', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['anchor-created', 'anchor-updated', 'anchor-proofs-added', 'anchor-dropped'],
  },
  links: {
    value: ({ wallet }) => (wallet === undefined ? undefined : String(wallet)),
    // A wallet is required and must exist. When it is missing from the data, the error is that of a missing record,
    // after all checks of shape; the empty handle stands for it, as records cannot have it.
    relations: ({ wallet = '' }) => [
      { kind: 'wallet', handle: String(wallet), missing: `Cannot find anchor wallet '${wallet || undefined}'` },
    ],
    renamable: false,
  },
  access: {
    bumpsRules: 'never',
    freeNames: true,
    forwards: true,
  },
  filters: { data: ['wallet', 'target', 'symbol', 'record', 'source'] },
  trail: { labels: false },
};
