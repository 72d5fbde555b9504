import {
  isObject,
  type Json,
  type JsonObject,
  type Meta,
  type RecordEnvelope,
  type StoredProof,
} from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import { authorize } from '../authorization/authorize.js';
import { callerOfWrite } from '../authorization/caller.js';
import { subjectOf } from '../authorization/context.js';
import { assertLabels } from '../authorization/labels-policies.js';
import { assertMayClose } from '../authorization/last-policy.js';
import { statusAfter } from '../authorization/status.js';
import { impersonationProof } from '../authorization/trail.js';
import { proofOf } from '../events/occurrence.js';
import { raiseEvents } from '../events/raise.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import { isLedgerKey } from '../ledgers/ledger.js';
import type { DecidedWrite, Session } from '../ledgers/session.js';
import { isDecided } from '../money/intent.js';
import type { Answer, Command } from '../records/command.js';
import { assertGrowthFits } from '../records/data-rules.js';
import { changeLabels } from '../records/labels.js';
import { assertMoments, assertNamesLedger, assertProofBinding } from '../records/proof-rules.js';
import {
  isSameProof,
  isSigned,
  signatureMissing,
  toStoredProof,
  usesOfProofs,
  type VerifiedProof,
  verifySentProof,
} from '../records/proofs.js';
import { assertNotReserved, findRecord } from '../records/stored-record.js';
import { recordKeyOf, versionOf } from '../records/version.js';
import { bodyChecksOf } from './bodies.js';
import { hintOnPolicy, hintWithin } from './hints.js';
import { type Operation, PROVED } from './operation.js';
import { assertProofsUnused } from './proof-use.js';
import { assertMayDecide, assertRoomForProof, mayCarryOn, wakesIntent } from './prove-intent.js';
import type { Stages } from './stage.js';

/**
 * `POST /{kind}s/{id}/proofs` (interface/records#add-a-proof): a flat proof over the record's current hash, which may
 * change its status or labels, or only add a statement. The ledger does not countersign it. Answers 200 with the
 * record, unchanged when it has this very proof already.
 */
// biome-ignore format: what each step refuses stands beside it
export async function answerProve(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { body, token } = command;
  const sent = isLeftToToken(body, token) ? bodyChecksOf(kind).partialProof(body) : bodyChecksOf(kind).proof(body); // record.schema-invalid
  return stages(session, kind, command, async (session, stage) => {
    const found = await findRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'sign', found);
    if (handover?.proxied) return handover.answerProof(session, sent, token);
    if (!found) throw notFound(kind);                                           // record.not-found
    const { record, change, body: served, parent } = found;
    const subject = subjectOf(kind, record, parent);
    const proof = isSigned(sent) ? verifySentProof(session, record.hash, sent) : undefined; // crypto.signature-invalid
    assertProofBinding(session.ledger, kind, [sent.custom]);                    // record.invalid
    assertMoments(session, [sent.custom]);                                      // record.invalid
    const caller = await callerOfWrite(session, proof ? [proof] : [], token);
    const signs = proof !== undefined && !isLedgerKey(session, proof.public);
    if (signs) assertNamesLedger(session.ledger, [sent.custom]);                // record.invalid
    if (!signs && !caller.token?.key?.signer && token?.kind !== 'oauth2-token') throw signatureMissing(); // crypto.signature-missing
    await authorize(session, caller, { action: 'prove', kind, subject });       // auth.unauthorized, auth.forbidden
    await assertMayDecide(session, kind, caller, subject, sent.custom);         // auth.unauthorized, auth.forbidden
    assertNotReserved(kind, record);                                            // auth.forbidden
    const repeated = { status: 200, body: served, change: { luid: record.luid, number: change }, stored: 'before' } as const;
    if (proof && isThere(record, proof)) return repeated;
    if (proof && !signs) throw signatureMissing();                              // crypto.signature-missing
    const stored = proof
      ? toStoredProof(proof, caller.proofs[0], kind.trail.origin ?? true)
      : await stage.once(session, { luid: record.luid, change }, () =>
          tokenProof(session, record.hash, sent.custom ?? {}, caller, token),
        );
    const asked = sent.custom?.status;
    const status = await statusAfter(session, kind, record, subject, stored, asked); // record.status-policy-violation, record.update-rejected
    if (status === 'repeat') return repeated;
    const had = record.meta.labels;
    const has = changeLabels(had, sent.custom?.labels);                         // record.schema-invalid, record.invalid
    const unique = await assertLabels(session, {
      kind,
      subject,
      luid: record.luid,
      key: recordKeyOf(kind, record),
      had,
      has,
    });
    const handle = String(record.data.handle);
    await assertMayClose(session, kind, caller, { handle, status: status.becomes ?? '' }); // auth.forbidden
    await assertRoomForProof(session, kind, { record, length: served.length }, stored); // record.invalid
    assertGrowthFits(kind, session.ledger, subject.meta.domain, JSON.stringify(stored).length); // record.invalid
    const uses = usesOfProofs(session, { signed: proof ? [proof] : [] });
    if (handover && proof) await assertProofsUnused(session, { proofs: { signed: [proof] } }, record.luid);
    const added = handover ? await handover.takeProof(session, record, stored) : [];
    const proved = withProof(session, kind, record, sent.custom ?? {}, [stored, ...added], status.becomes);
    await session.task.turn();
    const version = { kind, record: proved, change: change + 1 };
    const deliveries = await raiseEvents(session, proofOf(version, record, record.meta.proofs.length));
    const write = {
      ...proofWrite(kind, session.ledger, proved, change + 1),
      proofs: uses,
      unique,
      deliveries,
      wakes: wakesIntent(kind, stored),
      mayExceed: () => mayCarryOn(session, kind, record, stored),
      mayEnd: () => mayCarryOn(session, kind, record, stored, isDecided),
    };
    const told = hintWithin(() => hintOnPolicy(session, kind, proved, caller));
    await session.commit(write);
    return { status: 200, body: write.body, change: { luid: record.luid, number: version.change }, ...told };
  });
}

