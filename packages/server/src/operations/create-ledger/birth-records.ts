import type { JsonObject } from '@countersign/protocol';
import type { KindName } from '../../kinds/kind.js';
import { kinds } from '../../kinds/registry.js';

/** Kinds whose birth records are made first; lists show them in the order in which they are made. */
const FIRST_KINDS: readonly KindName[] = ['intent', 'policy', 'bridge'];

const births = [...kinds].sort((one, other) => birthRank(one.name) - birthRank(other.name));

function birthRank(name: KindName): number {
  return FIRST_KINDS.includes(name) ? FIRST_KINDS.indexOf(name) : FIRST_KINDS.length;
}

/** The policies every ledger is born with (interface/ledgers#birth-records, interface/policies#status-policies). */
export const SYSTEM_POLICIES: readonly JsonObject[] = births.flatMap(({ birth }) => birth.policies ?? []);

/** The schemas every ledger is born with (interface/ledgers#birth-records). */
export const SYSTEM_SCHEMAS: readonly JsonObject[] = births.flatMap(({ name, birth: { schemas = [] } }) =>
  schemas.map(({ handle, schema, description }) => ({
    handle,
    format: 'json-schema',
    record: name,
    schema,
    custom: { description },
  })),
);
