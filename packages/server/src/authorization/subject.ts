import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import { defined } from '../base/defined.js';
import type { Kind } from '../kinds/kind.js';
import { accessOf } from '../ledgers/ledger.js';
import type { Parent } from '../records/stored-record.js';

/** A record that is being created: its own rules do not count yet. */
export function newSubject(
  kind: Kind,
  data: JsonObject,
  owners: readonly string[],
  domain: string | undefined,
  labels?: readonly string[],
): Subject {
  return {
    kind: kind.name,
    access: [],
    owners,
    data,
    meta: defined({ domain, labels }),
    exists: false,
  };
}

/**
 * A stored record as the subject of an action.
 *
 * @param parent the record it lies under; its current domain counts where the kind says so
 */
export function subjectOf(kind: Kind, record: RecordEnvelope, parent?: Parent): Subject {
  const { status, labels, thread } = record.meta;
  const domain = domainOfRecord(kind, record.meta.domain, parent);
  return {
    kind: kind.name,
    access: accessOf(record),
    owners: record.meta.owners,
    data: record.data,
    meta: defined({ status, domain, labels, thread }),
    exists: true,
  };
}

/**
 * The domain that counts for a stored record.
 *
 * @param stored the one it was stored with
 * @param parent the record it lies under, whose domain counts where the kind says so
 */
export function domainOfRecord(kind: Kind, stored: string | undefined, parent?: Parent): string | undefined {
  return parent && kind.links.inParentsDomain ? parent.record.meta.domain : stored;
}
