import type { JsonObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { common, Handle, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';
import { requestInvalid } from './refusal.js';

/** A division of a ledger whose rules its records inherit (interface/domains). */
export const domain: KindDeclaration = {
  name: 'domain',
  about: 'A part of a ledger with rules of its own, for the records in it.',
  title: 'Domain',
  missing: 'Domain',
  prefix: 'dom',
  path: 'domains',
  data: {
    shape: strictObject({ handle: Handle, ...common }),
    order: ['handle', 'domain', 'schema', 'custom', 'access'],
    schemas: 'applied',
    added: { domain: Type.Optional(Handle) },
    // A subdomain shows its parent, even where the client's signed data omits it
    // (interface/hashes#the-one-exception-a-subdomain).
    served: (data, parent) => (parent === undefined ? data : { ...data, domain: parent }),
    hashed: (served, parent) => {
      const { domain, ...others } = served;
      if (domain !== parent) return [];
      return parent === undefined ? [served] : [served, others];
    },
    check: assertNotMoved,
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
    signals: ['domain-created', 'domain-updated', 'domain-proofs-added'],
  },
  links: { renamable: false },
  access: { bumpsRules: 'always', part: 'domains' },
  filters: { meta: { less: ['domain'] } },
};

/**
 * A domain stays where it was created: `domain` in its data may only repeat the parent that is shown
 * (interface/hashes#the-one-exception-a-subdomain).
 */
function assertNotMoved(data: JsonObject, previous?: JsonObject): void {
  if (data.domain === undefined || data.domain === previous?.domain) return;
  throw requestInvalid({
    instancePath: '/data',
    keyword: 'unevaluatedProperties',
    params: { unevaluatedProperty: 'domain' },
    message: 'must NOT have unevaluated properties',
  });
}
