import type { RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import type { Subject } from '../../access/context.js';
import { authorizeBeside, authorizeNew } from '../../authorization/authorize.js';
import { assertSignature, callerOfWrite } from '../../authorization/caller.js';
import { assertLabels, type LabelChange } from '../../authorization/labels-policies.js';
import { assertMayReveal, revealSecrets } from '../../authorization/reveal.js';
import { assertMayBeCreated } from '../../authorization/status.js';
import { creationOf } from '../../events/occurrence.js';
import { raiseEvents } from '../../events/raise.js';
import type { Kind } from '../../kinds/kind.js';
import { type DecidedWrite, proofReused, type Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { assertStateFits, checkData, checkUserSchema, findRelations } from '../../records/data-rules.js';
import { applyLabels } from '../../records/labels.js';
import { customsOf, usesOfProofs, verifyHash } from '../../records/proofs.js';
import { checkSecretKeys, sealSecrets } from '../../records/secrets.js';
import type { SentRecord } from '../../records/sent-record.js';
import { newLuid, recordKeyOf, type VersionWrite, versionOf, withProofs } from '../../records/version.js';
import type { Write } from '../../store/committer/write.js';
import { asksForSecrets } from '../asks-for-secrets.js';
import { addHash, bodyChecksOf } from '../bodies.js';
import { hintOnRules, hintWithin } from '../hints.js';
import { type Operation, SIGNED } from '../operation.js';
import { assertProofsUnused } from '../proof-use.js';
import type { HandoverStage, Stages } from '../stage.js';
import { verifyProofs } from '../verify-signed-body.js';
import { answerTaken, isKeyTaken } from './existing-record.js';
import {
  assertDomain,
  assertNotUnderReserved,
  type Creation,
  generateData,
  makeRecord,
  type Placement,
  resolvePlacement,
} from './new-record.js';

/** `POST /{kind}s` (interface/records#create). */
export const createRecord: Operation = {
  name: 'create',
  isOf: ({ only, lifecycle }) => only === undefined && lifecycle.operations.includes('create'),
  routes: () => [{ method: 'POST', of: 'records' }],
  perform: answerCreate,
  refusals: {
    always: [
      ...SIGNED,
      'record.relation-not-found',
      'record.status-policy-violation',
      'record.labels-policy-violation',
      'record.duplicated',
    ],
    nested: ['record.not-found'],
  },
  handover: 'create',
  description: {
    id: (one) => `create${one}`,
    summary: (one) => `Create ${one}`,
    body: ({ name }) => `${name}-create`,
    parameters: ['include'],
    answers({ name, trail }) {
      const status = trail.answer ?? 201;
      const repeated = { text: 'The record as it is: the same signed body was stored before.', component: name };
      const created = { text: 'The record, countersigned.', component: name };
      return status === 200 ? { 200: created } : { 200: repeated, [status]: created };
    },
  },
};

/**
 * @returns 201 (circle signers: 200) with the record, countersigned; 200 when the same signed body was stored before
 *   (interface/records#sending-a-request-again)
 */
async function answerCreate(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const creation = await verifyCreate(session, kind, command);
  return stages(session, kind, command, (session, stage) => decideCreate(session, creation, stage));
}

/** The first steps of a create, which depend on the command alone (interface/records#order-of-checks). */
// biome-ignore format: what each step refuses stands beside it
async function verifyCreate(session: Session, kind: Kind, command: Command): Promise<Creation> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).create(addHash(session, body, token));      // record.schema-invalid
  await session.task.turn();
  const hash = verifyHash(session, sent);                                     // crypto.hash-invalid
  const ahead = await verifyAhead(session, kind, sent);
  const signed = verifyProofs(ahead, kind, hash, sent, token);                // crypto.signature-missing, crypto.signature-invalid, record.invalid
  const labels = applyLabels(undefined, customsOf(signed.proofs));            // record.schema-invalid, record.invalid
  const reveals = asksForSecrets(kind, command);                              // api.query-malformed
  const { data, meta } = sent;
  const luid = command.luid ?? newLuid(session, kind);
  return { kind, command, data, signed, labels, luid, secrets: meta?.secret ?? {}, reveals };
}