/**
 * Whether the record has this very proof: sent again by a client that lost the answer
 * (interface/records#sending-a-request-again), or replayed by a reader of the record to undo later changes.
 */
function isThere({ meta }: RecordEnvelope, proof: VerifiedProof): boolean {
  return meta.proofs.some((one) => isSameProof(one, proof));
}

/**
 * Whether the proof lacks `method`, `public` and `result`, so that `system.auth` signs it for the caller
 * (interface/tokens#token-only-writes).
 */
function isLeftToToken(body: Json | undefined, token: Token | undefined): boolean {
  return token !== undefined && isObject(body) && !isSigned(body);
}

/** The proof by `system.auth` in place of one that the caller left unsigned, with its `custom` and the moment. */
async function tokenProof(
  session: Session,
  hash: string,
  custom: JsonObject,
  caller: Caller,
  token: Token | undefined,
): Promise<StoredProof> {
  const said = { ...custom, moment: session.moment() };
  const proof = await impersonationProof(session, hash, said, caller, token);
  if (!proof) throw signatureMissing();
  return proof;
}

function withProof(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
  custom: JsonObject,
  added: readonly StoredProof[],
  status: string | undefined,
): RecordEnvelope {
  const { assets, proofs, status: previous, moment: made, owners, labels: had, domain, ...others } = record.meta;
  const labels = changeLabels(had, custom.labels);
  const { assetBucket: bucket } = session;
  const of = { ledger: session.ledger.handle, record, bucket };
  const set = kind.lifecycle.proved?.(custom, { from: previous, to: status }, of) ?? {};
  const meta: Meta = {
    assets,
    ...set,
    proofs: [...proofs, ...added],
    status,
    ...others,
    moment: kind.lifecycle.fixedMoment ? made : session.moment({ moment: made }),
    owners,
    labels,
    domain,
  };
  return { ...record, meta };
}

function proofWrite(
  kind: Kind,
  ledger: Ledger,
  record: RecordEnvelope,
  change: number,
): Omit<DecidedWrite, 'proofs' | 'unique'> {
  return {
    ...versionOf(ledger, kind, record, change),
    action: 'update',
    mustExist: [],
    bumpsRules: kind.access.bumpsRules !== 'never',
  };
}

/** The operation `proof`. */
export const proveRecord: Operation = {
  name: 'proof',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('proof'),
  routes: ({ lifecycle }) => [
    { method: 'POST', of: 'record', path: '/proofs' },
    ...(lifecycle.proofAliases ?? []).map(
      (path) => ({ method: 'POST', of: 'record', path, alias: `By${path[1]?.toUpperCase()}${path.slice(2)}` }) as const,
    ),
  ],
  perform: answerProve,
  refusals: {
    always: [
      ...PROVED,
      'record.not-found',
      'record.update-rejected',
      'record.status-policy-violation',
      'record.labels-policy-violation',
    ],
  },
  handover: 'sign',
  description: {
    id: (one) => `add${one}Proof`,
    summary: (one) => `Add a proof to ${one}, which may change its status and labels`,
    body: ({ name }) => `${name}-proof`,
    answers: ({ name }) => ({ 200: { text: 'The record.', component: name } }),
  },
};
