import { common, Handle, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

/**
 * A signer's membership of a circle. It has no handle of its own, and is created and dropped, never updated
 * (interface/circles#members).
 */
export const circleSigner: KindDeclaration = {
  name: 'circle-signer',
  about: "A signer's membership of a circle.",
  title: 'Circle Signer',
  missing: 'Circle signer',
  prefix: 'csn',
  path: 'signers',
  data: {
    shape: strictObject({ circle: Handle, signer: Handle, ...common }),
    order: ['circle', 'signer', 'schema', 'custom', 'access'],
    schemas: 'none',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'drop', 'changes'],
    erasable: 'dropped',
    signals: [],
  },
  links: {
    under: { kind: 'circle', member: 'circle' },
    inParentsDomain: true,
    to: { kind: 'signer', member: 'signer' },
    // Handles contain no slash, so each pair has a key of its own.
    key: (data) => `${data.circle}/${data.signer}`,
    value: (data) => String(data.signer),
    relations: (data) => [
      { kind: 'signer', handle: String(data.signer), missing: `Referenced Signer ${data.signer} not found.` },
    ],
  },
  access: {
    bumpsRules: 'always',
    rightsOnParent: { create: 'assign-signer', drop: 'remove-signer', read: 'read' },
  },
  filters: { data: ['circle', 'signer'] },
  trail: { answer: 200, origin: false },
};
