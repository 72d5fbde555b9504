import { closed, common, Handle } from './data.js';
import type { Kind } from './kind.js';

/** A division of a ledger whose rules its records inherit (contract 02 §2). */
export const domain: Kind = {
  name: 'domain',
  title: 'Domain',
  missing: 'Domain',
  prefix: 'dom',
  path: 'domains',
  operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
  data: closed({ handle: Handle, ...common }),
  order: ['handle', 'domain', 'schema', 'custom', 'access'],
  schemas: 'applied',
  filters: [],
  metaFilters: { less: ['domain'] },
  signals: ['domain-created', 'domain-updated', 'domain-proofs-added'],
  // A subdomain shows its parent, which a client may not send (contract 02 §2.1).
  served: (data, parent) => (parent === undefined ? data : { ...data, domain: parent }),
  renamable: false,
  decides: 'always',
};
