import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const lengths = { number: 1, nonce: 12, tag: 16 };
const overhead = lengths.number + lengths.nonce + lengths.tag;

/**
 * Encrypts a secret for storage: AES-256-GCM under the master key, with a random nonce.
 *
 * @param masterKey 32 bytes
 * @param context the owner of the secret (ledger, record, name). The value opens under this context only: one that was
 *   moved to another row is useless there
 * @param number of the master key, from 1 to 255
 * @returns number, nonce, ciphertext and tag
 */
export function seal(masterKey: Buffer, plaintext: Buffer, context: string, number = 1): Buffer {
  const head = Buffer.concat([Buffer.of(number), randomBytes(lengths.nonce)]);
  const encrypt = createCipheriv(cipher, masterKey, head.subarray(lengths.number), { authTagLength: lengths.tag });
  encrypt.setAAD(additional(context, number));
  const ciphertext = Buffer.concat([encrypt.update(plaintext), encrypt.final()]);
  return Buffer.concat([head, ciphertext, encrypt.getAuthTag()]);
}

/**
 * Decrypts what `seal` made with the same master key and context.
 *
 * @throws Error when the value was sealed with another key, for another context, or altered
 */
export function openSealed(masterKey: Buffer, sealed: Buffer, context: string, number = 1): Buffer {
  if (sealed.length < overhead || sealed[0] !== number) throw new Error('Not a sealed value');
  const nonce = sealed.subarray(lengths.number, lengths.number + lengths.nonce);
  const decrypt = createDecipheriv(cipher, masterKey, nonce, { authTagLength: lengths.tag });
  decrypt.setAAD(additional(context, number));
  decrypt.setAuthTag(sealed.subarray(-lengths.tag));
  const plaintext = decrypt.update(sealed.subarray(lengths.number + lengths.nonce, -lengths.tag));
  try {
    return Buffer.concat([plaintext, decrypt.final()]);
  } catch {
    throw new Error('A sealed value does not open: it was altered, moved, or sealed with another master key');
  }
}

/** Binds the number as well, so that it is authenticated. */
function additional(context: string, number: number): Buffer {
  return Buffer.from(`countersign:seal:${number}:${context}`);
}

/** The context of a secret: its ledger, its record and its name. */
export function sealContext(ledger: string, luid: string, name: string): string {
  return `${ledger}/${luid}/${name}`;
}
