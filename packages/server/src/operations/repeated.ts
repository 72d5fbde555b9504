import { isLuid, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { type Asked, asked, authorize } from '../authorization/authorize.js';
import { callerOfRead, callerOfWrite } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import type { Signed } from '../authorization/trail.js';
import type { Kind } from '../kinds/kind.js';
import { isOwn } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { stepsOfText } from '../metering/task.js';
import type { Command } from '../records/command.js';
import { isSameProof, type VerifiedProof } from '../records/proofs.js';
import { type Dropped, droppedRecord, type Parent } from '../records/stored.js';
import type { Write } from '../store/committer/write.js';

/** A create that was sent again, and what it is answered. */
export interface Repeated {
  readonly body: string;
  /** The record as it is now. */
  readonly subject: Subject;
}

/**
 * Whether a create whose key is taken is the very one that took it, sent again by a client that lost the answer
 * (interface/records#sending-a-request-again): the same hash and the same signatures as the record's first change.
 *
 * Anybody who has seen the body can send it again. So what has become of the record since is for who may read it; all
 * others are told what they were told, or could have been, the first time.
 *
 * @param parent the record it lies under, where its kind has one
 * @returns the record, as it is now or as it was made; or nothing
 * @throws OutOfDate when the ledger's state is not the one it was found under
 */
export async function repeatedCreate(
  session: Session,
  kind: Kind,
  { key, hash }: Pick<Write, 'key' | 'hash'>,
  { proofs, token }: Pick<Signed, 'proofs' | 'token'>,
  parent?: Parent,
): Promise<Repeated | undefined> {
  const record = await session.lookup(kind.name, key, 'handle');
  if (!record) return undefined;
  const { change: first } = await session.store.history.one(
    { ledger: session.ledger.id, kind: kind.name, luid: record.luid },
    1,
  );
  if (!first) return undefined;
  await session.task.turn(stepsOfText(first.body) + stepsOfText(record.body));
  const made = JSON.parse(first.body) as RecordEnvelope;
  if (made.hash !== hash || !areSame(session, made.meta.proofs, proofs.signed)) return undefined;
  const subject = subjectOf(kind, JSON.parse(record.body) as RecordEnvelope, parent);
  if (record.change === first.change) return { body: record.body, subject };
  // Its proofs are the record's own, and show nothing of who sends them.
  const caller = await callerOfRead(session, token);
  const conditions = await conditionsOf(session, caller, subject);
  const reading = { action: 'read', kind, subject, conditions, ...(parent ? { parent } : {}) } as const;
  const seen = await isAuthorized(session, caller, reading);
  return { body: seen ? record.body : first.body, subject };
}

/**
 * Whether the data of a record is what this very update made it, sent again by a client that lost the answer: the same
 * hash and the same signatures. Proofs that were added since change nothing about that.
 */
export function madeIt(session: Session, { hash, meta }: RecordEnvelope, { hash: sent, proofs }: Signed): boolean {
  return hash === sent && areSame(session, meta.proofs, proofs.signed);
}

/**
 * Whether the record that a drop asks for is gone because of this very drop, sent again by a client that lost the answer.
 * Only who could drop the record still is told so: to all others it is as if it had never been.
 *
 * @param luid as sent; the path must name the record too
 */
export async function repeatedDrop(
  session: Session,
  kind: Kind,
  command: Command,
  luid: string,
  signed: Signed,
): Promise<boolean> {
  if (!isLuid(luid, kind.prefix)) return false;
  const dropped = await droppedRecord(session, kind, command, luid);
  if (!dropped) return false;
  const { record, before } = dropped;
  if (!areSame(session, record.meta.proofs.slice(before.meta.proofs.length), signed.proofs.signed)) return false;
  return mayDrop(session, kind, dropped, signed);
}

async function mayDrop(
  session: Session,
  kind: Kind,
  { before, ...stored }: Dropped,
  { proofs, token }: Signed,
): Promise<boolean> {
  const caller = await callerOfWrite(session, proofs.signed, token, false);
  return isAuthorized(session, caller, asked('drop', kind, { ...stored, record: before }));
}

async function isAuthorized(session: Session, caller: Caller, what: Asked): Promise<boolean> {
  try {
    await authorize(session, caller, what);
    return true;
  } catch (error) {
    if (error instanceof LedgerError) return false;
    throw error;
  }
}

/**
 * Whether proofs of a version begin with exactly those of the client. After the client's come the ledger's, and then there
 * may be those of a bridge (interface/forwarding) and what was added later.
 */
function areSame(session: Session, stored: RecordEnvelope['meta']['proofs'], sent: readonly VerifiedProof[]): boolean {
  // Where the ledger itself is the client, its proofs are as many as it has sent.
  const own = session.isOwn ? sent.length : stored.findIndex((proof) => isOwn(session.ledger, proof.public));
  const client = own < 0 ? stored : stored.slice(0, own);
  return (
    sent.length > 0 && client.length === sent.length && client.every((proof, index) => isSameProof(proof, sent[index]))
  );
}
