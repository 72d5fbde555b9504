import { common, Handle, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

/** A group of signers that rules can name as one (interface/circles). */
export const circle: KindDeclaration = {
  name: 'circle',
  about: 'A group of signers that rules name as one.',
  title: 'Circle',
  missing: 'Circle',
  prefix: 'crc',
  path: 'circles',
  data: {
    shape: strictObject({ handle: Handle, ...common }),
    order: ['handle', 'schema', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
    signals: ['circle-created', 'circle-updated', 'circle-proofs-added'],
  },
  links: { renamable: false },
  access: { bumpsRules: 'always' },
};
