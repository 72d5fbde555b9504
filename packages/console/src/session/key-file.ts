import { fromSeed, type Signer } from '@countersign/client';
import { MOST_KEY_WORK, parseSealedKey } from '@countersign/client/key-file';
import { decodeBase64 } from '@countersign/protocol';

/** PKCS#8 of an Ed25519 key before the 32 bytes of its seed (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** A key from a file: it signs, and may be kept in the browser. */
export interface FileKey {
  /** As the file calls it. */
  readonly name: string;
  readonly signer: Signer;
  readonly pkcs8: Uint8Array<ArrayBuffer>;
}

/** Why a file does not open. */
export class KeyFileError extends Error {
  constructor(readonly fault: 'form' | 'kind' | 'password' | 'work') {
    super(fault);
  }
}

/** Whether a file needs a password. */
export function isSealed(file: string): boolean {
  return file.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----');
}

/**
 * Opens a key file of the command, or another Ed25519 key as PKCS#8 in PEM.
 *
 * @throws KeyFileError
 */
export async function openKeyFile(file: string, password: string): Promise<FileKey> {
  const der = isSealed(file) ? await unseal(file, password) : derIn(file);
  // The length differs where the public half stands behind.
  const isEd25519 = der.length >= 48 && PKCS8.every((byte, at) => at === 1 || at === 4 || der[at] === byte);
  if (!isEd25519) throw new KeyFileError('kind');
  const seed = der.slice(16, 48);
  const name = /^name: ([\w.+@-]{1,100})$/m.exec(file)?.[1] ?? 'key';
  return { name, signer: await fromSeed(seed), pkcs8: Uint8Array.of(...PKCS8, ...seed) };
}

function derIn(file: string): Uint8Array {
  const [, body = ''] = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(file) ?? [];
  const der = decodeBase64(body.replace(/\s/g, ''));
  if (der === undefined || der.length === 0) throw new KeyFileError('form');
  return der;
}

async function unseal(file: string, password: string): Promise<Uint8Array> {
  const sealed = parseSealedKey(file);
  if (sealed === undefined) throw new KeyFileError('form');
  const { salt, work, iv, encrypted } = sealed;
  if (work.p > MOST_KEY_WORK.p) throw new KeyFileError('work');
  const { scryptAsync } = await import('@noble/hashes/scrypt.js');
  let derived: Uint8Array<ArrayBuffer>;
  try {
    derived = (await scryptAsync(password, salt, {
      ...work,
      dkLen: 32,
      maxmem: MOST_KEY_WORK.memory,
    })) as Uint8Array<ArrayBuffer>;
  } catch {
    throw new KeyFileError('work');
  }
  try {
    const key = await crypto.subtle.importKey('raw', derived, 'AES-CBC', false, ['decrypt']);
    const cipher = { name: 'AES-CBC', iv: iv as Uint8Array<ArrayBuffer> };
    return new Uint8Array(await crypto.subtle.decrypt(cipher, key, encrypted as Uint8Array<ArrayBuffer>));
  } catch {
    throw new KeyFileError('password');
  }
}
