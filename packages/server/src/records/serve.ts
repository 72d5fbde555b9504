import { type Change, type ChangeAction, type JsonObject, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { StoredChange } from '../store/queries/history.js';

/**
 * `data` in its kind's served order: parent, the kind's members, then others as sent (interface/envelope#member-order).
 */
export function sortMembers(kind: Kind, data: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const member of ['parent', ...kind.data.order]) {
    if (data[member] !== undefined) ordered[member] = data[member];
  }
  for (const [member, value] of Object.entries(data)) {
    if (!Object.hasOwn(ordered, member)) ordered[member] = value;
  }
  return ordered;
}

/** The text of a record, as it is stored and served: members in the recorded order. */
export function recordText(record: RecordEnvelope): string {
  const { hash, data, luid, meta } = record;
  return JSON.stringify({ hash, data, luid, meta });
}

/** A stored version as its change snapshot (interface/records#history). */
export function snapshot(kind: Kind, stored: StoredChange): Change {
  const { hash, luid, meta, data } = readJson(stored.body) as RecordEnvelope;
  const { proofs, status, moment, owners, labels, ...others } = meta;
  return {
    hash,
    luid,
    meta: {
      proofs,
      status,
      moment,
      change: stored.change,
      action: stored.action as ChangeAction,
      owners,
      ...(kind.trail.labels === false && labels === undefined ? {} : { labels: labels ?? null }),
      ...others,
    },
    data,
  };
}
