import { closed, common, Handle } from './data.js';
import type { Kind } from './kind.js';

/** A group of signers that rules can name as one (contract 03 §7). */
export const circle: Kind = {
  name: 'circle',
  title: 'Circle',
  missing: 'Circle',
  prefix: 'crc',
  path: 'circles',
  operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
  data: closed({ handle: Handle, ...common }),
  order: ['handle', 'schema', 'custom', 'access'],
  schemas: 'applied',
  filters: [],
  signals: ['circle-created', 'circle-updated', 'circle-proofs-added'],
  renamable: false,
  decides: 'always',
};
