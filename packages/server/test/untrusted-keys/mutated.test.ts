import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeChain } from '../../src/untrusted-keys/certificate.js';
import { readPrivateKey } from '../../src/untrusted-keys/private-key.js';
import { readRsaPublicKey } from '../../src/untrusted-keys/public-key.js';
import { UnusableKey } from '../../src/untrusted-keys/unusable-key.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { der, pem } from '../support/crafted-keys.js';
import { effort } from '../support/effort.js';
import '../support/seed.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: process.env.LONG_TESTS ? 50_000 : 500 });

/** Milliseconds of processor time: a hundred times what the slowest key takes that is taken. */
const LONG = 5_000;

/** Bytes as an editor without any idea of them leaves them: each edit replaces so many at a place by others. */
const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    removed: fc.integer({ min: 0, max: 40 }),
    added: fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      // A value where none was, or where there was another.
      fc
        .tuple(fc.constantFrom(0x02, 0x03, 0x04, 0x05, 0x06, 0x30, 0xa0, 0xa1), fc.uint8Array({ maxLength: 900 }))
        .map(([tag, content]) => new Uint8Array(der(tag, content))),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

function edited(bytes: Uint8Array, made: readonly { at: number; removed: number; added: Uint8Array }[]): Buffer {
  return made.reduce<Buffer>((text, { at, removed, added }) => {
    const place = Math.floor(at * text.length);
    return Buffer.concat([text.subarray(0, place), added, text.subarray(place + removed)]);
  }, Buffer.from(bytes));
}

/** Values of DER in the bytes, of which one is replaced by one that is well formed, so that the edit is deep within. */
function resized(bytes: Buffer, at: number, content: Uint8Array): Buffer {
  const value = wellFormed(bytes, 0, at, content);
  return value ?? bytes;
}

/** The value at an offset, with that which is the `at`-th part of it replaced; lengths around it are made anew. */
function wellFormed(bytes: Buffer, offset: number, at: number, content: Uint8Array): Buffer | undefined {
  const [tag = 0, first = 0] = bytes.subarray(offset);
  const wide = first < 0x80 ? 0 : first & 0x7f;
  const length = wide === 0 ? first : bytes.readUIntBE(offset + 2, wide);
  const start = offset + 2 + wide;
  if (tag !== 0x30) return der(tag, content);
  const parts: Buffer[] = [];
  for (let next = start; next < start + length; ) {
    const [, size = 0] = bytes.subarray(next);
    const more = size < 0x80 ? 0 : size & 0x7f;
    const end = next + 2 + more + (more === 0 ? size : bytes.readUIntBE(next + 2, more));
    parts.push(bytes.subarray(next, end));
    next = end;
  }
  const chosen = Math.floor(at * parts.length);
  const [place] = [parts[chosen]];
  if (!place) return undefined;
  const inner = wellFormed(place, 0, (at * parts.length) % 1, content) ?? place;
  return der(0x30, ...parts.map((part, index) => (index === chosen ? inner : part)));
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const edwards = generateKeyPairSync('ed25519');
const exported = (key: { export(options: object): unknown }, type: string) =>
  key.export({ type, format: 'der' }) as Buffer;

/** Nothing but a refusal is thrown, and what is taken works. */
function expectJudged(read: () => void): void {
  let thrown: unknown;
  const spent = effort(() => {
    try {
      read();
    } catch (error) {
      thrown = error;
    }
  });
  if (thrown !== undefined && !(thrown instanceof UnusableKey)) throw thrown;
  expect(spent).toBeLessThan(LONG);
}

const used = (text: string) => {
  const { key } = readPrivateKey(text);
  sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', Buffer.from('text'), key);
};

describe('mutated', () => {
  const keys: [string, string, Buffer][] = [
    ['RSA in PKCS#8', 'PRIVATE KEY', exported(rsa.privateKey, 'pkcs8')],
    ['RSA in PKCS#1', 'RSA PRIVATE KEY', exported(rsa.privateKey, 'pkcs1')],
    ['P-384 in SEC 1', 'EC PRIVATE KEY', exported(curve.privateKey, 'sec1')],
    ['P-384 in PKCS#8', 'PRIVATE KEY', exported(curve.privateKey, 'pkcs8')],
    ['Ed25519', 'PRIVATE KEY', exported(edwards.privateKey, 'pkcs8')],
  ];

  it.each(keys)('%s is refused, or signs quickly', (_, label, bytes) => {
    expectJudged(() => used(pem(label, bytes)));
    const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(fc.property(edits, (made) => expectJudged(() => used(pem(label, edited(bytes, made))))));
    fc.assert(
      fc.property(part, fc.uint8Array({ maxLength: 1_200 }), (at, content) =>
        expectJudged(() => used(pem(label, resized(bytes, at, content)))),
      ),
    );
  });

  it('a public key is refused, or taken quickly', () => {
    const bytes = exported(rsa.publicKey, 'spki');
    fc.assert(
      fc.property(edits, (made) => expectJudged(() => readRsaPublicKey(edited(bytes, made).toString('base64')))),
    );
  });

  it('a certificate is refused, or loaded quickly', () => {
    const { certificate } = issueCertificate(makeAuthority('authority'), 'client');
    const { raw } = new X509Certificate(certificate);
    const load = (bytes: Buffer) => {
      for (const one of judgeChain(pem('CERTIFICATE', bytes))) {
        try {
          new X509Certificate(one).publicKey.export({ format: 'jwk' });
        } catch {
          // OpenSSL may refuse what was taken; it is only to be quick about it.
        }
      }
    };
    fc.assert(fc.property(edits, (made) => expectJudged(() => load(edited(raw, made)))));
  });

  it('any text is refused, or taken quickly', () => {
    const line = fc.oneof(
      fc.constantFrom('-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '-----BEGIN ', '-----', 'ENCRYPTED'),
      fc.string({ maxLength: 80 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        expectJudged(() => used(lines.join('\n')));
        expectJudged(() => judgeChain(lines.join('\n').replaceAll('PRIVATE KEY', 'CERTIFICATE')));
        expectJudged(() => readRsaPublicKey(lines.join('')));
      }),
    );
  });
});
