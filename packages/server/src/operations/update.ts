import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, LedgerError, type Meta, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { authorize, authorizeBeside, authorizeNew } from '../authorization/authorize.js';
import { writer } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { newSubject, subjectOf } from '../authorization/context.js';
import { assertSigned, clientTrail, type Signed } from '../authorization/trail.js';
import { moment } from '../base/clock.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Decided, Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { assertNamedWithin } from '../records/domain.js';
import { assertStateFits, checkData, stepsToCheck } from '../records/kind-rules.js';
import { labelsAfter, withLabels } from '../records/labels.js';
import { assertProofs, customsOf, usesOf } from '../records/proofs.js';
import { foundRelations } from '../records/relations.js';
import { keptSecretNames, sealedSecrets } from '../records/secrets.js';
import { inOrder } from '../records/serve.js';
import {
  assertLuid,
  assertNotReserved,
  assertParentHash,
  assertUnder,
  foundRecord,
  type Stored,
} from '../records/stored.js';
import { checkUserSchema } from '../records/user-schemas.js';
import { keyOf, type Version, versionOf, withProofs } from '../records/version.js';
import { bodyChecksOf } from './bodies.js';
import type { Operation } from './operation.js';
import { SIGNED } from './refusals.js';
import { madeIt } from './repeated.js';
import { hashedFor, signedBy } from './sent.js';
import type { Handover, Stage, Stages } from './stage.js';
import { assertUnused } from './unused.js';

interface Update {
  readonly kind: Kind;
  readonly data: JsonObject;
  readonly luid?: unknown;
  readonly signed: Signed;
  readonly secrets: Readonly<Record<string, string>>;
}

/** `PUT /{kind}s/{id}`: replaces the whole of `data` (contract 01 §6). Answers 200 with the record. */
export async function update(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).update(hashedFor(session, body, token));
  await session.task.turn();
  const signed = signedBy(session, kind, sent, token);
  const change: Update = { kind, data: sent.data, luid: sent.luid, signed, secrets: sent.meta?.secret ?? {} };
  return stages(session, kind, command, async (session, stage) => {
    const stored = await foundRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'update', stored, sent.data);
    if (handover?.proxied) return proxiedUpdate(session, handover, change);
    if (!stored) throw notFound(kind);
    const caller = await writer(session, signed.proofs.signed, token);
    assertSigned(signed, caller);
    const prepared = await prepare(session, change, stored, caller, stage);
    if (!prepared) return { status: 200, body: stored.body };
    const { made, decided } = prepared;
    await session.task.turn();
    let write: Decided = { ...versionOf(session.ledger, kind, made, stored.change + 1), ...decided };
    if (handover) {
      handover.assertOneWay();
      await assertUnused(session, signed, made.luid);
      const asked = { id: handover.id, data: sent.data, signed, caller, record: made };
      const added = await handover.takeVersion(session, asked);
      const record = withProofs(made, added, moment(session.nature));
      write = { ...write, ...versionOf(session.ledger, kind, record, stored.change + 1) };
    }
    if ((await session.commit(write)) === 'done') return { status: 200, body: write.body };
    throw duplicated(kind, sent.data);
  });
}

/** An update that the ledger has decided on. */
interface Prepared {
  readonly made: RecordEnvelope;
  /** What its write is, beside the version of the record. */
  readonly decided: Omit<Decided, keyof Version>;
}

/**
 * Decides on the update as the ledger is now (contract 01 §12, Order of checks 10 to 16).
 *
 * @returns nothing when the record is as this very update left it
 */
