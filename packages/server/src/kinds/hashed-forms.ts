import { hash as hashOf, type JsonObject, type RecordEnvelope, type Suite } from '@countersign/protocol';
import type { KindData } from './declaration.js';

/** The part of a kind that hashes depend on. */
interface HashedKind {
  readonly data: Pick<KindData, 'hashed'>;
}

/**
 * The forms of data that the hash of a record may cover, given the record as stored and served: its data; of a
 * subdomain also its data minus the parent that the ledger shows (interface/hashes). Empty where the record cannot be
 * what the ledger made.
 */
export function collectHashedForms(
  kind: HashedKind,
  { data, meta }: Pick<RecordEnvelope, 'data' | 'meta'>,
): readonly JsonObject[] {
  return kind.data.hashed?.(data, meta.domain) ?? [data];
}

/** Whether the hash of a record, as it is stored and served, covers its data (interface/hashes). */
export function isHashed(
  kind: HashedKind,
  record: Pick<RecordEnvelope, 'hash' | 'data' | 'meta'>,
  suite: Suite,
): boolean {
  return collectHashedForms(kind, record).some((data) => hashOf(data, suite) === record.hash);
}

/** The data, and its form minus a null `member`: early builds added the null to data that was hashed before. */
export function withoutNull(data: JsonObject, member: string): readonly JsonObject[] {
  const { [member]: value, ...others } = data;
  return value === null ? [data, others] : [data];
}
