import { decodeBase64, encodeBase64, type Suite } from '@countersign/protocol';
import { Cryptography, type Sign, seedOfPkcs8, signBy, type WebKey } from './cryptography.js';

/** Who signs: a key here, or a device or service that keeps it. */
export interface Signer {
  /** Base64 of the 32 bytes of the public key. */
  readonly public: string;
  /** The 64 bytes of the Ed25519 signature of these bytes: the digest of a proof, or the text of a token. */
  readonly sign: Sign;
}

/** An Ed25519 key as JWK (RFC 8037). */
export interface Jwk {
  readonly kty?: string;
  readonly crv?: string;
  /** The seed, base64url. */
  readonly d?: string;
}

/** A key pair of WebCrypto. */
export interface KeyPair {
  readonly privateKey: WebKey;
  /** It must be extractable, as public keys are by default. */
  readonly publicKey: WebKey;
}

/** A signer by its seed: 32 bytes, or base64 of them. `suite` stands in for WebCrypto, where that is missing. */
export async function fromSeed(seed: Uint8Array | string, suite?: Suite): Promise<Signer> {
  const bytes = typeof seed === 'string' ? decodeBase64(seed) : seed.slice();
  if (bytes?.length !== 32) throw new TypeError('A seed has 32 bytes');
  const { publicKey, sign } = await new Cryptography(suite).signer(bytes);
  return { public: encodeBase64(publicKey), sign };
}

/** A signer by its private key in PKCS#8, as `openssl genpkey -algorithm ed25519` writes it. */
export async function fromPem(pem: string, suite?: Suite): Promise<Signer> {
  const [, body = ''] = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem) ?? [];
  const seed = seedOfPkcs8(decodeBase64(body.replace(/\s/g, '')) ?? new Uint8Array());
  if (seed === undefined) throw new TypeError('The PEM holds no Ed25519 private key, or an encrypted one');
  return fromSeed(seed, suite);
}

/** A signer by its private key as JWK (RFC 8037). */
export async function fromJwk({ kty, crv, d = '' }: Jwk, suite?: Suite): Promise<Signer> {
  if (kty !== 'OKP' || crv !== 'Ed25519' || !d) throw new TypeError('The JWK is not an Ed25519 private key');
  return fromSeed(`${d.replace(/-/g, '+').replace(/_/g, '/')}=`, suite);
}

/** A signer by a key pair of WebCrypto; the private key may be one that cannot be extracted. */
export async function fromCryptoKey({ privateKey, publicKey }: KeyPair): Promise<Signer> {
  const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey as CryptoKey));
  return { public: encodeBase64(bytes), sign: (message) => signBy(privateKey, message) };
}

/** 32 random bytes for a new signer. */
export function newSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
