import { hash as hashOf, type JsonObject, type RecordEnvelope, type Suite } from '@countersign/protocol';
import type { Data } from './declaration.js';

/** A kind, as far as hashes differ by it. */
interface Hashed {
  readonly data: Pick<Data, 'hashed'>;
}

/**
 * What the hash of a record may be of, given the record as it is stored and served, whatever operation made it: its
 * data; of a subdomain also its data without the parent that the ledger shows (interface/hashes). None where the
 * record cannot be what the ledger made.
 */
export function hashedForms(
  kind: Hashed,
  { data, meta }: Pick<RecordEnvelope, 'data' | 'meta'>,
): readonly JsonObject[] {
  return kind.data.hashed?.(data, meta.domain) ?? [data];
}

/** Whether the hash of a record, as it is stored and served, is that of its data (interface/hashes). */
export function isHashed(kind: Hashed, record: Pick<RecordEnvelope, 'hash' | 'data' | 'meta'>, suite: Suite): boolean {
  return hashedForms(kind, record).some((data) => hashOf(data, suite) === record.hash);
}

/** The data, and without a null `member`: early builds added one to data that was hashed without it. */
export function withoutNull(data: JsonObject, member: string): readonly JsonObject[] {
  const { [member]: value, ...others } = data;
  return value === null ? [data, others] : [data];
}
