import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, LedgerError, type Meta, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { authorize, authorizeBeside, authorizeNew } from '../authorization/authorize.js';
import { assertSignature, type ClientSignature, callerOfWrite } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { newSubject, subjectOf } from '../authorization/context.js';
import { assertLabels, type LabelChange } from '../authorization/labels-policies.js';
import { clientTrail } from '../authorization/trail.js';
import { updateOf } from '../events/occurrence.js';
import { raiseEvents } from '../events/raise.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { DecidedWrite, Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { assertStateFits, checkData, checkUserSchema, findRelations } from '../records/data-rules.js';
import { assertNamedWithin } from '../records/domain.js';
import { applyLabels, withLabels } from '../records/labels.js';
import { assertProofs } from '../records/proof-rules.js';
import { customsOf, usesOfProofs } from '../records/proofs.js';
import { checkSecretKeys, loadSecretNames, sealSecrets } from '../records/secrets.js';
import {
  assertLuid,
  assertNotReserved,
  assertParentHash,
  assertUnder,
  findRecord,
  type StoredRecord,
} from '../records/stored-record.js';
import { recordKeyOf, sortMembers, type VersionWrite, versionOf, withProofs } from '../records/version.js';
import type { HeldName } from '../store/money/holds.js';
import { addHash, bodyChecksOf } from './bodies.js';
import { hintOnPolicy, hintOnRules, hintWithin } from './hints.js';
import { type Operation, SIGNED } from './operation.js';
import { assertProofsUnused } from './proof-use.js';
import { isRepeatedUpdate } from './repetition.js';
import type { Handover, HandoverStage, Stages } from './stage.js';
import { verifySignedBody } from './verify-signed-body.js';

/** `PUT /{kind}s/{id}`: replaces the whole of `data` (interface/records#update). */
export const updateRecord: Operation = {
  name: 'update',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('update'),
  routes: () => [{ method: 'PUT', of: 'record' }],
  perform: update,
  refusals: {
    always: [
      ...SIGNED,
      'record.not-found',
      'crypto.parent-hash-invalid',
      'record.relation-not-found',
      'record.update-rejected',
      'record.labels-policy-violation',
      'record.duplicated',
    ],
  },
  handover: 'update',
  description: {
    id: (one) => `update${one}`,
    summary: (one) => `Replace the data of ${one}`,
    body: ({ name }) => `${name}-update`,
    answers: ({ name }) => ({ 200: { text: 'The record.', component: name } }),
  },
};

/** @returns 200 with the record */
// biome-ignore format: what each step refuses stands beside it
async function update(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const update = await verifyUpdate(session, kind, command);                  // record.schema-invalid, crypto.hash-invalid, crypto.signature-invalid
  const { data, signed } = update;
  return stages(session, kind, command, async (session, stage) => {
    const stored = await findRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'update', stored, data);
    if (handover?.proxied) return proxyUpdate(session, handover, update);
    if (!stored) throw notFound(kind);                                        // record.not-found
    const caller = await callerOfWrite(session, signed.proofs.signed, signed.token);
    assertSignature(signed, caller);                                          // crypto.signature-missing
    const decision = await decideUpdate(session, update, stored, caller, stage);
    const { luid } = stored.record;
    if (!decision)
      return { status: 200, body: stored.body, change: { luid, number: stored.change }, stored: 'before' };
    const { made, decided } = decision;
    await session.task.turn();
    const change = stored.change + 1;
    let record = made;
    let write: DecidedWrite = { ...versionOf(session.ledger, kind, made, change), ...decided };
    if (handover) {
      handover.assertOneWay();
      await assertProofsUnused(session, signed, made.luid);
      const added = await handover.takeVersion(session, { id: handover.id, data, signed, caller, record: made });
      record = withProofs(made, added, session.moment(made.meta));
      write = { ...write, ...versionOf(session.ledger, kind, record, change) };
    }
    const deliveries = await raiseEvents(session, updateOf({ kind, record, change }, stored.record));
    const told = hintWithin(
      () => hintOnRules(session.ledger, data, session.task) ?? hintOnPolicy(session, kind, record, caller),
    );
    if ((await session.commit({ ...write, deliveries })) !== 'done') throw handleTaken(kind, data);
    return { status: 200, body: write.body, change: { luid, number: change }, ...told };
  });
}

