import { closed, common, Handle } from './data.js';
import type { Kind } from './kind.js';

/** A signer's membership of a circle: no handle of its own, made and dropped, never updated (contract 03 §7). */
export const circleSigner: Kind = {
  name: 'circle-signer',
  title: 'Circle Signer',
  missing: 'Circle signer',
  prefix: 'csn',
  path: 'signers',
  under: { kind: 'circle', member: 'circle' },
  inParentsDomain: true,
  links: { kind: 'signer', member: 'signer' },
  rightsOnParent: { create: 'assign-signer', drop: 'remove-signer', read: 'read' },
  operations: ['create', 'list', 'read', 'drop', 'changes'],
  data: closed({ circle: Handle, signer: Handle, ...common }),
  order: ['circle', 'signer', 'schema', 'custom', 'access'],
  schemas: 'none',
  link: (data) => String(data.signer),
  filters: ['circle', 'signer'],
  signals: [],
  // A handle holds no slash, so two memberships never share a key.
  key: (data) => `${data.circle}/${data.signer}`,
  relations: (data) => [
    { kind: 'signer', handle: String(data.signer), missing: `Referenced Signer ${data.signer} not found.` },
  ],
  decides: 'always',
  trail: { answer: 200, origin: false },
};
