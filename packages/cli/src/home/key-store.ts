import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { ScryptWork } from '@countersign/client/key-file';
import { readJson } from '@countersign/protocol';
import { Failure, localFailure } from '../terminal/failure.js';
import { decrypt, encrypt, isWeaker, ofEd25519, pairOf, type SigningKeyPair, WRONG_PASSWORD } from './encrypted-key.js';
import type { Home } from './home.js';

const KEYS_FOLDER = 'keys';
const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9_.+@-]{0,99}$/;
/** Stands before the key in its file; OpenSSL skips such lines. */
const PUBLIC = /^public: ([A-Za-z0-9+/]{43}=)$/m;
/** DER before the 32 bytes of an Ed25519 seed in PKCS#8 (RFC 8410). */
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key as the list shows it. */
export interface StoredKey {
  readonly name: string;
  readonly public: string;
}

/** Gives a password. @param check what is wrong with one; undefined for the right one */
type AskPassword = (check: (password: string) => string | undefined) => Promise<string>;

/** Private keys, each in a file of its own, encrypted under a password. */
export class KeyStore {
  /** @param work of guessing a password; what the command asks for unless given */
  constructor(
    readonly home: Home,
    readonly work?: ScryptWork,
  ) {}

  /** A new private key. */
  static generate(): KeyObject {
    return generateKeyPairSync('ed25519').privateKey;
  }

  /** @throws Failure when the name cannot be that of a key, or is taken */
  async assertFree(name: string): Promise<void> {
    assertName(name);
    if ((await this.home.read(KEYS_FOLDER, `${name}.pem`)) !== undefined) throw nameTaken(name);
  }

  /** @throws Failure when there is a key of this name: no key is ever overwritten */
  async add(name: string, key: KeyObject, password: string): Promise<StoredKey> {
    assertName(name);
    if (password === '')
      throw localFailure('The password is empty.', 'choose one: it keeps the key from whoever copies the file');
    const pair = pairOf(key);
    const text = this.#written(name, key, password, pair);
    if (!(await this.home.add(text, KEYS_FOLDER, `${name}.pem`))) throw nameTaken(name);
    return { name, public: pair.public };
  }

  async list(): Promise<StoredKey[]> {
    const names = (await this.home.list(KEYS_FOLDER))
      .filter((file) => file.endsWith('.pem'))
      .map((file) => file.slice(0, -4));
    return Promise.all(names.map((name) => this.find(name)));
  }

  /** @throws Failure when there is none of this name */
  async find(name: string): Promise<StoredKey> {
    const found = PUBLIC.exec(await this.#read(name))?.[1];
    if (found === undefined) throw localFailure(`The file of key '${name}' does not tell its public key.`);
    return { name, public: found };
  }

  /** Deletes a key that was just made, and that nothing depends on. */
  async remove({ name, public: key }: StoredKey): Promise<void> {
    if ((await this.find(name)).public === key) await this.home.remove(KEYS_FOLDER, `${name}.pem`);
  }

  /** The encrypted file, as it is. */
  async export(name: string): Promise<string> {
    return pemIn(await this.#read(name));
  }

  /**
   * Opens a key. One that an earlier release has encrypted with less work is written anew.
   *
   * @param ask gives the password; its check says what is wrong with one, for those who can be asked again
   * @throws Failure when the password is wrong, or the key is another one than its file says
   */
  async open(name: string, ask: AskPassword): Promise<{ readonly key: KeyObject; readonly pair: SigningKeyPair }> {
    const { public: said } = await this.find(name);
    const text = await this.#read(name);
    const pem = pemIn(text);
    // A password that was checked has opened the key already, which takes long.
    let last: { readonly password: string; readonly key: KeyObject } | undefined;
    const fault = `The password does not open the key ${name}.`;
    const password = await ask((text) => {
      return isWrong(() => (last = { password: text, key: decrypt(pem, text) })) ? fault : undefined;
    });
    if (last?.password !== password && isWrong(() => (last = { password, key: decrypt(pem, password) }))) {
      throw localFailure(fault, '`countersign key list` shows the keys there are; --signer chooses another');
    }
    const key = last?.key ?? decrypt(pem, password);
    const pair = pairOf(key);
    if (pair.public !== said)
      throw localFailure(`The file of key '${name}' was altered: it holds another key than it says.`);
    if (isWeaker(pem, this.work)) await this.#renew(name, text, () => this.#written(name, key, password, pair));
    return { key, pair };
  }

  /**
   * Writes a file anew that still has this text. One that cannot be written, or leads to another place, stays as it is: the key is
   * good.
   */
  async #renew(name: string, text: string, make: () => string): Promise<void> {
    try {
      const written = make();
      // Whoever was asked for the password may have taken minutes, and another command may have changed the file.
      await this.home.replace(text, written, KEYS_FOLDER, `${name}.pem`);
    } catch {
      // No memory for the work, or no room on the disk.
    }
  }

  #written(name: string, key: KeyObject, password: string, pair: SigningKeyPair): string {
    return `name: ${name}\npublic: ${pair.public}\n${encrypt(key, password, this.work)}`;
  }

