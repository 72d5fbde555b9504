import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeChain, readClientCertificate } from '../../src/untrusted-keys/certificate.js';
import { keyLimits } from '../../src/untrusted-keys/key-limits.js';
import { UnusableKey } from '../../src/untrusted-keys/unusable-key.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { der, integer, pem } from '../support/crafted-keys.js';

const authority = makeAuthority('authority');
const client = issueCertificate(authority, 'client');
const { characters, count } = keyLimits.chain;
const { identifier } = keyLimits.der;

function refusal(chain: string): string | undefined {
  try {
    judgeChain(chain);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    return error.message;
  }
}

/** A certificate of a key; nobody looks at its signature. */
function withKey(spki: Uint8Array, name = der(0x30)): string {
  const parts = [der(0xa0, integer(2n)), integer(1n), name, name, name, name, spki];
  return pem('CERTIFICATE', der(0x30, der(0x30, ...parts), der(0x30), der(0x03, Buffer.of(0))));
}

const RSA = der(0x30, der(0x06, Buffer.from('2a864886f70d010101', 'hex')), der(0x05));

/** A public key whose modulus has so many bits, all of them set. */
function rsa(bits: number): Buffer {
  return der(0x30, RSA, der(0x03, Buffer.of(0), der(0x30, integer(2n ** BigInt(bits) - 1n), integer(65_537n))));
}

/** A certificate with this in its names: the parser takes time to the square of an identifier's bytes. */
function identifiedBy(value: Uint8Array): string {
  return withKey(rsa(2_048), der(0x30, der(0x31, der(0x30, value))));
}

const NO_CERTIFICATE = 'The certificate cannot be read';
const NOT_TAKEN = 'A certificate has a key of a kind that is not taken';
const DSA = der(0x06, Buffer.from('2a8648ce380401', 'hex'));

describe('a chain of certificates', () => {
  it.each(['ec', 'ed25519', 'rsa'] as const)('is taken with a key of kind %s, and with those behind it', (kind) => {
    const leaf = issueCertificate(authority, 'leaf', kind);
    const chain = `text\n${leaf.certificate}${authority.certificate}`;
    const judged = readClientCertificate(chain, leaf.key);
    expect(judged.chain).toBe(leaf.certificate + authority.certificate);
    expect(new X509Certificate(judged.chain).checkPrivateKey(leaf.privateKey)).toBe(true);
  });

  it.each<[string, () => string, string | undefined]>([
    ['RSA of 2048 bits', () => withKey(rsa(2_048)), undefined],
    ['none', () => 'certificate', NO_CERTIFICATE],
    ['a broken one', () => client.certificate.replace(/M/g, 'N'), NO_CERTIFICATE],
    ['one that is no certificate', () => pem('CERTIFICATE', der(0x30, integer(1n))), NO_CERTIFICATE],
    ['a broken one behind it', () => client.certificate + pem('CERTIFICATE', Buffer.of(1, 2)), NO_CERTIFICATE],
    [`${count} of them`, () => client.certificate.repeat(count), undefined],
    [`${count + 1} of them`, () => client.certificate.repeat(count + 1), `There are more than ${count} certificates`],
    [`${characters} characters`, () => client.certificate.padEnd(characters, '\n'), undefined],
    [`${characters + 1} characters`, () => ' '.repeat(characters + 1), 'The certificate is too long'],
    ['RSA of 1024 bits', () => withKey(rsa(1_024)), NOT_TAKEN],
    ['RSA of 4104 bits', () => withKey(rsa(4_104)), NOT_TAKEN],
    [`an identifier of ${identifier} bytes`, () => identifiedBy(der(0x06, Buffer.alloc(identifier, 1))), undefined],
    ['a longer one', () => identifiedBy(der(0x06, Buffer.alloc(identifier + 1, 1))), NO_CERTIFICATE],
    ['a longer one that is relative', () => identifiedBy(der(0x0d, Buffer.alloc(identifier + 1, 1))), NO_CERTIFICATE],
    [
      'a longer one whose tag has two bytes',
      () => identifiedBy(Buffer.of(0x1f, 0x06, identifier + 1, ...Buffer.alloc(identifier + 1, 1))),
      NO_CERTIFICATE,
    ],
    ['DSA', () => withKey(der(0x30, der(0x30, DSA), der(0x03, Buffer.of(0), integer(3n)))), NOT_TAKEN],
    ['secp256k1', () => issueCertificate(authority, 'k1', 'secp256k1').certificate, NOT_TAKEN],
    [
      'secp256k1 behind it',
      () => client.certificate + issueCertificate(authority, 'k1', 'secp256k1').certificate,
      NOT_TAKEN,
    ],
  ])('with %s', (_, chain, why) => {
    expect(refusal(chain())).toBe(why);
  });

  it('is not taken with the private key of another', () => {
    const other = issueCertificate(authority, 'other');
    for (const key of [other.key, issueCertificate(authority, 'rsa', 'rsa').key]) {
      expect(() => readClientCertificate(client.certificate, key)).toThrow('not that of the certificate');
    }
  });
});