async function prepare(
  session: Session,
  change: Update,
  stored: Stored,
  caller: Caller,
  stage: Stage,
): Promise<Prepared | undefined> {
  const { kind, data } = change;
  const { record, parent } = stored;
  const subject = subjectOf(kind, record, parent);
  const { domain } = subject.meta;
  const conditions = await conditionsOf(session, caller, subject, data);
  await authorize(session, caller, { action: 'update', kind, subject, conditions });
  const labels = labelsAfter(record.meta.labels, customsOf(change.signed.proofs));
  const anew = newSubject(kind, data, record.meta.owners, domain, labels);
  const made = { kind, subject: anew, ...(parent ? { parent } : {}) };
  const renames = data.handle !== record.data.handle;
  if ((renames && kind.links.renamable !== false) || isAnother(kind, record.data, data)) {
    await authorizeNew(session, caller, made);
  }
  assertNotReserved(kind, record);
  if (parent) assertUnder(kind, data, parent);
  const isRepeated = madeIt(session.ledger, record, change.signed);
  if (!isRepeated) assertParentHash(record, data.parent);
  assertLuid(record, change.luid);
  if (isRepeated) return undefined;
  await checkUserSchema(session, kind, data, domain);
  const needs = await foundRelations(session, kind, data);
  if (kind.links.value?.(data) !== kind.links.value?.(record.data)) await authorizeBeside(session, caller, made, needs);
  await session.task.turn(stepsToCheck(kind));
  checkData(kind, session.ledger, data, record.data);
  assertStateFits(kind, session.ledger, domain, data, record.data);
  const key = keyOf(kind, { data });
  if (renames) await assertRenamable(session, kind, record.data, data, key, domain);
  const kept = await keptSecretNames(session, kind, record);
  const meta = await stage.once(session, stored.change, () =>
    updatedMeta(session, change, record.luid, record.meta, caller),
  );
  const served = inOrder(kind, kind.data.served?.(data, meta.domain) ?? data);
  return {
    made: { hash: change.signed.hash, data: served, luid: record.luid, meta },
    decided: {
      action: 'update',
      needs,
      decides: kind.access.decides !== 'never',
      proofs: usesOf(session, change.signed.proofs),
      secrets: sealedSecrets(session, kind, data, record.luid, change.secrets, kept),
      ...(renames ? { renames } : {}),
    },
  };
}

/**
 * Whether an update makes another record of it, which whoever may update this one need not have the right to make: a
 * policy of another schema or about other records, a factor that signs where it did not.
 */
function isAnother({ data: { essence = [] } }: Kind, previous: JsonObject, data: JsonObject): boolean {
  return essence.some((member) => !isDeepStrictEqual(previous[member], data[member]));
}

/** An update of a record that only a service outside keeps: what the ledger can judge of it, it judges before (contract 02 §4). */
async function proxiedUpdate(
  session: Session,
  handover: Handover,
  { kind, data, luid, signed }: Update,
): Promise<Answer> {
  const { subject, id } = handover;
  const caller = await writer(session, signed.proofs.signed, signed.token, false);
  assertSigned(signed, caller);
  await authorize(session, caller, { action: 'update', kind, subject });
  // The right is to the record of that name: to what the bridge has under another it says nothing.
  const { handle } = subject.data;
  if (kind.links.renamable === false && handle !== undefined && handle !== data.handle)
    throw renamed(kind, subject.data);
  handover.assertOneWay();
  await checkUserSchema(session, kind, data, subject.meta.domain);
  await foundRelations(session, kind, data);
  await session.task.turn(stepsToCheck(kind));
  checkData(kind, session.ledger, data);
  const version = { id, data, signed, caller, ...(typeof luid === 'string' ? { luid } : {}) };
  return handover.answerVersion(session, version);
}

/**
 * Kept: status, owners, domain, and labels but for what the proofs say of them. Replaced: the proofs, by the new client's and
 * the ledger's (contract 01 §6, §7).
 */
async function updatedMeta(
  session: Session,
  { kind, signed }: Update,
  luid: string,
  previous: Meta,
  caller: Caller,
): Promise<Meta> {
  const now = moment(session.nature);
  const proofs = [
    ...(await clientTrail(session, kind, signed, caller, now)),
    session.ledger.system.stored(signed.hash, { luid, moment: now }),
  ];
  assertProofs(proofs);
  return withLabels({ ...previous, proofs, moment: now }, labelsAfter(previous.labels, customsOf(signed.proofs)));
}

/**
 * @throws `record.duplicated` when the new handle is taken; `record.update-rejected` when this record's may not change
 */
async function assertRenamable(
  session: Session,
  kind: Kind,
  previous: JsonObject,
  data: JsonObject,
  key: string,
  domain: string | undefined,
): Promise<void> {
  const taken = await session.store.lookup({ ledger: session.ledger.id, kind: kind.name, id: key, by: 'handle' });
  if (taken.record) throw duplicated(kind, data);
  if (kind.links.renamable === false) throw renamed(kind, previous);
  assertNamedWithin(session.ledger, kind, previous, data, domain);
}

function duplicated(kind: Kind, data: JsonObject): LedgerError {
  return new LedgerError('record.duplicated', `${kind.title} with handle ${data.handle} already exists.`);
}

function renamed(kind: Kind, { handle }: JsonObject): LedgerError {
  return new LedgerError('record.update-rejected', `Cannot change handle of ${kind.name} '${handle}'`);
}

/** The operation `update`. */
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
      'record.duplicated',
    ],
  },
  handed: 'update',
  description: {
    id: (one) => `update${one}`,
    summary: (one) => `Replace the data of ${one}`,
    body: ({ name }) => `${name}-update`,
    answers: ({ name }) => ({ 200: { text: 'The record.', component: name } }),
  },
};
