import { Type } from 'typebox';
import { closed, common, Handle, oneOfNames, PUBLIC_KEY_PATTERN } from './data.js';
import type { Kind } from './kind.js';

/** The ledger's own signers, in the order they are made and listed (contract 01 §14). */
export const SYSTEM_SIGNERS = ['system', 'core', 'system.auth', 'system.dtc'] as const;

/** A name for a public key (contract 03 §1). */
export const signer: Kind = {
  name: 'signer',
  title: 'Signer',
  missing: 'Signer',
  prefix: 'snr',
  path: 'signers',
  operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
  data: closed({
    handle: Handle,
    public: Type.String({ pattern: PUBLIC_KEY_PATTERN }),
    format: oneOfNames(['ed25519-raw']),
    // The private key, encrypted by the client: opaque here, and no secret reference.
    secret: Type.Optional(Type.String()),
    ...common,
  }),
  order: ['handle', 'schema', 'custom', 'access', 'format', 'public', 'secret'],
  schemas: 'applied',
  link: (data) => String(data.public),
  filters: ['public', 'format'],
  signals: ['signer-created', 'signer-updated', 'signer-proofs-added'],
  renamable: false,
  // Rules name signers by it.
  essence: ['schema'],
  reserved: SYSTEM_SIGNERS,
  decides: 'unless-created',
};
