import type { JsonObject, Proof, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { authorize } from '../authorization/authorize.js';
import { callerOfWrite } from '../authorization/caller.js';
import { isNobodys, type Session } from '../ledgers/session.js';
import type { Answer } from '../records/command.js';
import { assertMeant } from '../records/meant.js';
import { unsigned } from '../records/proofs.js';
import type { SentProof } from '../records/sent.js';
import { type BridgeRecord, bare, isNamed, recordIn, successOf } from './answer.js';
import { askBridge, type Forwarding, pathOf } from './call.js';
import { invalidResponse } from './error.js';
import { asServed } from './served.js';
import { aspectOf, type Target } from './target.js';
import { added, assertTaken } from './version.js';

/**
 * Asks a bridge to take a proof that the ledger has found good (interface/forwarding).
 *
 * @param proof as the ledger will keep it
 * @returns what the bridge has added to the proofs, for the ledger to keep too; only when it keeps them in step
 */
export async function forwardProof(
  session: Session,
  forwarding: Forwarding,
  target: Target,
  record: RecordEnvelope,
  proof: StoredProof,
): Promise<StoredProof[]> {
  const aspect = aspectOf(target);
  const taken = await signed(session, forwarding, target, proof);
  // A proof by `system.auth` is made anew when the ledger has changed; the bridge has the first.
  const own = proof.public === session.ledger.auth.public ? [] : [proof];
  assertTaken(aspect.bridge, taken, record.hash, own);
  if (aspect.strategy !== 'synchronize') return [];
  const kept = { ...record, meta: { ...record.meta, proofs: [...record.meta.proofs, proof] } };
  return added(session, aspect.bridge, kept, taken);
}

/**
 * Passes a proof on to a bridge that keeps the record itself. What it is over is not known here, so nothing can be said of
 * its signer before: the rules are asked about the token alone. What the bridge answers must carry it, and verify.
 *
 * @throws `crypto.signature-missing` for one that is left to the token: there is nothing known that could be signed; and
 *   for one of the ledger's own, which a client cannot have made
 */
export async function proxiedProof(
  session: Session,
  forwarding: Forwarding,
  target: Target,
  sent: SentProof,
  token: Token | undefined,
): Promise<Answer> {
  const { kind } = forwarding;
  const { method, public: key, digest, result, custom } = sent;
  if (method === undefined || key === undefined || digest === undefined || result === undefined) throw unsigned();
  const proof = { method, public: key, digest, result, ...(custom === undefined ? {} : { custom }) } as Proof;
  if (isNobodys(session, key)) throw unsigned();
  assertMeant(session.ledger, kind, [custom]);
  const caller = await callerOfWrite(session, [], token, false);
  await authorize(session, caller, { action: 'prove', kind, subject: target.subject, signedElsewhere: true });
  const { bridge } = aspectOf(target);
  const taken = await signed(session, forwarding, target, proof);
  if (!isNamed(taken, target.id)) throw invalidResponse(bridge);
  assertTaken(bridge, taken, taken.hash.toLowerCase(), [proof]);
  return { status: 200, body: JSON.stringify(await asServed(session, taken)) };
}

async function signed(session: Session, forwarding: Forwarding, target: Target, proof: Proof): Promise<BridgeRecord> {
  const { id } = target;
  const aspect = aspectOf(target);
  const answer = await askBridge(session, forwarding, aspect, () => {
    const sent = proof.public === session.ledger.auth.public ? proof : { ...bare(proof), origin: 'key-pair' };
    return { method: 'POST', path: `${pathOf(forwarding.kind, id)}/proofs`, body: sent as JsonObject };
  });
  return recordIn(session, aspect.bridge, successOf(session, aspect.bridge, answer));
}
