import { closed, common, Handle } from './data.js';
import type { KindDeclaration } from './kind.js';

/** A signer's membership of a circle: no handle of its own, made and dropped, never updated (contract 03 §7). */
export const circleSigner: KindDeclaration = {
  name: 'circle-signer',
  title: 'Circle Signer',
  missing: 'Circle signer',
  prefix: 'csn',
  path: 'signers',
  data: {
    shape: closed({ circle: Handle, signer: Handle, ...common }),
    order: ['circle', 'signer', 'schema', 'custom', 'access'],
    schemas: 'none',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'drop', 'changes'],
    signals: [],
  },
  links: {
    under: { kind: 'circle', member: 'circle' },
    inParentsDomain: true,
    to: { kind: 'signer', member: 'signer' },
    // A handle holds no slash, so two memberships never share a key.
    key: (data) => `${data.circle}/${data.signer}`,
    value: (data) => String(data.signer),
    relations: (data) => [
      { kind: 'signer', handle: String(data.signer), missing: `Referenced Signer ${data.signer} not found.` },
    ],
  },
  access: {
    decides: 'always',
    rightsOnParent: { create: 'assign-signer', drop: 'remove-signer', read: 'read' },
  },
  filters: { data: ['circle', 'signer'] },
  trail: { answer: 200, origin: false },
};
