import { encodeBase64, hash, type JsonObject, portable, signProof } from '../../src/index.js';

/** The key of a ledger. */
export const ledgerKey = keyOf(9);

/** A key pair whose seed is one byte, repeated. */
export function keyOf(byte: number): { readonly secret: Uint8Array; readonly public: string } {
  const secret = new Uint8Array(32).fill(byte);
  return { secret, public: encodeBase64(portable.publicKey(secret)) };
}

export const MOMENT_OF_PROOF = '2030-01-02T03:04:05.006Z';

/** The proof that the ledger puts on an event. */
export function proofOfLedger(hashed: string, custom: JsonObject = { moment: MOMENT_OF_PROOF }, key = ledgerKey) {
  const { digest, method, result } = signProof({ hash: hashed, custom, ...key });
  return { custom, digest, method, origin: 'key-pair', public: key.public, result, signer: 'system' } as JsonObject;
}

/** The body of an event with this data. */
export function eventOf(data: JsonObject, custom?: JsonObject, key = ledgerKey) {
  const hashed = hash(data);
  return { data, hash: hashed, meta: { proofs: [proofOfLedger(hashed, custom, key)] } };
}

/** A record as it is embedded in events. */
export function recordWith(data: JsonObject): JsonObject {
  const luid = '$wlt.-3xxxxxxxxxxxxxxxx';
  const proofs = [proofOfLedger(hash(data), { luid, moment: MOMENT_OF_PROOF, status: 'created' })];
  return { data, hash: hash(data), luid, meta: { moment: MOMENT_OF_PROOF, proofs } };
}

export const HANDLE_OF_EVENT = 'evt_-3DJukm0_cCfFjorN';

/** The data of a `wallet-created`. */
export const walletCreated: JsonObject = {
  handle: HANDLE_OF_EVENT,
  signal: 'wallet-created',
  wallet: recordWith({ handle: 'shop', custom: { tier: 'silver' } }),
};
