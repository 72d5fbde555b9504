import { hash as hashOf, type JsonObject, type Suite } from '@countersign/protocol';
import type { Kind, KindName } from '../../kinds/kind.js';
import { kindNamed, kinds } from '../../kinds/registry.js';
import { sortMembers } from '../../records/version.js';

/** Kinds whose birth records are made first; lists show them in the order in which they are made. */
const FIRST_KINDS: readonly KindName[] = ['intent', 'policy', 'bridge'];

const births = [...kinds].sort((one, other) => birthRank(one.name) - birthRank(other.name));

function birthRank(name: KindName): number {
  return FIRST_KINDS.includes(name) ? FIRST_KINDS.indexOf(name) : FIRST_KINDS.length;
}

/** The policies every ledger is born with (interface/ledgers#birth-records, interface/policies#status-policies). */
const SYSTEM_POLICIES: readonly JsonObject[] = births.flatMap(({ birth }) => birth.policies ?? []);

/** The schemas every ledger is born with (interface/ledgers#birth-records). */
const SYSTEM_SCHEMAS: readonly JsonObject[] = births.flatMap(({ name, birth: { schemas = [] } }) =>
  schemas.map(({ handle, schema, description }) => ({
    handle,
    format: 'json-schema',
    record: name,
    schema,
    custom: { description },
  })),
);

/** A policy or schema that every ledger is born with: its members in their served order, and their hash. */
export interface SystemRecord {
  readonly kind: Kind;
  readonly data: JsonObject;
  readonly hash: string;
}

let made: readonly SystemRecord[] | undefined;

/** All of them. They are the same in each ledger, and are hashed once. */
export function systemRecords(suite: Suite): readonly SystemRecord[] {
  const makeAll = (name: KindName, all: readonly JsonObject[]) => {
    const kind = kindNamed(name);
    return all.map((data) => ({ kind, data: sortMembers(kind, data), hash: hashOf(data, suite) }));
  };
  made ??= [...makeAll('policy', SYSTEM_POLICIES), ...makeAll('schema', SYSTEM_SCHEMAS)];
  return made;
}