/** An update that has passed every check of the command alone. */
interface Update {
  readonly kind: Kind;
  readonly data: JsonObject;
  readonly luid?: unknown;
  readonly signed: ClientSignature;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Checks the shape of an update, its hash and its proofs (interface/records#order-of-checks). */
async function verifyUpdate(session: Session, kind: Kind, { body, token }: Command): Promise<Update> {
  const sent = bodyChecksOf(kind).update(addHash(session, body, token));
  const signed = await verifySignedBody(session, kind, sent, token);
  return { kind, data: sent.data, luid: sent.luid, signed, secrets: sent.meta?.secret ?? {} };
}

/** An update that the ledger has decided on. */
interface DecidedUpdate {
  readonly made: RecordEnvelope;
  /** Its write, except the version of the record. */
  readonly decided: Omit<DecidedWrite, keyof VersionWrite>;
}

/**
 * The steps of an update on the session's state (interface/records#order-of-checks), from access on.
 *
 * @returns undefined when the record is as this very update left it
 */
// biome-ignore format: what each step refuses stands beside it
async function decideUpdate(
  session: Session,
  update: Update,
  stored: StoredRecord,
  caller: Caller,
  stage: HandoverStage,
): Promise<DecidedUpdate | undefined> {
  const { kind, data, signed, secrets } = update;
  const { record, parent } = stored;
  const subject = subjectOf(kind, record, parent);
  const { domain } = subject.meta;
  const conditions = await conditionsOf(session, caller, subject, data);
  await authorize(session, caller, { action: 'update', kind, subject, conditions }); // auth.unauthorized, auth.forbidden
  const labels = applyLabels(record.meta.labels, customsOf(signed.proofs));   // record.schema-invalid, record.invalid
  const anew = { kind, subject: newSubject(kind, data, record.meta.owners, domain, labels), parent };
  const renames = data.handle !== record.data.handle;
  if (isMadeAnew(kind, record.data, data)) await authorizeNew(session, caller, anew); // auth.unauthorized, auth.forbidden
  assertNotReserved(kind, record);                                            // auth.forbidden
  if (parent) assertUnder(kind, data, parent);                                // record.invalid
  const isRepeated = isRepeatedUpdate(session, record, signed);
  if (!isRepeated) assertParentHash(record, data.parent);                     // crypto.parent-hash-invalid
  assertLuid(record, update.luid);                                            // record.invalid
  if (isRepeated) return undefined;
  await checkUserSchema(session, kind, data, domain);                         // record.relation-not-found, record.schema-invalid
  const needs = await findRelations(session, kind, data);                     // record.relation-not-found
  if (namesAnother(kind, record.data, data)) await authorizeBeside(session, caller, anew, needs); // auth.forbidden
  const unique = await assertLabels(session, labelsOfUpdate(update, subject, record, labels)); // record.labels-policy-violation
  await checkData(kind, session, data, record.data);                          // record.invalid
  await checkSecretKeys(session, kind, data, secrets, record.data);           // record.invalid
  assertStateFits(kind, session.ledger, domain, data, record.data);           // record.invalid
  if (renames) await assertRenamable(session, kind, record.data, data, domain); // record.duplicated, record.update-rejected
  const held = await assertFixedMembers(session, kind, record.data, data);    // record.update-rejected
  const kept = await loadSecretNames(session, kind, record);
  const make = () => makeMeta(session, update, record.luid, record.meta, caller); // record.invalid
  const meta = await stage.once(session, { luid: record.luid, change: stored.change }, make);
  const served = sortMembers(kind, kind.data.served?.(data, meta.domain) ?? data);
  return {
    made: { hash: signed.hash, data: served, luid: record.luid, meta },
    decided: {
      action: 'update',
      mustExist: needs,
      bumpsRules: kind.access.bumpsRules !== 'never',
      proofs: usesOfProofs(session, signed.proofs),
      secrets: sealSecrets(session, kind, data, record.luid, secrets, kept),
      unique,
      ...(held ? { blockedBy: { money: held } } : {}),
      ...(renames ? { renames } : {}),
    },
  };
}

function labelsOfUpdate(
  { kind, data }: Update,
  subject: Subject,
  { luid, meta }: RecordEnvelope,
  labels: string[] | undefined,
): LabelChange {
  return { kind, subject: { ...subject, data }, luid, key: recordKeyOf(kind, { data }), had: meta.labels, has: labels };
}

/** Whether an update takes the right to create as well: under another name, or as another record in essence. */
function isMadeAnew(kind: Kind, previous: JsonObject, data: JsonObject): boolean {
  const renames = data.handle !== previous.handle && kind.links.renamable !== false;
  return renames || isAnother(kind, previous, data);
}

/** Whether an update changes which record another one is linked by. */
function namesAnother({ links }: Kind, previous: JsonObject, data: JsonObject): boolean {
  return links.value?.(data) !== links.value?.(previous);
}

/**
 * Whether an update changes the essence of a record, and so takes the right to create as well: a policy gets another
 * schema or applies to other records, a factor becomes one that signs.
 */
function isAnother({ data: { essence = [] } }: Kind, previous: JsonObject, data: JsonObject): boolean {
  return essence.some((member) => !isDeepStrictEqual(previous[member], data[member]));
}

/**
 * Sends an update to the bridge that alone keeps the record, after every check that the ledger can make
 * (interface/forwarding).
 */
async function proxyUpdate(
  session: Session,
  handover: Handover,
  { kind, data, luid, signed }: Update,
): Promise<Answer> {
  const { subject, id } = handover;
  const caller = await callerOfWrite(session, signed.proofs.signed, signed.token, false);
  assertSignature(signed, caller);
  await authorize(session, caller, { action: 'update', kind, subject });
  // The right covers the record of that name only, so the data must keep the handle.
  const { handle } = subject.data;
  if (kind.links.renamable === false && handle !== undefined && handle !== data.handle)
    throw renameRejected(kind, subject.data);
  handover.assertOneWay();
  await checkUserSchema(session, kind, data, subject.meta.domain);
  await findRelations(session, kind, data);
  await checkData(kind, session, data);
  const version = { id, data, signed, caller, ...(typeof luid === 'string' ? { luid } : {}) };
  return handover.answerVersion(session, version);
}

/**
 * Makes the `meta` of the next version. Kept: status, owners, domain, and labels except those that the proofs change.
 * Replaced: the proofs, by the new ones of the client and the ledger (interface/records#update,
 * interface/records#add-a-proof).
 *
 * @throws `record.invalid` when it would have more proofs than a record may
 */
async function makeMeta(
  session: Session,
  { kind, signed }: Update,
  luid: string,
  previous: Meta,
  caller: Caller,
): Promise<Meta> {
  const now = session.moment(previous);
  const proofs = [
    ...(await clientTrail(session, kind, signed, caller, now)),
    session.ledger.system.stored(signed.hash, { luid, moment: now }),
  ];
  assertProofs(session, proofs);
  return withLabels({ ...previous, proofs, moment: now }, applyLabels(previous.labels, customsOf(signed.proofs)));
}

/**
 * Checks that an update keeps what money rests on (interface/wallets#symbols).
 *
 * @returns what the commit is to look for again, when such a member changes: money may come meanwhile
 * @throws `record.update-rejected`
 */
async function assertFixedMembers(
  session: Session,
  { links: { fixes } }: Kind,
  previous: JsonObject,
  data: JsonObject,
): Promise<HeldName | undefined> {
  if (!fixes || isDeepStrictEqual(previous[fixes.member], data[fixes.member])) return undefined;
  const handle = String(previous.handle);
  const held: HeldName = { by: fixes.by, id: handle };
  const found = await session.store.holds({ ledger: session.ledger.id, ...held });
  if (found.length === 0) return held;
  const { detail, hint } = fixes.refusal(handle);
  throw new LedgerError('record.update-rejected', detail, { hint });
}

/**
 * @param domain the one that the record is in
 * @throws `record.duplicated` when the new handle is taken; `record.update-rejected` when the kind fixes handles, or
 *   the new one names another domain
 */
async function assertRenamable(
  session: Session,
  kind: Kind,
  previous: JsonObject,
  data: JsonObject,
  domain: string | undefined,
): Promise<void> {
  const query = { ledger: session.ledger.id, kind: kind.name, id: recordKeyOf(kind, { data }), by: 'handle' } as const;
  if ((await session.store.findVersion(query)).record) throw handleTaken(kind, data);
  if (kind.links.renamable === false) throw renameRejected(kind, previous);
  assertNamedWithin(session.ledger, kind, previous, data, domain);
}

/** The error for an update whose new handle is taken. */
function handleTaken(kind: Kind, data: JsonObject): LedgerError {
  return new LedgerError('record.duplicated', `${kind.title} with handle ${data.handle} already exists.`);
}

/** The error for an update that changes a fixed handle. */
function renameRejected(kind: Kind, { handle }: JsonObject): LedgerError {
  return new LedgerError('record.update-rejected', `Cannot change handle of ${kind.name} '${handle}'`);
}
