import { isLuid, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { turnForText } from '../metering/task.js';
import type { Command } from './command.js';
import { hintOnParent } from './hints.js';
import { recordKeyOf as versionKey } from './version.js';

/** The record another lies under. */
export interface Parent {
  readonly kind: Kind;
  readonly record: RecordEnvelope;
}

/** A current record and the number of its version. */
export interface StoredRecord {
  readonly record: RecordEnvelope;
  readonly change: number;
  /** As it is served. */
  readonly body: string;
  readonly parent?: Parent;
}

/**
 * The record a path names.
 *
 * @throws `record.not-found` (interface/records#read); `record.invalid` when a nested record belongs to another parent
 *   than the path's (interface/signers#factors); OutOfDate when it was found under another state of the ledger
 */
export async function getRecord(session: Session, kind: Kind, command: Command): Promise<StoredRecord> {
  const found = await findRecord(session, kind, command);
  if (!found) throw notFound(kind);
  return found;
}

/**
 * The record a path names; undefined when it is missing.
 *
 * @throws as `getRecord` does, except `record.not-found` for the record itself
 */
export async function findRecord(session: Session, kind: Kind, command: Command): Promise<StoredRecord | undefined> {
  const parent = await getParent(session, kind, command);
  const id = command.params.id ?? '';
  const found = isLuid(id, kind.prefix)
    ? await findStoredRecord(session, kind, { id, by: 'luid' })
    : await findStoredRecord(session, kind, { id: await resolveRecordKey(session, kind, id, parent), by: 'handle' });
  if (found && parent) assertUnder(kind, found.record.data, parent);
  return found && parent ? { ...found, parent } : found;
}

/** A dropped record, as its drop left it and as it was before. */
export interface DroppedRecord extends StoredRecord {
  readonly before: RecordEnvelope;
}

/**
 * The dropped record with this luid, if the path names it: by luid, or by the handle it had.
 *
 * @throws as `findRecord` does
 */
export async function findDroppedRecord(
  session: Session,
  kind: Kind,
  command: Command,
  luid: string,
): Promise<DroppedRecord | undefined> {
  const of = { ledger: session.ledger.id, kind: kind.name, luid };
  const latest = await session.store.history.latest(of);
  if (latest?.action !== 'drop') return undefined;
  const before = await session.findChange(of, latest.change - 1);
  await turnForText(session.task, latest.body, before?.body);
  const stored = toStored(latest.body, latest.change);
  const parent = await getParent(session, kind, command);
  if (parent) assertUnder(kind, stored.record.data, parent);
  const id = command.params.id ?? '';
  const isNamed =
    id === luid || (await resolveRecordKey(session, kind, id, parent)) === versionKey(kind, stored.record);
  if (!before || !isNamed) return undefined;
  const { record, change, body } = stored;
  const earlier = readJson(before.body) as RecordEnvelope;
  return { record, change, body, before: earlier, parent };
}

/**
 * The record a nested path goes through; undefined for kinds that are not nested.
 *
 * @throws `record.not-found` when it is missing
 */
export async function getParent(session: Session, kind: Kind, command: Command): Promise<Parent | undefined> {
  const parent = await findParent(session, kind, command);
  if (!parent && kind.links.under) throw notFound(kindNamed(kind.links.under.kind));
  return parent;
}

/** Like `getParent`, but returns undefined when it is missing. */
export async function findParent(session: Session, kind: Kind, command: Command): Promise<Parent | undefined> {
  if (!kind.links.under) return undefined;
  const above = kindNamed(kind.links.under.kind);
  const found = await findByIdOrHandle(session, above, command.params.parent ?? '');
  return found && { kind: above, record: found.record };
}

/**
 * @throws `record.invalid` when `data` names another parent than the path (interface/signers#factors,
 *   interface/circles#members)
 */
export function assertUnder(kind: Kind, data: RecordEnvelope['data'], parent: Parent): void {
  const member = kind.links.under?.member ?? '';
  if (data[member] === parent.record.data.handle) return;
  throw new LedgerError(
    'record.invalid',
    `${parent.kind.title} in the request does not match the ${member} in the data`,
  );
}

/**
 * @throws `crypto.parent-hash-invalid` unless `parent` is the hash of the current version (interface/records#update,
 *   interface/records#drop)
 */
export function assertParentHash(record: RecordEnvelope, parent: unknown): void {
  if (typeof parent === 'string' && parent.toLowerCase() === record.hash) return;
  const detail = "Hash verification failed, hashes don't match";
  throw new LedgerError('crypto.parent-hash-invalid', detail, { hint: hintOnParent(record, parent) });
}

/**
 * @throws `auth.forbidden` for a record of the ledger's own, which rules cannot open to anyone
 *   (interface/signers#signers-of-the-ledger)
 */
export function assertNotReserved(kind: Kind, record: RecordEnvelope): void {
  if (!kind.access.reserved?.includes(String(record.data.handle))) return;
  throw new LedgerError('auth.forbidden', `Cannot update ${kind.name}.`);
}

/** @throws `record.invalid` when a luid other than the record's was sent (interface/records#update) */
export function assertLuid(record: RecordEnvelope, luid: unknown): void {
  if (luid === undefined || luid === record.luid) return;
  throw new LedgerError('record.invalid', 'Luid in the request does not match the luid of the record');
}

async function findStoredRecord(
  session: Session,
  kind: Kind,
  query: { id: string; by: 'handle' | 'luid' },
): Promise<StoredRecord | undefined> {
  // PostgreSQL text cannot hold it, and handles never do.
  if (query.id.includes('\u0000')) return undefined;
  const { version, record } = await session.store.findVersion({ ledger: session.ledger.id, kind: kind.name, ...query });
  session.assertFresh({ version: version });
  if (!record) return undefined;
  // Most reads only pass the body on; a long one makes later work long.
  await turnForText(session.task, record.body);
  return toStored(record.body, record.change);
}

/** A stored version. Its body is parsed on first access to the record: most reads only pass it on. */
function toStored(body: string, change: number): StoredRecord {
  let record: RecordEnvelope | undefined;
  return {
    body,
    change,
    get record() {
      record ??= readJson(body) as RecordEnvelope;
      return record;
    },
  };
}

/** A record by luid or handle, for kinds whose key is their handle. */
function findByIdOrHandle(session: Session, kind: Kind, id: string): Promise<StoredRecord | undefined> {
  return findStoredRecord(session, kind, { id, by: isLuid(id, kind.prefix) ? 'luid' : 'handle' });
}

/**
 * The key that a path's last id stands for: the handle; or, for kinds that have no handle, what the kind makes of the
 * handle (or luid) of the record it links and of the one it lies under.
 */
async function resolveRecordKey(session: Session, kind: Kind, id: string, parent: Parent | undefined): Promise<string> {
  if (!kind.links.to || !kind.links.key || !kind.links.under || !parent) return id;
  const linked = kindNamed(kind.links.to.kind);
  const record = isLuid(id, linked.prefix) ? (await findByIdOrHandle(session, linked, id))?.record : undefined;
  return kind.links.key({
    [kind.links.under.member]: parent.record.data.handle ?? '',
    [kind.links.to.member]: record?.data.handle ?? id,
  });
}
