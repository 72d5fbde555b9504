import {
  type Change,
  type ChangeAction,
  type JsonObject,
  LedgerError,
  luid as makeLuid,
  type RecordEnvelope,
  readJson,
  type StoredProof,
} from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Write } from '../store/committer/write.js';
import type { StoredChange } from '../store/queries/history.js';
import { scope } from '../store/queries/scope.js';
import { filterDocument, formatAccessFacts } from './document.js';
import { recordLimits } from './record-limits.js';

/** The part of a write that follows from a version, whatever operation made it. */
export type VersionWrite = Omit<
  Write,
  | 'action'
  | 'mac'
  | 'leaves'
  | 'proofs'
  | 'veiled'
  | 'assumedUnregistered'
  | 'mustExist'
  | 'bumpsRules'
  | 'secrets'
  | 'blockedBy'
  | 'unique'
  | 'renames'
  | 'deliveries'
>;

/**
 * A version of a record as it is stored: the one place that derives columns from members.
 *
 * @param ledger the id, and the version of the state it was decided on
 * @param change number of this version, from 1
 * @param most bytes it may hold
 * @throws `record.invalid` when it holds more, or exceeds `recordLimits.filterable` for filters
 */
export function versionOf(
  ledger: Pick<Ledger, 'id' | 'version'>,
  kind: Kind,
  record: RecordEnvelope,
  change: number,
  most: number = recordLimits.bytes,
): VersionWrite {
  const { hash, data, luid, meta } = record;
  const body = recordText(record);
  if (Buffer.byteLength(body) > most) throw tooLarge(most);
  const link = kind.links.value?.(data);
  return {
    ledger: ledger.id,
    version: ledger.version,
    kind: kind.name,
    key: recordKeyOf(kind, record),
    luid,
    change,
    moment: meta.moment,
    hash,
    status: meta.status,
    domain: meta.domain,
    link,
    proven: link !== undefined && meta.proofs.some((proof) => proof.public === link),
    document: JSON.stringify({ [scope(ledger.id, kind.name)]: filterDocument(kind, data, meta) }),
    judged: formatAccessFacts(record, change),
    body,
  };
}

/**
 * A later version of a new record, of which only proofs and status differ from the first one.
 *
 * @param first as `versionOf` has it
 * @throws `record.invalid` when it holds more bytes than a record may
 */
export function versionAfter<First extends VersionWrite>(
  first: First,
  record: RecordEnvelope,
  { change, status, text: body }: { readonly change: number; readonly status: string; readonly text: string },
): First {
  if (Buffer.byteLength(body) > recordLimits.bytes) throw tooLarge(recordLimits.bytes);
  return { ...first, change, status, body, judged: formatAccessFacts(record, change) };
}

function tooLarge(most: number): LedgerError {
  return new LedgerError('record.invalid', `A record may hold ${most} bytes with its proofs`);
}

/** The key that is unique within the kind: the handle, unless the kind says otherwise. */
export function recordKeyOf(kind: Kind, { data }: Pick<RecordEnvelope, 'data'>): string {
  return kind.links.key?.(data) ?? String(data.handle);
}

/** The record with `proofs` appended, as of another moment. */
export function withProofs(record: RecordEnvelope, proofs: readonly StoredProof[], now: string): RecordEnvelope {
  return { ...record, meta: { ...record.meta, proofs: [...record.meta.proofs, ...proofs], moment: now } };
}

/** A luid for a new record of the kind. */
export function newLuid({ runtime }: Service, kind: Kind): string {
  return makeLuid(kind.prefix, Math.floor(runtime.now() / 1000), runtime.random(11));
}

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
