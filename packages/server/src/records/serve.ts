import {
  type Change,
  type ChangeAction,
  hash as hashOf,
  type Json,
  type JsonObject,
  type RecordEnvelope,
} from '@countersign/protocol';
import { moment } from '../clock.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import type { StoredChange } from '../store/history.js';

/** `data` in its kind's served order: parent, the kind's members, then what else was sent (contract 01 §3). */
export function inOrder(kind: Kind, data: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const member of ['parent', ...kind.order]) {
    if (data[member] !== undefined) ordered[member] = data[member];
  }
  for (const [member, value] of Object.entries(data)) {
    if (!(member in ordered)) ordered[member] = value;
  }
  return ordered;
}

/** The text of a record, as it is stored and served: members in the recorded order. */
export function recordText(record: RecordEnvelope): string {
  const { hash, data, luid, meta } = record;
  return JSON.stringify({ hash, data, luid, meta });
}

/** A stored version as its change snapshot (contract 01 §9). */
export function snapshot(kind: Kind, stored: StoredChange): Change {
  const { hash, luid, meta, data } = JSON.parse(stored.body) as RecordEnvelope;
  const { proofs, status, moment, owners, labels, ...others } = meta;
  return {
    hash,
    luid,
    meta: {
      proofs,
      ...(status === undefined ? {} : { status }),
      moment,
      change: stored.change,
      action: stored.action as ChangeAction,
      owners,
      ...(kind.trail?.labels === false && labels === undefined ? {} : { labels: labels ?? null }),
      ...others,
    },
    data: kind.recorded?.(data) ?? data,
  };
}

/**
 * A signed list (contract 01 §10): `hash` is over `data`, the proof is the ledger's.
 *
 * @param ledger absent for the list of ledgers, which no ledger signs
 */
export function listText(
  service: Service,
  ledger: Ledger | undefined,
  data: readonly Json[],
  page?: { index: number; limit: number; total?: number },
): string {
  const hash = hashOf(data as Json[], service.suite);
  const now = moment(service.nature);
  const proofs = ledger ? [ledger.system.fresh(hash, { moment: now })] : [];
  return JSON.stringify({ hash, meta: { proofs, moment: now }, data, ...(page ? { page } : {}) });
}
