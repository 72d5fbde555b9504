import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { authorize, authorizeNew } from '../../authorization/authorize.js';
import { authorizeBeside } from '../../authorization/beside.js';
import { callerOfWrite } from '../../authorization/caller.js';
import { assertSignature } from '../../authorization/client-signature.js';
import { conditionsOf } from '../../authorization/conditions.js';
import { assertLabels } from '../../authorization/labels-policies.js';
import { newSubject, subjectOf } from '../../authorization/subject.js';
import type { Kind } from '../../kinds/kind.js';
import type { DecidedWrite, Session } from '../../ledgers/session.js';
import type { Answer } from '../../records/command.js';
import { assertStateFits, checkData } from '../../records/kind-rules.js';
import { applyLabels } from '../../records/labels.js';
import { customsOf, usesOfProofs } from '../../records/proofs.js';
import { findRelations } from '../../records/relations.js';
import { checkSecretKeys, loadSecretNames, sealSecrets } from '../../records/secrets.js';
import { sortMembers } from '../../records/serve.js';
import {
  assertLuid,
  assertNotReserved,
  assertParentHash,
  assertUnder,
  type StoredRecord,
} from '../../records/stored-record.js';
import { checkUserSchema } from '../../records/user-schemas.js';
import { recordKeyOf, type VersionWrite } from '../../records/version.js';
import { isRepeatedUpdate } from '../repetition.js';
import type { HandOverStage, Handover } from '../stage.js';
import { assertFixedMembers } from './fixed-members.js';
import { makeMeta } from './make-version.js';
import { assertRenamable, renameRejected } from './rename.js';
import type { Update } from './verify.js';

/** An update that the ledger has decided on. */
export interface DecidedUpdate {
  readonly made: RecordEnvelope;
  /** Its write, except the version of the record. */
  readonly decided: Omit<DecidedWrite, keyof VersionWrite>;
}

/**
 * Decides an update on the session's state (interface/records#order-of-checks).
 *
 * @returns undefined when the record is as this very update left it
 */
export async function decideUpdate(
  session: Session,
  update: Update,
  stored: StoredRecord,
  caller: Caller,
  stage: HandOverStage,
): Promise<DecidedUpdate | undefined> {
  const { kind, data, signed } = update;
  const { record, parent } = stored;
  const subject = subjectOf(kind, record, parent);
  const { domain } = subject.meta;
  const conditions = await conditionsOf(session, caller, subject, data);
  await authorize(session, caller, { action: 'update', kind, subject, conditions });
  const labels = applyLabels(record.meta.labels, customsOf(signed.proofs));
  const anew = newSubject(kind, data, record.meta.owners, domain, labels);
  const made = { kind, subject: anew, parent };
  const renames = data.handle !== record.data.handle;
  if ((renames && kind.links.renamable !== false) || isAnother(kind, record.data, data)) {
    await authorizeNew(session, caller, made);
  }
  assertNotReserved(kind, record);
  if (parent) assertUnder(kind, data, parent);
  const isRepeated = isRepeatedUpdate(session, record, signed);
  if (!isRepeated) assertParentHash(record, data.parent);
  assertLuid(record, update.luid);
  if (isRepeated) return undefined;
  await checkUserSchema(session, kind, data, domain);
  const needs = await findRelations(session, kind, data);
  if (kind.links.value?.(data) !== kind.links.value?.(record.data)) await authorizeBeside(session, caller, made, needs);
  const had = record.meta.labels;
  const labeled = {
    kind,
    subject: { ...subject, data },
    luid: record.luid,
    key: recordKeyOf(kind, { data }),
    had,
    has: labels,
  };
  const unique = await assertLabels(session, labeled);
  await checkData(kind, session, data, record.data);
  await checkSecretKeys(session, kind, data, update.secrets, record.data);
  assertStateFits(kind, session.ledger, domain, data, record.data);
  if (renames) await assertRenamable(session, kind, record.data, data, domain);
  const held = await assertFixedMembers(session, kind, record.data, data);
  const kept = await loadSecretNames(session, kind, record);
  const make = () => makeMeta(session, update, record.luid, record.meta, caller);
  const meta = await stage.once(session, { luid: record.luid, change: stored.change }, make);
  const served = sortMembers(kind, kind.data.served?.(data, meta.domain) ?? data);
  return {
    made: { hash: signed.hash, data: served, luid: record.luid, meta },
    decided: {
      action: 'update',
      mustExist: needs,
      bumpsRules: kind.access.bumpsRules !== 'never',
      proofs: usesOfProofs(session, signed.proofs),
      secrets: sealSecrets(session, kind, data, record.luid, update.secrets, kept),
      unique,
      ...(held ? { blockedBy: { money: held } } : {}),
      ...(renames ? { renames } : {}),
    },
  };
}

/**
 * Whether an update changes the essence of a record, and so takes the right to create as well: a policy gets another
 * schema or applies to other records, a factor becomes one that signs.
 */
function isAnother({ data: { essence = [] } }: Kind, previous: JsonObject, data: JsonObject): boolean {
  return essence.some((member) => !isDeepStrictEqual(previous[member], data[member]));
}

/**
 * Sends an update to the service outside that alone keeps the record, after every check that the ledger can make
 * (interface/forwarding).
 */
export async function proxyUpdate(
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
