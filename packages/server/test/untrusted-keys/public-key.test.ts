import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readRsaPublicKey } from '../../src/untrusted-keys/public-key.js';
import { UnusableKey } from '../../src/untrusted-keys/unusable-key.js';
import { der, integer } from '../support/crafted-keys.js';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('base64');

const RSA = der(0x30, der(0x06, Buffer.from('2a864886f70d010101', 'hex')), der(0x05));

/** A key of a modulus with so many bits, all of them set; no private key belongs to it. */
function keyOf(bits: number, exponent = 65_537n, less = 0n): string {
  const numbers = der(0x30, integer(2n ** BigInt(bits) - 1n - less), integer(exponent));
  return der(0x30, RSA, der(0x03, Buffer.of(0), numbers)).toString('base64');
}

function refusal(text: string): string | undefined {
  try {
    readRsaPublicKey(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    return error.message;
  }
}

const NOT_RSA = 'The public key is not RSA of 2048 to 4096 bits';
const UNREADABLE = 'The public key cannot be read';

describe('a public RSA key', () => {
  it('is taken as it is', () => {
    expect(readRsaPublicKey(spki(publicKey)).key.equals(publicKey)).toBe(true);
  });

  it.each<[string, string, string | undefined]>([
    ['2048 bits', keyOf(2_048), undefined],
    ['4096 bits', keyOf(4_096), undefined],
    ['2047 bits', keyOf(2_047), NOT_RSA],
    ['4097 bits', keyOf(4_097), NOT_RSA],
    ['8192 bits', keyOf(8_192), NOT_RSA],
    ['an even modulus', keyOf(2_048, 65_537n, 1n), NOT_RSA],
    ['the exponent 3', keyOf(2_048, 3n), undefined],
    ['an exponent of 32 bits', keyOf(2_048, 2n ** 32n - 1n), undefined],
    ['an exponent of 33 bits', keyOf(2_048, 2n ** 32n + 1n), NOT_RSA],
    ['the exponent 1', keyOf(2_048, 1n), NOT_RSA],
    ['an even exponent', keyOf(2_048, 4n), NOT_RSA],
    ['RSA for PSS alone', spki(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey), NOT_RSA],
    ['Ed25519', spki(generateKeyPairSync('ed25519').publicKey), NOT_RSA],
    ['no key', 'AAAA', UNREADABLE],
    ['nothing', '', UNREADABLE],
    ['a part of one', spki(publicKey).slice(0, -40), UNREADABLE],
    ['a text that is longer than any', 'A'.repeat(2_052), 'The public key is too long'],
  ])('with %s', (_, text, why) => {
    expect(refusal(text)).toBe(why);
  });
});
