import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { SecretSeal } from '@countersign/verifier';
import { keyCheck } from '../keys/master-key.js';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

const SEAL_KEY_BYTES = 32;
const SEAL_SALT_BYTES = 16;

/** The parameters of scrypt, as a file says them. */
export type SealWork = Pick<SecretSeal, 'n' | 'r' | 'p'>;

/** About 128 MiB and half a second for a guess. */
const SEAL_WORK: SealWork = { n: 131_072, r: 8, p: 1 };

/** The most that a file may ask for, of time and of memory: what exports ask for. */
const MOST_WORK = SEAL_WORK.n * SEAL_WORK.r * SEAL_WORK.p;

/** A passphrase that opens nothing of the file. */
export class WrongPassphrase extends Error {
  override readonly name = 'WrongPassphrase';

  constructor() {
    super('The passphrase is not the one that the export was sealed with.');
  }
}

/** What an export says of a new seal, and the key of it. */
export async function newSeal(
  passphrase: string,
  random: (bytes: number) => Uint8Array,
  work = SEAL_WORK,
): Promise<{ key: Buffer; seal: SecretSeal }> {
  const salt = Buffer.from(random(SEAL_SALT_BYTES)).toString('base64');
  const seal = { kdf: 'scrypt', ...work, salt, cipher: 'aes-256-gcm' } as const;
  const key = await deriveKey(passphrase, seal);
  return { key, seal: { ...seal, check: keyCheck(key) } };
}

/** The key of a seal. @throws WrongPassphrase; Error for a seal that this release does not know */
export async function openSeal(passphrase: string, seal: SecretSeal): Promise<Buffer> {
  const { kdf, cipher, n, r, p, salt } = seal;
  const isKnown = kdf === 'scrypt' && cipher === 'aes-256-gcm' && [n, r, p].every(Number.isSafeInteger);
  if (!isKnown || typeof salt !== 'string' || n * r * p > MOST_WORK || n < 2 || r < 1 || p < 1)
    throw new Error('The secrets of the export are sealed in a way that this release does not know.');
  const key = await deriveKey(passphrase, seal);
  if (keyCheck(key) !== seal.check) throw new WrongPassphrase();
  return key;
}

/**
 * The MAC of an export, under a key of its own that is derived from that of the seal. It vouches for the lines that no proof
 * covers, the state that the server works with: an import takes these only from who knew the passphrase.
 *
 * @param key of the seal
 * @param sha256 of the file, hex
 * @returns 64 hexadecimal digits
 */
export function fileMac(key: Buffer, sha256: string): string {
  const own = createHmac('sha256', key).update('countersign:export:file:1').digest();
  return createHmac('sha256', own).update(sha256).digest('hex');
}

/** Whether the MAC is that of the file. */
export function isFileMac(key: Buffer, sha256: string, mac: string | undefined): boolean {
  const wanted = Buffer.from(fileMac(key, sha256));
  const given = Buffer.from(mac ?? '');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function deriveKey(passphrase: string, { n, r, p, salt }: Omit<SecretSeal, 'check'>): Promise<Buffer> {
  // Text that looks the same is the same passphrase, however it was typed.
  const text = passphrase.normalize('NFKC');
  return derive(text, Buffer.from(salt, 'base64'), SEAL_KEY_BYTES, { N: n, r, p, maxmem: 2 * 128 * MOST_WORK });
}