  async #read(name: string): Promise<string> {
    assertName(name);
    const text = await this.home.read(KEYS_FOLDER, `${name}.pem`);
    if (text !== undefined) return text;
    throw localFailure(`There is no key '${name}'.`, '`countersign key list` lists them, `key create` makes one');
  }
}

function pemIn(text: string): string {
  return text.slice(text.indexOf('-----BEGIN'));
}

/** Whether a password is wrong. Another fault is left to whoever opens the key: no other password helps. */
function isWrong(open: () => unknown): boolean {
  try {
    open();
  } catch (error) {
    return error instanceof Failure && error.message === WRONG_PASSWORD;
  }
  return false;
}

/**
 * A private key from the text of a file: PEM, JWK, or the 32 bytes of the seed in hex or base64.
 *
 * @param password of an encrypted PEM
 */
export function parsePrivateKey(text: string, password?: string): KeyObject {
  const trimmed = text.trim();
  if (trimmed.includes('-----BEGIN')) return decrypt(trimmed, password);
  if (trimmed.startsWith('{')) return keyOfJwk(trimmed);
  const seed = Buffer.from(trimmed, /^[0-9a-fA-F]{64}$/.test(trimmed) ? 'hex' : 'base64');
  if (seed.length !== 32 || /\s/.test(trimmed)) {
    throw localFailure(
      'This is not a private key.',
      'give PKCS#8 in PEM, a JWK, or the 32 bytes of the seed in hex or base64',
    );
  }
  return createPrivateKey({ key: Buffer.concat([SEED_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** Whether the text of a key needs a password. */
export function isEncrypted(text: string): boolean {
  return text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----');
}

function keyOfJwk(text: string): KeyObject {
  let key: KeyObject;
  let x: unknown;
  try {
    const jwk = readJson(text) as JsonWebKey;
    x = jwk.x;
    key = ofEd25519(createPrivateKey({ key: jwk, format: 'jwk' }));
  } catch {
    throw localFailure(
      'This is not a private Ed25519 key in JWK.',
      'it needs "kty": "OKP", "crv": "Ed25519", "x" and "d"',
    );
  }
  // Node.js computes the public key, and leaves `x` unread.
  if (x !== key.export({ format: 'jwk' }).x) {
    throw localFailure('The public key in this JWK is not that of its private key.');
  }
  return key;
}

function assertName(name: string): void {
  if (!KEY_NAME.test(name)) {
    throw localFailure(
      `'${name}' cannot be the name of a key.`,
      'use letters, digits, _, ., +, @ and -; the first a letter or digit',
    );
  }
}

function nameTaken(name: string) {
  return localFailure(`There is a key '${name}' already.`, 'choose another name');
}
