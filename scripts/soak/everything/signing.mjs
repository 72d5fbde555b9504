import { randomBytes } from 'node:crypto';
import { encodeBase64, hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../../../packages/server/dist/auth/native-suite.js';

/** A new key: `{ public, secret }`. */
export function makeKey() {
  const secret = randomBytes(32);
  return { secret, public: encodeBase64(native.publicKey(secret)) };
}

/** A signed record, written out, and its hash. */
export function signed(data, key, custom) {
  const hash = hashOf(data, native);
  return { hash, text: JSON.stringify({ hash, data, meta: { proofs: [proofOver(hash, key, custom)] } }) };
}

/** A proof over a hash. */
export function proofOver(hash, key, custom) {
  return signProof({ hash, custom: { moment: new Date().toISOString(), ...custom }, ...key }, native);
}
