import { createPublicKey } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { clusterLimits } from '../../src/cluster/cluster-limits.js';
import { mtls } from '../bridges/scene.js';
import { aspect, forwardingLedger } from '../forward/scene.js';
import { ask, grant, type OauthLedger, oauthLedger, provided, rsa, spki } from '../oauth/scene.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { signed } from '../support/client.js';
import { dsaPem, type RsaNumbers, rsaNumbers, rsaPem } from '../support/crafted-keys.js';
import { effortOf } from '../support/effort.js';
import { plantSecret } from '../support/planted.js';
import { ok, withSecret } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
let victim: OauthLedger;
beforeAll(async () => {
  victim = await oauthLedger(server.current.url);
});

/** Milliseconds of processor time: what is refused at once takes a hundredth of it, and what OpenSSL is given minutes. */
const LONG = 10_000;

/**
 * Runs an attack while another tenant asks for tokens and uses them. Each of its requests is answered, and the event loop never
 * stands still for as long as makes a process be replaced.
 */
async function expectHarmless(attack: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let isOver = false;
  const others = async () => {
    let answered = 0;
    while (!isOver || answered < 3) {
      const token = ok(await ask(victim.client, grant(victim.credentials))).body.access_token;
      const bearer = { authorization: `Bearer ${token}` };
      expect((await victim.client.get('/signers/system', bearer)).status).toBe(200);
      expect((await victim.client.get('/signers/system', provided())).status).toBe(200);
      answered += 1;
    }
  };
  const answering = others();
  const spent = await effortOf(() => attack().finally(() => (isOver = true)));
  await answering;
  delay.disable();
  expect(spent).toBeLessThan(LONG);
  expect(delay.max / 1e6).toBeLessThan(clusterLimits.standstill);
}

/** Keys that take OpenSSL long to load or to sign with, in each size that gets further than the one before. */
const HOSTILE: [string, () => string][] = [
  ['a DSA key of 34 kB', () => dsaPem(6_300)],
  ['a DSA key of 4 kB', () => dsaPem(740)],
  ['an RSA key of 4096 bits with exponents of 200 kB', () => withLongExponents(1_600_000)],
  ['an RSA key of 2048 bits with exponents of 1 kB', () => withLongExponents(8_000, 1_024)],
];

/** Exponents that sign as well as the short ones, and take as long as they are. */
function withLongExponents(bits: number, prime = 2_048): string {
  const numbers: RsaNumbers = rsaNumbers([prime, prime], { arePrime: false });
  const longer = (exponent: bigint, of: bigint) => exponent + (of - 1n) * (1n << BigInt(bits - prime));
  return rsaPem({ ...numbers, dp: longer(numbers.dp, numbers.p), dq: longer(numbers.dq, numbers.q) });
}

describe.each(HOSTILE)('%s changes nothing for others', (_, make) => {
  it('as the secret of a key pair, when it is written and when tokens are asked for', async () => {
    const { client, credentials } = await oauthLedger(server.current.url);
    const key = make();
    const data: JsonObject = {
      handle: 'hostile',
      signer: 'prov',
      schema: 'key-pair',
      format: 'rsa-der',
      public: spki(rsa.publicKey),
      secret: '{{ secret.private }}',
    };
    const write = () =>
      client.call('POST', '/signers/prov/factors', withSecret(signed(data, client.key), { private: key }));
    await expectHarmless(async () => {
      expect((await Promise.all(Array.from({ length: 10 }, write))).map(({ status }) => status)).toEqual(
        Array(10).fill(422),
      );
    });
    await plantSecret(server.current, client, '/signers/prov/factors/prov-rsa', 'private', key);
    await expectHarmless(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(client, grant(credentials))));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(500));
    });
  });

  it('as the key of a client certificate, when it is written and when the bridge is called', async () => {
    const identity = issueCertificate(makeAuthority('authority'), 'ledger');
    const { secure, secret } = mtls(identity);
    const values = [aspect('read', 'proxy')];
    const named = { secure: [...secure], secret };
    const client = await forwardingLedger(server.current.url, 'https://127.0.0.1:1', values, named);
    const key = make();
    await expectHarmless(async () => {
      const another = mtls({ ...identity, key });
      const bridge = {
        handle: 'other',
        schema: 'rest',
        config: { server: 'https://127.0.0.1:1' },
        secure: [...another.secure],
      };
      const body = withSecret(signed(bridge, client.key), another.secret);
      expect((await client.call('POST', '/bridges', body)).status).toBe(422);
    });
    await plantSecret(server.current, client, '/bridges/bank', 'privateKey', key);
    await expectHarmless(async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => client.get('/anchors/a')));
      expect(answers.map(({ body }) => body.data.reason)).toEqual(Array(30).fill('forward.unexpected-error'));
    });
  });
});

it('a key whose factors are not prime, stored before they were tried, leaves room for the tokens of others', async () => {
  const { client, credentials } = await oauthLedger(server.current.url);
  const numbers = rsaNumbers([2_048, 2_048], { arePrime: false });
  const record = (await client.get('/signers/prov/factors/prov-rsa')).body;
  const jwk = { kty: 'RSA', n: base64Url(numbers.n), e: base64Url(numbers.e) };
  const public_ = spki(createPublicKey({ key: jwk, format: 'jwk' }));
  ok(await client.update('/signers/prov/factors/prov-rsa', record, { ...record.data, public: public_ }));
  await plantSecret(server.current, client, '/signers/prov/factors/prov-rsa', 'private', rsaPem(numbers));
  await expectHarmless(async () => {
    // OpenSSL signs with such a key the long way, a tenth of a second each, and a ledger's signatures wait for one another.
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(client, grant(credentials))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
});

function base64Url(value: bigint): string {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex').toString('base64url');
}
