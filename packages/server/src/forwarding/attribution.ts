import type { JsonObject, Proof, StoredProof } from '@countersign/protocol';
import type { ShownKey } from '../access/caller.js';
import { resolveKey } from '../authorization/caller.js';
import { defined } from '../base/defined.js';
import type { Session } from '../ledgers/session.js';
import { toStoredProof } from '../records/proofs.js';
import type { BridgeRecord } from './answer.js';
import { BridgeRefusal } from './error.js';

/**
 * A bridge's record as the ledger serves it: unchanged, except that `signer` and `origin` of its proofs come from the
 * ledger's own signers (interface/forwarding#what-is-checked-of-an-answer).
 *
 * @throws OutOfDate when the ledger's state has changed
 */
export async function serveBridgeRecord(session: Session, record: BridgeRecord): Promise<JsonObject> {
  return toServedRecord(record, await resolveKeys(session, record.proofs, false));
}

/** The same for many records; each key is looked up once. */
export async function serveBridgeRecords(session: Session, records: readonly BridgeRecord[]): Promise<JsonObject[]> {
  const proofs = records.flatMap((record) => record.proofs);
  const keys = await resolveKeys(session, proofs, false);
  return records.map((record) => toServedRecord(record, keys));
}

/** Proofs to be stored, each with the signer of this ledger that owns its key, if any. */
export async function attributeProofs(session: Session, proofs: readonly Proof[]): Promise<StoredProof[]> {
  const keys = await resolveKeys(session, proofs, true);
  return proofs.map((proof) => withSigner(proof, keys));
}

/** A refusal of a bridge whose proofs say which signers of this ledger have made them. */
export async function attributeRefusal(
  session: Session,
  { status, hash, data, proofs }: BridgeRefusal,
): Promise<BridgeRefusal> {
  const keys = await resolveKeys(session, proofs, false);
  return new BridgeRefusal(
    status,
    hash,
    data,
    proofs.map((proof) => withSigner(proof, keys)),
  );
}

type Keys = ReadonlyMap<string, ShownKey>;

/** @param trustAbsence whether a commit follows, which checks that unknown keys are still unknown */
async function resolveKeys(session: Session, proofs: readonly Proof[], trustAbsence: boolean): Promise<Keys> {
  const publics = [...new Set(proofs.map((proof) => proof.public))];
  const keys = await Promise.all(publics.map((key) => resolveKey(session, key, trustAbsence)));
  return new Map(keys.map((key) => [key.public, key]));
}

function toServedRecord({ hash, data, luid, meta, proofs }: BridgeRecord, keys: Keys): JsonObject {
  const shown = proofs.map((proof) => withSigner(proof, keys)) as JsonObject[];
  return { hash, data, ...defined({ luid }), meta: { proofs: shown, ...meta } };
}

function withSigner(proof: Proof, keys: Keys): StoredProof {
  const key = keys.get(proof.public);
  return toStoredProof(proof, key, key?.signer !== undefined || key?.retired !== undefined);
}
