import { generateKeyPairSync } from 'node:crypto';
import { decodeBase64, encodeBase64, hash, portable, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { Cryptography } from '../src/cryptography.js';
import { fromCryptoKey, fromJwk, fromPem, fromSeed, newSeed, type Signer } from '../src/index.js';
import { makeLedger } from './support/ledger.js';

const server = withServer();
const seed = new Uint8Array(32).fill(7);
const message = new Uint8Array(32).fill(1);

/** PKCS#8 of the seed as OpenSSL writes it. */
const PKCS8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
const pem = (der: Uint8Array) => `-----BEGIN PRIVATE KEY-----\n${encodeBase64(der)}\n-----END PRIVATE KEY-----\n`;

/** A key pair that leaves the browser by its public half only. */
async function pairOf(): Promise<Signer> {
  const privateKey = await crypto.subtle.importKey('pkcs8', PKCS8, 'Ed25519', false, ['sign']);
  const publicKey = await crypto.subtle.importKey('raw', portable.publicKey(seed) as never, 'Ed25519', true, [
    'verify',
  ]);
  return fromCryptoKey({ privateKey, publicKey });
}

const withPublicKey = Buffer.concat([
  Buffer.from('3051020101300506032b657004220420', 'hex'),
  seed,
  Buffer.from('812100', 'hex'),
  portable.publicKey(seed),
]);

const ways: [string, () => Promise<Signer>][] = [
  ['a seed', () => fromSeed(seed)],
  ['a seed in base64', () => fromSeed(encodeBase64(seed))],
  ['a seed, with a suite of its own', () => fromSeed(seed, portable)],
  ['PEM', () => fromPem(pem(PKCS8))],
  ['PEM with the public key in it', () => fromPem(pem(withPublicKey))],
  ['JWK', () => fromJwk({ kty: 'OKP', crv: 'Ed25519', d: Buffer.from(seed).toString('base64url') })],
  ['a key of WebCrypto', pairOf],
];

describe('a signer', () => {
  it.each(ways)('of %s has the key and its signatures', async (_, make) => {
    const signer = await make();
    expect(signer.public).toBe(encodeBase64(portable.publicKey(seed)));
    expect(Buffer.from(await signer.sign(message))).toEqual(Buffer.from(portable.sign(message, seed)));
  });

  it('of what Node.js generates', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const expected = encodeBase64(raw);
    expect((await fromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).public).toBe(expected);
    expect((await fromJwk(privateKey.export({ format: 'jwk' }) as never)).public).toBe(expected);
  });

  it('of anything else is refused', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const others = [
      () => fromSeed(new Uint8Array(31)),
      () => fromSeed('text'),
      () => fromPem('text'),
      () => fromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      () =>
        fromPem(privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()),
      () => fromJwk(privateKey.export({ format: 'jwk' }) as never),
      () => fromJwk({ kty: 'OKP', crv: 'Ed25519' }),
      () => fromJwk({ kty: 'OKP', crv: 'X25519', d: Buffer.from(seed).toString('base64url') }),
    ];
    for (const other of others) await expect(other()).rejects.toThrow(TypeError);
  });

  it('may be a service that keeps the key', async () => {
    const asked: number[] = [];
    const service: Signer = {
      public: encodeBase64(portable.publicKey(seed)),
      sign: async (bytes) => {
        asked.push(bytes.length);
        return portable.sign(bytes, seed);
      },
    };
    const { connect } = await makeLedger(server.current.url);
    const made = await connect({ signer: service, token: false }).wallets.create({ handle: 'shop' });
    expect(made.meta.owners).toEqual([service.public]);
    expect(asked).toEqual([32]);
  });

  it('signs with others, who are owners, too', async () => {
    const { ledger, signer } = await makeLedger(server.current.url);
    const other = await fromSeed(newSeed());
    const made = await ledger.wallets.create({ handle: 'shop' }, { cosigners: [other], custom: { reason: 'both' } });
    expect(made.meta.owners).toEqual([signer.public, other.public]);
    expect(made.meta.proofs[0]?.custom).toMatchObject({ reason: 'both', record: 'wallet' });
    expect(verifyProof(hash(made.data as never), made.meta.proofs[1] as never)).toBe(true);
  });
});

describe('cryptography', () => {
  const key = portable.publicKey(seed);
  const name = encodeBase64(key);
  const signature = portable.sign(message, seed);
  const wrong = signature.with(0, (signature[0] ?? 0) ^ 1);

  it('is the same of WebCrypto and of a suite', async () => {
    for (const one of [new Cryptography(), new Cryptography(portable)]) {
      expect(await one.hash({ b: 1, a: 'é' })).toBe(hash({ b: 1, a: 'é' }));
      expect(await one.verify(signature, message, key, name)).toBe(true);
      expect(await one.verify(wrong, message, key, name)).toBe(false);
    }
  });

  it('falls back to the protocol where WebCrypto lacks Ed25519', async () => {
    const { subtle } = crypto;
    const importKey = subtle.importKey;
    // As browsers before 2024 do.
    Object.defineProperty(subtle, 'importKey', {
      value: async () => Promise.reject(new DOMException('', 'NotSupportedError')),
      configurable: true,
    });
    try {
      const one = new Cryptography();
      expect(await one.verify(signature, message, key, name)).toBe(true);
      expect(await one.verify(wrong, message, key, name)).toBe(false);
      const { publicKey, sign } = await one.signer(seed);
      expect(encodeBase64(publicKey)).toBe(name);
      expect(encodeBase64(await sign(message))).toBe(encodeBase64(signature));
    } finally {
      Object.defineProperty(subtle, 'importKey', { value: importKey, configurable: true });
    }
  });

  it('says what to do where WebCrypto is missing', () => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor;
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    try {
      expect(() => new Cryptography()).toThrow('open the page over HTTPS, or give a suite');
      expect(new Cryptography(portable)).toBeDefined();
    } finally {
      Object.defineProperty(globalThis, 'crypto', original);
    }
  });

  it('has keys of 32 bytes', () => {
    expect(decodeBase64(name)).toHaveLength(32);
    expect(newSeed()).toHaveLength(32);
  });
});
