import { LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { authorize, toAccessRequest } from '../authorization/authorize.js';
import { assertSignature, type ClientSignature, callerOfWrite } from '../authorization/caller.js';
import { assertMayClose } from '../authorization/last-policy.js';
import { clientTrail } from '../authorization/trail.js';
import { dropOf } from '../events/occurrence.js';
import { raiseEvents } from '../events/raise.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { DecidedWrite, Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { usesOfProofs } from '../records/proofs.js';
import type { SentDrop } from '../records/sent-record.js';
import { assertLuid, assertParentHash, findRecord, type StoredRecord } from '../records/stored-record.js';
import { versionOf } from '../records/version.js';
import { addHash, bodyChecksOf } from './bodies.js';
import { findDropRefusal, holderOf } from './drop-refusal.js';
import { type Operation, SIGNED } from './operation.js';
import { assertProofsUnused } from './proof-use.js';
import { findRepeatedDrop } from './repetition.js';
import type { Handover, Stages } from './stage.js';
import { mayEnd } from './stored-bytes.js';
import { verifySignedBody } from './verify-signed-body.js';

/**
 * `DELETE /{kind}s/{id}` and `POST /{kind}s/{id}/drop` (interface/records#drop): removes the record; its history stays
 * readable by luid. Answers 204.
 */
// biome-ignore format: what each step refuses stands beside it
export async function drop(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).drop(addHash(session, body, token));          // record.schema-invalid
  const signed = await verifySignedBody(session, kind, sent, token);            // crypto.hash-invalid, crypto.signature-missing, crypto.signature-invalid, record.invalid
  return stages(session, kind, command, async (session, stage) => {
    const stored = await findRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'drop', stored);
    if (handover?.proxied) return proxyDrop(session, kind, handover, sent, signed);
    if (!stored) {
      const dropped = await findRepeatedDrop(session, kind, command, sent.luid, signed);
      if (!dropped) throw notFound(kind);                                       // record.not-found
      return { status: 204, change: { luid: dropped.record.luid, number: dropped.change }, stored: 'before' };
    }
    const caller = await callerOfWrite(session, signed.proofs.signed, token);
    assertSignature(signed, caller);                                            // crypto.signature-missing
    await authorize(session, caller, toAccessRequest('drop', kind, stored));    // auth.unauthorized, auth.forbidden
    const handle = String(stored.record.data.handle);
    await assertMayClose(session, kind, caller, { handle });                    // auth.forbidden
    assertParentHash(stored.record, sent.data.parent);                          // crypto.parent-hash-invalid
    assertLuid(stored.record, sent.luid);                                       // record.invalid
    const refused = await findDropRefusal(session, kind, stored.record);
    if (refused) throw new LedgerError('record.drop-rejected', refused.detail, refused.custom); // record.drop-rejected
    if (handover) {
      await assertProofsUnused(session, signed, stored.record.luid);
      await handover.takeDrop(session, sent, signed, caller);
    }
    const dropped = await makeDroppedRecord(session, kind, stored.record, signed, caller);
    await session.task.turn();
    const version = { kind, record: dropped, change: stored.change + 1 };
    const deliveries = await raiseEvents(session, dropOf(version, stored.record));
    const write = dropWrite(session, kind, session.ledger, dropped, stored, signed);
    await session.commit({ ...write, deliveries, mayExceed: mayEnd(write, stored.body) });
    return { status: 204, change: { luid: dropped.luid, number: version.change } };
  });
}

/** A drop of a record that only a bridge keeps. */
async function proxyDrop(
  session: Session,
  kind: Kind,
  handover: Handover,
  sent: SentDrop,
  signed: ClientSignature,
): Promise<Answer> {
  const caller = await callerOfWrite(session, signed.proofs.signed, signed.token, false);
  assertSignature(signed, caller);
  await authorize(session, caller, { action: 'drop', kind, subject: handover.subject });
  return handover.answerDrop(session, sent, signed, caller);
}

/**
 * The last version: data and hash unchanged, with the client's and the ledger's proofs of the drop. These are over the
 * hash of `{"parent": <hash of this version>}`, which anyone can compute from it (interface/records#history).
 */
async function makeDroppedRecord(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
  signed: ClientSignature,
  caller: Caller,
): Promise<RecordEnvelope> {
  const now = session.moment(record.meta);
  return {
    ...record,
    meta: {
      ...record.meta,
      proofs: [
        ...record.meta.proofs,
        ...(await clientTrail(session, kind, signed, caller, now)),
        session.ledger.system.stored(signed.hash, { luid: record.luid, moment: now, status: 'dropped' }),
      ],
      status: 'dropped',
      moment: now,
    },
  };
}

function dropWrite(
  service: Service,
  kind: Kind,
  ledger: Ledger,
  record: RecordEnvelope,
  { change }: StoredRecord,
  { proofs }: ClientSignature,
): DecidedWrite {
  const handle = String(record.data.handle);
  const dependants = kind.links.dependants?.map((dependant) => ({ kind: dependant.kind, link: handle }));
  return {
    // A record that is too large to change can still be dropped.
    ...versionOf(ledger, kind, record, change + 1, Number.POSITIVE_INFINITY),
    action: 'drop',
    mustExist: [],
    bumpsRules: kind.access.bumpsRules !== 'never',
    proofs: usesOfProofs(service, proofs),
    blockedBy: { dependants, money: holderOf(kind, record) },
  };
}

/** The operation `drop`. */
export const dropRecord: Operation = {
  name: 'drop',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('drop'),
  routes: () => [
    { method: 'DELETE', of: 'record' },
    { method: 'POST', of: 'record', path: '/drop', alias: 'ByPost' },
  ],
  perform: drop,
  refusals: { always: [...SIGNED, 'record.not-found', 'crypto.parent-hash-invalid', 'record.drop-rejected'] },
  handover: 'drop',
  description: {
    id: (one) => `drop${one}`,
    summary: (one) => `Drop ${one}; its history stays readable by luid`,
    body: ({ name }) => `${name}-drop`,
    answers: () => ({ 204: { text: 'Dropped. No body.' } }),
  },
};
