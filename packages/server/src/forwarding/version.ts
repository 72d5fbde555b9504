import { type JsonObject, LedgerError, type RecordEnvelope, type StoredProof } from '@countersign/protocol';
import type { ClientSignature } from '../authorization/caller.js';
import { clientTrail } from '../authorization/trail.js';
import { moment } from '../base/clock.js';
import { defined } from '../base/defined.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import type { HandoverVersion } from '../operations/stage.js';
import type { OutboundAnswer } from '../outbound/outbound.js';
import type { Answer } from '../records/command.js';
import { isSameProof, type VerifiedProof } from '../records/proofs.js';
import { newLuid } from '../records/version.js';
import { type BridgeRecord, invalidSignature, parseBridgeRecord, successOf, toBareProof } from './answer.js';
import { answerWriteFromBridge } from './answer-from-bridge.js';
import type { Aspect } from './aspect.js';
import { attributeProofs, serveBridgeRecord } from './attribution.js';
import { askBridge, bridgePath, type ForwardedCall, type Forwarding } from './call.js';
import { BridgeRefusal, invalidResponse } from './error.js';

/**
 * Asks a bridge to take a new version of a record, which the ledger stores only afterwards: a refusal by the bridge
 * leaves the ledger unchanged (interface/forwarding).
 *
 * @returns proofs of the bridge to be kept with the record; empty unless the strategy is `synchronize`
 * @throws what `sendVersion` throws
 */
export async function forwardVersion(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  version: HandoverVersion,
): Promise<StoredProof[]> {
  const { record } = await sendVersion(session, forwarding, aspect, version);
  return aspect.strategy === 'synchronize' ? collectAddedProofs(session, aspect.bridge, version.record, record) : [];
}

/**
 * Asks a bridge to take a new version of a record that it alone keeps.
 *
 * @returns its record
 * @throws what `sendVersion` throws
 */
export function proxyVersion(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  version: HandoverVersion,
): Promise<Answer> {
  return answerWriteFromBridge(session, forwarding, async (current) => {
    const { record, before } = await sendVersion(current, forwarding, aspect, version);
    const status = version.id === undefined && !before ? (forwarding.kind.trail.answer ?? 201) : 200;
    const body = JSON.stringify(await serveBridgeRecord(current, record));
    return { status, body, stored: before ? 'before' : 'elsewhere' };
  });
}

/** A version that a bridge has; `before` when it took the version from an earlier sending of the request. */
interface TakenVersion {
  readonly record: BridgeRecord;
  readonly before: boolean;
}

/**
 * The version as the bridge has taken it.
 *
 * @throws BridgeRefusal, and what `askBridge`, `successOf` and `parseBridgeRecord` throw; `crypto.signature-invalid`
 *   when it differs from what the client signed
 */
async function sendVersion(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  version: HandoverVersion,
): Promise<TakenVersion> {
  const { kind } = forwarding;
  const { id, signed } = version;
  const answer = await askBridge(session, forwarding, aspect, async (): Promise<ForwardedCall> => {
    const body = await makeVersionBody(session, forwarding, aspect, version);
    return id === undefined ? { method: 'POST', path: '', body } : { method: 'PUT', path: bridgePath(kind, id), body };
  });
  try {
    return { record: versionIn(session, aspect.bridge, answer, signed), before: false };
  } catch (error) {
    if (!(error instanceof BridgeRefusal)) throw error;
    const record = await findSentVersion(session, forwarding, aspect, version);
    if (!record) throw error;
    return { record, before: true };
  }
}

function versionIn(
  service: Service,
  bridge: string,
  answer: OutboundAnswer,
  { hash, proofs }: ClientSignature,
): BridgeRecord {
  const record = parseBridgeRecord(service, bridge, successOf(service, bridge, answer));
  assertVersionTaken(bridge, record, hash, proofs.signed);
  return record;
}

/**
 * The version, where the bridge refuses it because it has it: the bridge's answer was lost, or the ledger stopped
 * before it stored what the bridge had. This read brings both into step again
 * (interface/records#sending-a-request-again).
 *
 * @returns undefined when the bridge has something else or fails to answer; and for a request that lacks the client's
 *   proofs, by which the version is recognized
 */
