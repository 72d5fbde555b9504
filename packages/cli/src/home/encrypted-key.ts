import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { encodeBase64 } from '@countersign/protocol';
import { local } from '../terminal/failure.js';
import { identifier, integer, octets, sequence } from './der.js';

/** The parameters of scrypt (RFC 7914). A file says them, so that it is read whatever they are. */
export interface ScryptWork {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/**
 * The work of scrypt for one password: 16 MiB, some tenths of a second. More memory would be beyond what OpenSSL grants
 * when it reads the file, so that the work is in `p`; OWASP lists these three numbers.
 */
const SCRYPT: ScryptWork = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;

const PBES2 = '1.2.840.113549.1.5.13';
const SCRYPT_ID = '1.3.6.1.4.1.11591.4.11';
const AES_256_CBC = '2.16.840.1.101.3.4.1.42';

/** A key pair to sign with: the 32-byte seed, and the public key in base64. */
export interface KeyPair {
  readonly secret: Uint8Array;
  readonly public: string;
}

/** The private key as PKCS#8 in PEM, encrypted under a password (PBES2 with scrypt, RFC 8018 and RFC 7914). */
export function encrypt(key: KeyObject, password: string, work = SCRYPT): string {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', scryptSync(password, salt, KEY_BYTES, work), iv);
  const encrypted = Buffer.concat([cipher.update(key.export({ format: 'der', type: 'pkcs8' })), cipher.final()]);
  const derivation = sequence(
    identifier(SCRYPT_ID),
    sequence(octets(salt), integer(work.N), integer(work.r), integer(work.p), integer(KEY_BYTES)),
  );
  const scheme = sequence(identifier(AES_256_CBC), octets(iv));
  const info = sequence(sequence(identifier(PBES2), sequence(derivation, scheme)), octets(encrypted));
  const lines = info.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

/** Of a key that is damaged, too: it cannot be told apart. */
export const WRONG_PASSWORD = 'The password does not open this key.';

/**
 * Reads an Ed25519 private key in PEM.
 *
 * @throws Failure when the password is wrong, or the key is of another kind
 */
export function decrypt(pem: string, password: string | undefined): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem', ...(password === undefined ? {} : { passphrase: password }) });
  } catch {
    throw local(password === undefined ? 'This is no private key in PEM.' : WRONG_PASSWORD);
  }
  return ofEd25519(key);
}

/** @throws Failure for a key of another kind */
export function ofEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw local(`This key is of the kind ${key.asymmetricKeyType}; a ledger takes Ed25519.`);
  }
  return key;
}

/** The key pair of a private key. */
export function pairOf(key: KeyObject): KeyPair {
  const { d = '' } = key.export({ format: 'jwk' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { secret: Buffer.from(d, 'base64url'), public: encodeBase64(Buffer.from(x, 'base64url')) };
}
