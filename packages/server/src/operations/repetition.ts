import { isLuid, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { type AccessRequest, authorize, toAccessRequest } from '../authorization/authorize.js';
import { type ClientSignature, callerOfRead, callerOfWrite } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import { RetryLater } from '../base/retry-later.js';
import type { Kind } from '../kinds/kind.js';
import { isOwn } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { turnForText } from '../metering/task.js';
import type { Answer, Command } from '../records/command.js';
import { isSameProof, type VerifiedProof } from '../records/proofs.js';
import { type DroppedRecord, findDroppedRecord, type Parent } from '../records/stored-record.js';
import type { Write } from '../store/committer/write.js';
import type { StoredChange } from '../store/queries/history.js';

/** The answer to a create that was sent again. */
export interface RepeatedCreate {
  readonly body: string;
  /** The version that it is. */
  readonly change: NonNullable<Answer['change']>;
  /** The current record. */
  readonly subject: Subject;
}

/**
 * Whether a create whose key is taken is the very one that took it, sent again by a client that lost the answer
 * (interface/records#sending-a-request-again): the same hash and the same signatures as the record's first change.
 *
 * Anyone who has seen the body can send it again. So only callers who may read the record get its current version; all
 * others get the version that the create made.
 *
 * @param parent the record it lies under, where its kind has one
 * @returns the record, current or as it was made; undefined for another create
 * @throws OutOfDate when the ledger's state has changed
 */
export async function findRepeatedCreate(
  session: Session,
  kind: Kind,
  { key, hash }: Pick<Write, 'key' | 'hash'>,
  { proofs, token }: Pick<ClientSignature, 'proofs' | 'token'>,
  parent?: Parent,
): Promise<RepeatedCreate | undefined> {
  const record = await session.findVersion(kind.name, key, 'handle');
  if (!record) return undefined;
  const { change: first } = await session.store.history.one(
    { ledger: session.ledger.id, kind: kind.name, luid: record.luid },
    1,
  );
  if (!first) return undefined;
  await turnForText(session.task, first.body, record.body);
  const made = readJson(first.body) as RecordEnvelope;
  if (made.hash !== hash || !hasSameProofs(session, made.meta.proofs, proofs.signed)) return undefined;
  const subject = subjectOf(kind, readJson(record.body) as RecordEnvelope, parent);
  const { luid } = record;
  const of = ({ body, change }: Pick<StoredChange, 'body' | 'change'>) => ({
    body,
    change: { luid, number: change },
    subject,
  });
  if (record.change === first.change) return of(record);
  // Every reader of the record has its proofs, so only the token identifies the caller.
  const caller = await callerOfRead(session, token);
  const conditions = await conditionsOf(session, caller, subject);
  const reading = { action: 'read', kind, subject, conditions, parent } as const;
  const seen = await isAuthorized(session, caller, reading);
  return of(seen ? record : first);
}

/**
 * Whether the data of a record is what this very update made it, sent again by a client that lost the answer: the same
 * hash and the same signatures. Proofs that were added since are ignored.
 */
export function isRepeatedUpdate(
  session: Session,
  { hash, meta }: RecordEnvelope,
  { hash: sent, proofs }: ClientSignature,
): boolean {
  return hash === sent && hasSameProofs(session, meta.proofs, proofs.signed);
}

/**
 * The record that was dropped by this very drop, sent again by a client that lost the answer. Found only for callers
 * who have the right to drop the record as it last was; to all others it stays unknown.
 *
 * @param luid as sent; the path must name the record too
 */
export async function findRepeatedDrop(
  session: Session,
  kind: Kind,
  command: Command,
  luid: string,
  signed: ClientSignature,
): Promise<DroppedRecord | undefined> {
  if (!isLuid(luid, kind.prefix)) return undefined;
  const dropped = await findDroppedRecord(session, kind, command, luid);
  if (!dropped) return undefined;
  const { record, before } = dropped;
  const own = record.meta.proofs.slice(before.meta.proofs.length);
  if (!hasSameProofs(session, own, signed.proofs.signed)) return undefined;
  return (await mayDrop(session, kind, dropped, signed)) ? dropped : undefined;
}

async function mayDrop(
  session: Session,
  kind: Kind,
  { before, ...stored }: DroppedRecord,
  { proofs, token }: ClientSignature,
): Promise<boolean> {
  const caller = await callerOfWrite(session, proofs.signed, token, false);
  return isAuthorized(session, caller, toAccessRequest('drop', kind, { ...stored, record: before }));
}

async function isAuthorized(session: Session, caller: Caller, what: AccessRequest): Promise<boolean> {
  try {
    await authorize(session, caller, what);
    return true;
  } catch (error) {
    if (error instanceof LedgerError && !(error instanceof RetryLater)) return false;
    throw error;
  }
}

/**
 * Whether proofs of a version begin with exactly those of the client. The ledger's follow, then possibly those of a
 * bridge (interface/forwarding) and those that were added later.
 */
function hasSameProofs(
  session: Session,
  stored: RecordEnvelope['meta']['proofs'],
  sent: readonly VerifiedProof[],
): boolean {
  // Where the ledger itself is the client, the first proofs of its own are those that it sent.
  const own = session.isOwn ? sent.length : stored.findIndex((proof) => isOwn(session.ledger, proof.public));
  const client = own < 0 ? stored : stored.slice(0, own);
  return (
    sent.length > 0 && client.length === sent.length && client.every((proof, index) => isSameProof(proof, sent[index]))
  );
}