async function findSentVersion(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  { data, signed }: HandoverVersion,
): Promise<BridgeRecord | undefined> {
  if (signed.proofs.signed.length === 0) return undefined;
  try {
    const path = bridgePath(forwarding.kind, String(data.handle));
    const answer = await askBridge(session, forwarding, aspect, () => ({ method: 'GET', path }), 'found');
    return versionIn(session, aspect.bridge, answer, signed);
  } catch (error) {
    if (error instanceof LedgerError || error instanceof BridgeRefusal) return undefined;
    throw error;
  }
}

/**
 * Makes sure that a bridge has the very version, with the very proofs, that the client signed.
 *
 * @throws `crypto.signature-invalid` for data that is not what was signed; `forward.invalid-response` for a record that
 *   lacks the client's proofs
 */
export function assertVersionTaken(
  bridge: string,
  taken: BridgeRecord,
  hash: string,
  proofs: readonly VerifiedProof[],
): void {
  const [first] = proofs;
  if (taken.hash.toLowerCase() !== hash) {
    throw first ? invalidSignature(first as unknown as JsonObject) : invalidResponse(bridge);
  }
  if (!proofs.every((proof) => taken.proofs.some((one) => isSameProof(one, proof)))) throw invalidResponse(bridge);
}

/**
 * Proofs for the ledger to keep in addition to its own: those that the bridge has added, and the extra one that the
 * ledger sent it. The ledger's other proofs are in its record already, made anew where that was decided anew.
 *
 * @throws `forward.invalid-response` when that is more than a record carries
 */
export async function collectAddedProofs(
  session: Session,
  bridge: string,
  record: RecordEnvelope | undefined,
  taken: BridgeRecord,
): Promise<StoredProof[]> {
  const kept = record?.meta.proofs ?? [];
  const others = taken.proofs.filter(
    (proof, index) =>
      proof.public !== session.ledger.auth.public &&
      !(proof.public === session.ledger.system.public && proof.custom?.luid !== undefined) &&
      ![...kept, ...taken.proofs.slice(0, index)].some((one) => isSameProof(one, proof)),
  );
  if (kept.length + others.length > session.recordProofs) throw invalidResponse(bridge);
  return attributeProofs(session, others);
}

/**
 * The client's body with the ledger's proof. Under `synchronize` the bridge gets all that the ledger will store, and
 * one extra proof; else it gets a luid of its own for a new record (interface/forwarding).
 */
async function makeVersionBody(
  session: Session,
  { kind }: Forwarding,
  { strategy }: Aspect,
  { id, data, luid, signed, caller, record }: HandoverVersion,
): Promise<JsonObject> {
  const { hash } = signed;
  const now = moment(session.runtime);
  const made = record?.meta.proofs ?? (await clientTrail(session, kind, signed, caller, now));
  // Where the ledger itself is the client, its key has signed that proof too.
  const isClients = (proof: StoredProof) => signed.proofs.signed.some((one) => isSameProof(one, proof));
  const own = made.filter((proof) => proof.public === session.ledger.system.public && !isClients(proof));
  const said = { moment: now, ...(id === undefined ? { status: 'created' } : {}) };
  const proofs = [
    ...asSent(
      session.ledger,
      made.filter((proof) => !own.includes(proof)),
    ),
    ...(strategy === 'synchronize' ? own : []),
    session.ledger.system.fresh(hash, said),
  ];
  const named = id === undefined && strategy !== 'synchronize' ? newLuid(session, kind) : (record?.luid ?? luid);
  const status = strategy === 'synchronize' && id === undefined ? record?.meta.status : undefined;
  const meta = { proofs: proofs as JsonObject[], ...defined({ status }) };
  return { hash, data, meta, ...defined({ luid: named }) };
}

/** Proofs as sent to a bridge: the client's as it made them, those of `system.auth` with all members. */
export function asSent(ledger: Ledger, trail: readonly StoredProof[]): StoredProof[] {
  return trail.map((proof) => (proof.public === ledger.auth.public ? proof : toBareProof(proof)));
}
