import { describe, expect, test } from 'vitest';
import {
  digest,
  encodeBase64,
  hash,
  type JsonObject,
  type Proof,
  portable,
  type Suite,
  signProof,
  verifyProof,
} from '../src/index.js';

const secret = new Uint8Array(32).fill(7);
const publicKey = encodeBase64(portable.publicKey(secret));
const of = hash({ handle: 'a' });
const custom = { moment: '2030-01-02T03:04:05.006Z', status: 'created' };
const proof = signProof({ hash: of, custom, secret, public: publicKey });

test('a proof has the members of the interface, and no custom when none was given', () => {
  expect(Object.keys(proof)).toEqual(['method', 'public', 'digest', 'result', 'custom']);
  expect(proof).toMatchObject({ method: 'ed25519-v2', public: publicKey, custom });
  expect('custom' in signProof({ hash: of, secret, public: publicKey })).toBe(false);
});

test('a proof over no hash is refused when signing', () => {
  for (const wrong of ['', of.slice(1), `${of}0`, of.replace(/./, 'g')]) {
    expect(() => signProof({ hash: wrong, secret, public: publicKey })).toThrow(TypeError);
  }
});

describe('verifies', () => {
  test('as made, and with hex in upper case', () => {
    expect(verifyProof(of, proof)).toBe(true);
    expect(verifyProof(of, { ...proof, digest: proof.digest.toUpperCase() })).toBe(true);
    expect(verifyProof(of.toUpperCase(), proof)).toBe(true);
  });

  test('whatever the server added and whichever order custom has', () => {
    const stored = {
      ...proof,
      signer: 'alice',
      origin: 'key-pair',
      custom: { status: 'created', moment: custom.moment },
    };
    expect(verifyProof(of, stored)).toBe(true);
  });
});

describe('does not verify', () => {
  const other = encodeBase64(portable.publicKey(new Uint8Array(32).fill(8)));
  const own = signProof({ hash: of, secret, public: publicKey });
  const cases: [string, unknown][] = [
    ['another method', { ...proof, method: 'ed25519' }],
    ['another key', { ...proof, public: other }],
    ['other custom', { ...proof, custom: { ...custom, status: 'active' } }],
    ['custom left out', { ...own, custom: {} }],
    ['custom null', { ...own, custom: null }],
    ['custom a text', { ...own, custom: '' }],
    ['custom a list', { ...own, custom: [] }],
    ['custom that is not JSON', { ...own, custom: { a: Number.NaN } }],
    ['custom with a lone surrogate', { ...own, custom: { a: '\ud800' } }],
    ['another digest', { ...proof, digest: own.digest }],
    ['digest cut', { ...proof, digest: proof.digest.slice(2) }],
    ['digest no text', { ...proof, digest: 5 }],
    ['signature of another', { ...proof, result: own.result }],
    ['signature short', { ...proof, result: encodeBase64(new Uint8Array(63)) }],
    ['signature long', { ...proof, result: encodeBase64(new Uint8Array(65)) }],
    ['signature without padding', { ...proof, result: proof.result.replace(/=+$/, '') }],
    ['signature with a line break', { ...proof, result: `${proof.result}\n` }],
    ['signature empty', { ...proof, result: '' }],
    ['key in base64url', { ...proof, public: publicKey.replaceAll('+', '-').replaceAll('/', '_') }],
    ['key with stray bits', { ...proof, public: publicKey.replace(/.=$/, (end) => `${end === 'w=' ? 'x' : 'w'}=`) }],
    ['key of 31 bytes', { ...proof, public: encodeBase64(new Uint8Array(31)) }],
    ['key of 33 bytes', { ...proof, public: encodeBase64(new Uint8Array(33)) }],
    ['key absent', { ...proof, public: undefined }],
    ['null', null],
    ['a text', 'proof'],
    ['a list', [proof]],
  ];

  test.each(cases)('%s', (_, wrong) => expect(verifyProof(of, wrong as Proof)).toBe(false));

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', ''],
    ['a text that says something', 'created'],
    ['a number', 0],
    ['a boolean', false],
    ['a list', []],
    ['a list of objects', [custom]],
  ])('custom that is %s, though the signature is over just that', (_, value) => {
    const signed = signProof({ hash: of, custom: value as JsonObject, secret, public: publicKey });
    expect(signed.digest).toBe(digest(of, value as JsonObject));
    expect(verifyProof(of, signed)).toBe(false);
  });

  test('another hash, or none', () => {
    expect(verifyProof(hash({ handle: 'b' }), proof)).toBe(false);
    for (const wrong of ['', of.slice(1), `${of}\n`]) expect(verifyProof(wrong, proof)).toBe(false);
  });
});

test('the suite given is the one used', () => {
  const calls: string[] = [];
  const told = <Result>(name: string, result: Result): Result => {
    calls.push(name);
    return result;
  };
  const suite: Suite = {
    sha256: (text) => told('sha256', portable.sha256(text)),
    sign: (message, secret) => told('sign', portable.sign(message, secret)),
    verify: () => told('verify', false),
    publicKey: portable.publicKey,
  };
  signProof({ hash: of, custom, secret, public: publicKey }, suite);
  expect(verifyProof(of, proof, suite)).toBe(false);
  expect(hash({ handle: 'a' }, suite)).toBe(of);
  expect(calls).toEqual(['sha256', 'sign', 'sha256', 'verify', 'sha256']);
});
