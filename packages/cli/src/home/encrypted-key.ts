import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { MOST_KEY_WORK, parseSealedKey, type ScryptWork, type SealedKey } from '@countersign/client/key-file';
import { encodeBase64 } from '@countersign/protocol';
import { localFailure } from '../terminal/failure.js';
import { identifier, integer, octets, sequence } from './der.js';

/** The work of scrypt for one password, as OWASP has it: 128 MiB, some tenths of a second. */
const SCRYPT_WORK: ScryptWork = { N: 2 ** 17, r: 8, p: 1 };

const AES_KEY_BYTES = 32;

const PBES2_OID = '1.2.840.113549.1.5.13';
const SCRYPT_ID = '1.3.6.1.4.1.11591.4.11';
const AES_256_CBC_OID = '2.16.840.1.101.3.4.1.42';

/** A key pair to sign with: the 32-byte seed, and the public key in base64. */
export interface SigningKeyPair {
  readonly secret: Uint8Array;
  readonly public: string;
}

/** The private key as PKCS#8 in PEM, encrypted under a password (PBES2 with scrypt, RFC 8018 and RFC 7914). */
export function encrypt(key: KeyObject, password: string, work = SCRYPT_WORK): string {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', deriveFileKey(password, salt, work), iv);
  const encrypted = Buffer.concat([cipher.update(key.export({ format: 'der', type: 'pkcs8' })), cipher.final()]);
  const derivation = sequence(
    identifier(SCRYPT_ID),
    sequence(octets(salt), integer(work.N), integer(work.r), integer(work.p), integer(AES_KEY_BYTES)),
  );
  const scheme = sequence(identifier(AES_256_CBC_OID), octets(iv));
  const info = sequence(sequence(identifier(PBES2_OID), sequence(derivation, scheme)), octets(encrypted));
  const lines = info.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

/** Where the work is less than is asked for now, the key is written anew when it is opened. */
export function isWeaker(pem: string, wanted = SCRYPT_WORK): boolean {
  const { N, r } = parseSealedKey(pem)?.work ?? wanted;
  return N * r < wanted.N * wanted.r;
}

/** Of a key that is damaged, too: it cannot be told apart. */
export const WRONG_PASSWORD = 'The password does not open this key.';

/**
 * Reads an Ed25519 private key in PEM. OpenSSL grants 32 MiB when it reads one, so those of scrypt are opened here.
 *
 * @throws Failure when the password is wrong, or the key is of another kind
 */
export function decrypt(pem: string, password: string | undefined): KeyObject {
  const sealed = password === undefined ? undefined : parseSealedKey(pem);
  let key: KeyObject;
  try {
    key =
      sealed && password !== undefined
        ? createPrivateKey({ key: decryptSealed(sealed, password), format: 'der', type: 'pkcs8' })
        : createPrivateKey({ key: pem, format: 'pem', passphrase: password });
  } catch {
    throw localFailure(password === undefined ? 'This is not a private key in PEM.' : WRONG_PASSWORD);
  }
  return ofEd25519(key);
}

/** @throws Error when the password is wrong, or the file asks for more work than is done */
function decryptSealed({ salt, work, iv, encrypted }: SealedKey, password: string): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', deriveFileKey(password, salt, work), iv);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}

function deriveFileKey(password: string, salt: Uint8Array, work: ScryptWork): Buffer {
  if (work.p > MOST_KEY_WORK.p) throw new Error('Opening the key would take too much work.');
  return scryptSync(password, salt, AES_KEY_BYTES, { ...work, maxmem: MOST_KEY_WORK.memory });
}

/** @throws Failure for a key of another kind */
export function ofEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw localFailure(`This key is of the kind ${key.asymmetricKeyType}; a ledger takes Ed25519.`);
  }
  return key;
}

/** The key pair of a private key. */
export function pairOf(key: KeyObject): SigningKeyPair {
  const { d = '' } = key.export({ format: 'jwk' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { secret: Buffer.from(d, 'base64url'), public: encodeBase64(Buffer.from(x, 'base64url')) };
}
