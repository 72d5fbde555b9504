import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyLimits } from '../../src/untrusted-keys/key-limits.js';
import {
  ask,
  credentialsFor,
  grant,
  otherRsa,
  pkcs8,
  policy,
  providerFactor,
  rsa,
  signer,
  spki,
} from '../oauth/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed, type TestAnswer, type TestClient, updateOf } from '../support/client.js';
import { dsaPem, rsaNumbers, rsaPem } from '../support/crafted-keys.js';
import { plantSecret } from '../support/planted.js';
import { ok, stored, withSecret } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();
const PATH = '/signers/prov/factors';
let client: TestClient;
beforeAll(async () => {
  client = await newLedger(server.current.url);
  await signer(client, 'prov');
});

const pair = (handle: string, more: JsonObject = {}): JsonObject => ({
  handle,
  signer: 'prov',
  schema: 'key-pair',
  format: 'rsa-der',
  public: spki(rsa.publicKey),
  secret: '{{ secret.private }}',
  ...more,
});

function create(data: JsonObject, text: string): Promise<TestAnswer> {
  return client.call('POST', PATH, withSecret(signed(data, client.key), { private: text }));
}

const begins = "Secret 'private' of the key pair cannot be used: The private key";
const NOT_RSA = 'is not RSA of 2048 to 4096 bits';

describe('the private key of a key pair for RS256 (interface/signers#key-pairs)', () => {
  it.each<[string, () => string, string]>([
    ['no key', () => 'no key at all', 'cannot be read'],
    ['a key with a passphrase', () => locked(), 'has a passphrase'],
    ['an Ed25519 key', () => pkcs8(generateKeyPairSync('ed25519').privateKey), NOT_RSA],
    ['a text that is too long', () => 'x'.repeat(keyLimits.privateKey + 1), 'is too long'],
    [
      'DSA',
      () => dsaPem(256),
      'is of a kind that is not taken: RSA of 2048 to 4096 bits, P-256, P-384, P-521 and Ed25519 are',
    ],
  ])('cannot be %s', async (name, text, why) => {
    expectRefusal(
      await create(pair(`no-${name.replace(/\W/g, '')}`), text()),
      client,
      'record.invalid',
      `${begins} ${why}`,
    );
  });

  it('has numbers that fit together, and primes', async () => {
    const unfit = "Secret 'private' of the key pair cannot be used: The numbers of the private key do not fit together";
    const numbers = rsaNumbers([1_024, 1_024], { arePrime: false });
    for (const key of [rsaPem(numbers), rsaPem({ ...numbers, d: numbers.d + 2n })])
      expectRefusal(await create(pair('unfit'), key), client, 'record.invalid', unfit);
  });

  it('is judged in an update that sends one, and left alone in one that does not', async () => {
    const factor = ok(await create(pair('changing'), pkcs8(rsa.privateKey))).body;
    const put = (data: JsonObject, text?: string) =>
      client.call(
        'PUT',
        `${PATH}/changing`,
        withSecret(updateOf(factor, data, client.key), text ? { private: text } : undefined),
      );
    const refused = await put(pair('changing'), 'no key at all');
    expectRefusal(refused, client, 'record.invalid', `${begins} cannot be read`);
    await plantSecret(server.current, client, `${PATH}/changing`, 'private', 'stored long ago');
    ok(await put(pair('changing', { custom: { note: 1 } })));
  });

  it('may be any text where it is for no RS256', async () => {
    const public_ = client.key.public;
    ok(await create(pair('own', { format: 'ed25519-raw', public: public_ }), 'encrypted by the client'));
    ok(await create(pair('otp', { schema: 'otp' }), 'JBSWY3DPEHPK3PXP'));
  });

  it('signs with none that was stored before it was judged, and the next factor takes over', async () => {
    const own = await newLedger(server.current.url);
    await Promise.all([signer(own, 'prov'), signer(own, 'app')]);
    await policy(own);
    const credentials = await credentialsFor(own, 'app');
    await providerFactor(own);
    await plantSecret(server.current, own, `${PATH}/prov-rsa`, 'private', dsaPem(700));
    expect((await ask(own, grant(credentials))).body).toMatchObject({ error: 'server_error' });
    const next = { handle: 'next', public: spki(otherRsa.publicKey) };
    await providerFactor(own, next, { private: pkcs8(otherRsa.privateKey) });
    expect((await ask(own, grant(credentials))).status).toBe(200);
    expect((await stored(own, 'wallet', { handle: 'w' })).data.handle).toBe('w');
  });
});

function locked(): string {
  return String(rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }));
}
