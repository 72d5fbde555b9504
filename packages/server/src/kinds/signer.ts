import { Type } from 'typebox';
import { common, Handle, oneOfNames, PUBLIC_KEY_PATTERN, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

/** The ledger's own signers, in the order they are made and listed (interface/signers#signers-of-the-ledger). */
export const SYSTEM_SIGNERS = ['system', 'core', 'system.auth', 'system.dtc'] as const;

/** A name for a public key (interface/signers). */
export const signer: KindDeclaration = {
  name: 'signer',
  about: 'Someone with a key: what the key signs is theirs.',
  title: 'Signer',
  missing: 'Signer',
  prefix: 'snr',
  path: 'signers',
  data: {
    shape: strictObject({
      handle: Handle,
      public: Type.String({ pattern: PUBLIC_KEY_PATTERN }),
      format: oneOfNames(['ed25519-raw']),
      // The private key, encrypted by the client: opaque text, even where it looks like a secret reference.
      secret: Type.Optional(Type.String()),
      ...common,
    }),
    order: ['handle', 'schema', 'custom', 'access', 'format', 'public', 'secret'],
    schemas: 'applied',
    // Rules name signers by it.
    essence: ['schema'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
    signals: ['signer-created', 'signer-updated', 'signer-proofs-added'],
  },
  links: {
    value: (data) => String(data.public),
    isKey: true,
    renamable: false,
  },
  access: { bumpsRules: 'unless-created', reserved: SYSTEM_SIGNERS },
  filters: { data: ['public', 'format'] },
};
