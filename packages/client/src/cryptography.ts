import { portableAsync, type Suite } from '@countersign/protocol';
import { canonical } from './canonical.js';

const KEY_ALGORITHM = 'Ed25519';

/** PKCS#8 of an Ed25519 key is this and the 32 bytes of the seed (RFC 8410). */
const PKCS8_PREFIX = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** Keys that are remembered at a time. */
const CACHED_KEYS = 256;

type Bytes = Uint8Array<ArrayBuffer>;

/** What signs the bytes it is given. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * The cryptography of a client: WebCrypto; where that lacks Ed25519, the signatures of the protocol over its SHA-512; or a
 * suite that is given, for pages without TLS, which have no WebCrypto.
 */
export class Cryptography {
  readonly #suite: Suite | undefined;
  /** Keys that WebCrypto has taken, by their base64: the ledger's own comes with every answer. */
  readonly #keys = new Map<string, Promise<CryptoKey | undefined>>();

  constructor(suite?: Suite) {
    this.#suite = suite;
    if (!suite && !globalThis.crypto?.subtle) {
      throw new Error('WebCrypto is missing: open the page over HTTPS, or give a suite');
    }
  }

  /** The hash of data (interface/envelope#hash-and-digest). */
  hash(data: unknown): Promise<string> {
    return this.#sha256(canonical(data));
  }

  /** What a proof signs (interface/envelope#hash-and-digest), in hex. */
  digest(hash: string, custom: unknown): Promise<string> {
    return this.#sha256(hash + (custom === undefined ? '' : canonical(custom)));
  }

  /** Whether `signature` is the key's over the bytes; `name` is the key in base64. */
  async verify(signature: Uint8Array, bytes: Uint8Array, key: Uint8Array, name: string): Promise<boolean> {
    if (this.#suite) return this.#suite.verify(signature, bytes, key);
    let native = this.#keys.get(name);
    if (native === undefined) {
      native = crypto.subtle.importKey('raw', key as Bytes, KEY_ALGORITHM, true, ['verify']).catch(() => undefined);
      if (this.#keys.size >= CACHED_KEYS) this.#keys.clear();
      this.#keys.set(name, native);
    }
    const taken = await native;
    if (!taken) return portableAsync.verify(signature, bytes, key);
    return crypto.subtle.verify(KEY_ALGORITHM, taken, signature as Bytes, bytes as Bytes);
  }

  /** The public key of a seed, and what signs with it. */
  async signer(seed: Uint8Array): Promise<{ readonly publicKey: Uint8Array; readonly sign: Sign }> {
    const suite = this.#suite;
    if (suite) return { publicKey: suite.publicKey(seed), sign: async (bytes) => suite.sign(bytes, seed) };
    const publicKey = await portableAsync.publicKey(seed);
    try {
      const key = await crypto.subtle.importKey(
        'pkcs8',
        Uint8Array.of(...PKCS8_PREFIX, ...seed),
        KEY_ALGORITHM,
        false,
        ['sign'],
      );
      return { publicKey, sign: (bytes) => signBy(key, bytes) };
    } catch {
      return { publicKey, sign: (bytes) => portableAsync.sign(bytes, seed) };
    }
  }

  async #sha256(text: string): Promise<string> {
    if (this.#suite) return this.#suite.sha256(text);
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}

/** A `CryptoKey`, whose type is global in browsers only. */
export interface WebKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: object;
}

/** Signs with a private key of WebCrypto. */
export async function signBy(key: WebKey, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(KEY_ALGORITHM, key as CryptoKey, bytes as Bytes));
}

/** The seed in PKCS#8, of the older form or of that with the public key behind; undefined for other keys. */
export function seedOfPkcs8(der: Uint8Array): Uint8Array | undefined {
  // The length and the version differ between the two forms.
  const isKey = der.length >= 48 && PKCS8_PREFIX.every((byte, at) => at === 1 || at === 4 || der[at] === byte);
  return isKey ? der.slice(16, 48) : undefined;
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}