/** The other steps of a create, on the session's state (interface/records#order-of-checks). */
// biome-ignore format: what each step refuses stands beside it
async function decideCreate(session: Session, creation: Creation, stage: HandoverStage): Promise<Answer> {
  const { kind, data, signed, secrets } = creation;
  const { proofs, token } = signed;
  const caller = await callerOfWrite(session, proofs.signed, token, !stage.handsOver(session, 'create'));
  assertSignature(signed, caller);                                            // crypto.signature-missing
  const place = await resolvePlacement(session, creation, caller);            // record.not-found
  const { subject, domain } = place;
  await authorizeNew(session, caller, place);                                 // auth.unauthorized, auth.forbidden
  assertNotUnderReserved(kind, data);                                         // auth.forbidden
  if (creation.reveals) await assertMayReveal(session, kind, caller, subject); // auth.unauthorized, auth.forbidden
  await checkUserSchema(session, kind, data, domain);                         // record.relation-not-found, record.schema-invalid
  const needs = await findRelations(session, kind, data);                     // record.relation-not-found
  assertDomain(session.ledger, kind, domain, data, proofs);                   // record.relation-not-found, record.invalid
  await authorizeBeside(session, caller, place, needs);                       // auth.forbidden
  const unique = await assertLabels(session, labelsOfCreation(creation, place));      // record.labels-policy-violation
  await checkData(kind, session, data);                                       // record.invalid
  await checkSecretKeys(session, kind, data, secrets);                        // record.invalid
  assertStateFits(kind, session.ledger, domain, data);                        // record.invalid
  await assertMayHaveStatus(session, kind, subject);                          // record.status-policy-violation
  const completion = generateData(session, kind, data, secrets);
  const made = await stage.once(session, { luid: creation.luid, change: 0 }, () =>
    makeRecord(session, creation, caller, place, completion),                 // record.invalid
  );
  const full = completion ?? creation;
  const decided: Decided = {
    action: 'create',
    mustExist: needs,
    bumpsRules: kind.access.bumpsRules === 'always',
    proofs: usesOfProofs(session, proofs),
    secrets: sealSecrets(session, kind, full.data, made.luid, full.secrets, new Set()),
    unique,
  };
  return storeCreate(session, creation, caller, place, made, decided, stage); // record.duplicated
}

/** The write of a create, except the version of the record. */
type Decided = Omit<DecidedWrite, keyof VersionWrite>;

/** The last steps: a bridge takes the record where policies say so, and the ledger stores it with its events. */
async function storeCreate(
  session: Session,
  creation: Creation,
  caller: Caller,
  { subject, parent }: Placement,
  made: RecordEnvelope,
  decided: Decided,
  stage: HandoverStage,
): Promise<Answer> {
  const { kind, data, signed } = creation;
  const taken = () => answerTaken(session, creation, caller, made, parent);
  const handover = stage.ofNew(session, subject);
  await session.task.turn();
  let record = made;
  let write: DecidedWrite = { ...versionOf(session.ledger, kind, made, 1), ...decided };
  if (handover) {
    if (await isKeyTaken(session, kind, made)) return taken();
    await assertProofsUnused(session, signed, made.luid);
    const asked = { data, signed, caller, record: made };
    if (handover.proxied) return handover.answerVersion(session, asked);
    const added = await handover.takeVersion(session, asked);
    record = withProofs(made, added, session.moment(made.meta));
    write = { ...write, ...versionOf(session.ledger, kind, record, 1) };
  }
  const deliveries = await raiseEvents(session, creationOf({ kind, record, change: 1 }));
  // An intent is stored together with what follows from it at once.
  const settle = kind.lifecycle.isProcessed
    ? (full: Write) => session.settle({ session, record, write: full, isForwarded: handover !== undefined })
    : undefined;
  const told = hintWithin(() => hintOnRules(session.ledger, data, session.task));
  // Settling codes the first version with those that follow.
  const stored = await session.commit({ ...write, deliveries }, settle, settle === undefined);
  // A repeated create has a new luid; its key is taken by the record that it made.
  if (stored === 'reused' && !(await isKeyTaken(session, kind, made))) throw proofReused();
  if (stored !== 'done') return taken();
  const change = { luid: write.luid, number: write.change };
  const answer = { status: kind.trail.answer ?? 201, body: write.body, change, ...told };
  return creation.reveals ? revealSecrets(session, kind, answer, write.secrets) : answer;
}

/**
 * The session, with a suite that has verified the proofs already. For intents: the main thread bounds how many are settled.
 */
async function verifyAhead(session: Session, kind: Kind, { meta }: SentRecord): Promise<Session> {
  const proofs = meta?.proofs ?? [];
  // Too many are refused before any is verified.
  if (!kind.lifecycle.isProcessed || proofs.length > session.recordProofs) return session;
  const suite = await session.signatures.verifyAhead(session.ledger.id, proofs);
  await session.task.turn();
  return { ...session, suite };
}

function labelsOfCreation({ kind, data, luid, labels }: Creation, { subject }: Placement): LabelChange {
  return { kind, subject, luid, key: recordKeyOf(kind, { data }), had: [], has: labels };
}

async function assertMayHaveStatus(session: Session, kind: Kind, subject: Subject): Promise<void> {
  await session.task.turn();
  if (kind.lifecycle.createdByPolicy) assertMayBeCreated(session.task, session.ledger, kind, subject);
}
