import type { JsonObject, Proof, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { authorize } from '../authorization/authorize.js';
import { callerOfWrite } from '../authorization/caller.js';
import { isLedgerKey } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Answer } from '../records/command.js';
import { assertMoments, assertNamesLedger, assertProofBinding } from '../records/proof-rules.js';
import { signatureMissing } from '../records/proofs.js';
import type { SentProof } from '../records/sent-record.js';
import { type BridgeRecord, isRecordNamed, parseBridgeRecord, successOf, toBareProof } from './answer.js';
import { answerWriteFromBridge } from './answer-from-bridge.js';
import { serveBridgeRecord } from './attribution.js';
import { askBridge, bridgePath, type Forwarding } from './call.js';
import { invalidResponse } from './error.js';
import { aspectOf, type ForwardingTarget } from './target.js';
import { assertVersionTaken, collectAddedProofs } from './version.js';

/**
 * Asks a bridge to take a proof that the ledger has verified (interface/forwarding).
 *
 * @param proof as the ledger will keep it
 * @returns proofs that the bridge has added, for the ledger to keep too; empty unless the strategy is `synchronize`
 */
export async function forwardProof(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  record: RecordEnvelope,
  proof: StoredProof,
): Promise<StoredProof[]> {
  const aspect = aspectOf(target);
  const taken = await sendProof(session, forwarding, target, proof);
  // A proof by `system.auth` is made anew when the ledger has changed; the bridge has the earlier one.
  const own = proof.public === session.ledger.auth.public ? [] : [proof];
  assertVersionTaken(aspect.bridge, taken, record.hash, own);
  if (aspect.strategy !== 'synchronize') return [];
  const kept = { ...record, meta: { ...record.meta, proofs: [...record.meta.proofs, proof] } };
  return collectAddedProofs(session, aspect.bridge, kept, taken);
}

/**
 * Passes a proof on to the bridge that alone keeps the record. Its hash is unknown here, so the proof cannot be
 * verified and access is decided by the token alone. The record in the bridge's answer must carry the proof, and
 * verify.
 *
 * @throws `crypto.signature-missing` for a proof left to the token, as the hash to sign is unknown; and for one by the
 *   ledger's own keys, which a client can only have copied
 */
export async function proxyProof(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  sent: SentProof,
  token: Token | undefined,
): Promise<Answer> {
  const { kind } = forwarding;
  const { method, public: key, digest, result, custom } = sent;
  if (method === undefined || key === undefined || digest === undefined || result === undefined)
    throw signatureMissing();
  const proof = { method, public: key, digest, result, custom } as Proof;
  if (isLedgerKey(session, key)) throw signatureMissing();
  assertProofBinding(session.ledger, kind, [custom]);
  assertMoments(session, [custom]);
  assertNamesLedger(session.ledger, [custom]);
  const caller = await callerOfWrite(session, [], token, false);
  await authorize(session, caller, { action: 'prove', kind, subject: target.subject, signedElsewhere: true });
  const { bridge } = aspectOf(target);
  return answerWriteFromBridge(session, forwarding, async (current) => {
    const taken = await sendProof(current, forwarding, target, proof);
    if (!isRecordNamed(taken, target.id)) throw invalidResponse(bridge);
    assertVersionTaken(bridge, taken, taken.hash.toLowerCase(), [proof]);
    return { status: 200, body: JSON.stringify(await serveBridgeRecord(current, taken)), stored: 'elsewhere' };
  });
}

async function sendProof(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  proof: Proof,
): Promise<BridgeRecord> {
  const { id } = target;
  const aspect = aspectOf(target);
  const answer = await askBridge(session, forwarding, aspect, () => {
    const sent = proof.public === session.ledger.auth.public ? proof : { ...toBareProof(proof), origin: 'key-pair' };
    return { method: 'POST', path: `${bridgePath(forwarding.kind, id)}/proofs`, body: sent as JsonObject };
  });
  return parseBridgeRecord(session, aspect.bridge, successOf(session, aspect.bridge, answer));
}
