import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { otherRsa, pkcs8, providerFactor, signer, spki } from '../oauth/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, OPEN, signed, type TestClient } from '../support/client.js';
import { ok, stored, withSecret } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();
const FACTORS = '/signers/app/factors';
const OTP = { handle: 'one-time', signer: 'app', schema: 'otp', secret: '{{ secret.seed }}' };

/** The includes that ask for secrets (interface/signers#secrets). */
const ASKING = [
  'include=meta.secret',
  'include[0]=meta.secret',
  'include%5B0%5D=meta%2Esecret',
  'include[]=meta.secret',
];

describe('include=meta.secret on an open ledger (interface/signers#secrets)', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await newLedger(server.current.url);
    await signer(client, 'app');
    await stored(client, 'signer-factor', OTP, { seed: 'JBSWY3DPEHPK3PXP' });
  });

  it.each(ASKING)('?%s shows the values last in meta, on every read', async (query) => {
    const plain = await client.get(`${FACTORS}/one-time`);
    const shown = await client.get(`${FACTORS}/one-time?${query}`);
    expect(shown.status, shown.text).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const { secret, ...meta } = shown.body.meta;
    expect(secret).toEqual({ seed: 'JBSWY3DPEHPK3PXP' });
    expect(Object.keys(shown.body.meta).at(-1)).toBe('secret');
    expect({ ...shown.body, meta }).toEqual(plain.body);
    expect((await client.get(`${FACTORS}/one-time?${query}`)).text).toBe(shown.text);
  });

  it.each([
    '',
    'include=meta',
    'include=secret',
    'include=meta.secret.seed',
    'includes=meta.secret',
    'include[a]=meta.secret',
  ])('?%s shows nothing', async (query) => {
    const answer = await client.get(`${FACTORS}/one-time?${query}`);
    expect(answer.text).toBe((await client.get(`${FACTORS}/one-time`)).text);
    expect(answer.headers.get('cache-control')).toBeNull();
  });

  it('on a create, a private key too', async () => {
    const pem = pkcs8(otherRsa.privateKey);
    const data = {
      handle: 'key',
      signer: 'app',
      schema: 'key-pair',
      format: 'rsa-der',
      public: spki(otherRsa.publicKey),
      secret: '{{ secret.p }}',
    };
    const body = withSecret(signed(data, client.key), { p: pem });
    const answer = await client.call('POST', `${FACTORS}?include=meta.secret`, body);
    expect([answer.status, answer.body.meta.secret]).toEqual([201, { p: pem }]);
    const again = await client.call('POST', `${FACTORS}?include=meta.secret`, body);
    expect([again.status, again.body.meta.secret]).toEqual([200, { p: pem }]);
  });

  it('only the values its data refers to, as they are now', async () => {
    const data = { ...OTP, handle: 'changing' };
    const first = await stored(client, 'signer-factor', data, { seed: 'one' });
    const secretOf = async () => (await client.get(`${FACTORS}/changing?include=meta.secret`)).body.meta.secret;
    const put = async (record: typeof first, change: JsonObject, secret?: JsonObject) => {
      const body = signed({ ...data, ...change, parent: record.hash }, client.key, {}, { luid: record.luid });
      return ok(await client.call('PUT', `${FACTORS}/changing`, withSecret(body, secret))).body;
    };
    const second = await put(first, { custom: { a: 1 } });
    expect(await secretOf()).toEqual({ seed: 'one' });
    const third = await put(second, {}, { seed: 'two' });
    expect(await secretOf()).toEqual({ seed: 'two' });
    await put(third, { secret: '{{ secret.other }}' }, { other: 'three' });
    expect(await secretOf()).toEqual({ other: 'three' });
  });

  it('nothing where there is none', async () => {
    await stored(client, 'signer-factor', { handle: 'bare', signer: 'app', schema: 'otp' });
    const answer = await client.get(`${FACTORS}/bare?include=meta.secret`);
    expect(answer.text).toBe((await client.get(`${FACTORS}/bare`)).text);
  });

  it('never of a record that is no factor, the system signers above all, nor on lists and changes', async () => {
    const bridge = { handle: 'b', schema: 'rest', config: { server: 'http://127.0.0.1:9/v2' } };
    const secure = [{ schema: 'header', key: 'x-api-key', value: '{{ secret.apiKey }}' }];
    await stored(client, 'bridge', { ...bridge, secure }, { apiKey: 'hidden' });
    const paths = [
      '/signers/system',
      '/signers/system.auth',
      '/signers/core',
      '/bridges/b',
      FACTORS,
      '/signers/system/factors',
    ];
    const changes = [`${FACTORS}/one-time/changes`, `${FACTORS}/one-time/changes/1`, '/signers/system/changes'];
    for (const path of [...paths, ...changes]) {
      const answer = await client.get(`${path}?include=meta.secret`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).not.toContain('"secret":{');
      expect(answer.text).not.toMatch(/JBSWY3DPEHPK3PXP|hidden/);
    }
  });

  it('a query that cannot be read is refused, and nothing stored', async () => {
    const body = signed({ handle: 'never', signer: 'app', schema: 'otp' }, client.key);
    const answer = await client.call('POST', `${FACTORS}?include=%zz`, body);
    expectRefusal(answer, client, 'api.query-malformed', 'Malformed percent-encoding in the query');
    expect((await client.get(`${FACTORS}/never`)).status).toBe(404);
  });
});

describe('who may reveal (interface/signers#secrets)', () => {
  const [operator, revealer, reader, stranger] = [newKey(), newKey(), newKey(), newKey()];
  const by = (key: { public: string }) => ({ signer: { public: key.public } });
  const everyone = { $in: [revealer, reader].map((key) => ({ public: key.public })) };
  let client: TestClient;

  beforeAll(async () => {
    client = await newLedger(server.current.url, {
      key: operator,
      access: [
        { action: 'any', record: 'any', ...by(operator) },
        { action: 'access', signer: everyone },
        { action: 'read', record: 'any', bearer: { $signer: { $in: [...everyone.$in, { public: operator.public }] } } },
        { action: 'create', record: 'signer-factor', signer: everyone },
        { action: 'reveal', record: 'signer-factor-secret', ...by(revealer) },
        { action: 'reveal', record: 'signer-factor-secret', bearer: { $signer: { public: reader.public } } },
      ],
    });
    await signer(client, 'app');
    await stored(client, 'signer-factor', { ...OTP, access: [{ action: 'any', ...by(stranger) }] }, { seed: 'seed' });
  });

  const read = (headers?: Record<string, string>) => client.get(`${FACTORS}/one-time?include=meta.secret`, headers);

  it("whose token's key a signer rule names", async () => {
    for (const key of [operator, revealer]) {
      const answer = await read(bearer(key));
      expect([answer.status, answer.body.meta.secret]).toEqual([200, { seed: 'seed' }]);
    }
  });

  it('not who a bearer rule names: the refusal counts the rules for others', async () => {
    const answer = await read(bearer(reader));
    const errors = Array(3).fill('Cannot find required signer.');
    expectRefusal(answer, client, 'auth.forbidden', 'Missing permissions', { errors });
    expect((await client.get(`${FACTORS}/one-time`, bearer(reader))).status).toBe(200);
  });

  it('nobody without a token, though signing the request itself', async () => {
    expectRefusal(
      await read(),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    const body = withSecret(signed({ ...OTP, handle: 'mine' }, revealer), { seed: 'mine' });
    const answer = await client.call('POST', `${FACTORS}?include=meta.secret`, body);
    const errors = Array(2).fill('Cannot find required signer.');
    expectRefusal(answer, client, 'auth.forbidden', 'Missing permissions', { errors });
    expect((await client.get(`${FACTORS}/mine`, bearer(operator))).status).toBe(404);
    const withToken = await client.call('POST', `${FACTORS}?include=meta.secret`, body, bearer(revealer));
    expect([withToken.status, withToken.body.meta.secret]).toEqual([201, { seed: 'mine' }]);
  });

  it("not the stranger that the factor's own rules let do anything", async () => {
    const answer = await read(bearer(stranger));
    expect([answer.status, answer.body.data.reason]).toEqual([403, 'auth.forbidden']);
  });

  it('nobody, once the rule is gone', async () => {
    expect((await read(bearer(revealer))).status).toBe(200);
    const ledger = await client.get('/ledger', bearer(operator));
    const { parent: _, ...data } = ledger.body.data;
    const access = data.access.filter(({ action }: JsonObject) => action !== 'reveal');
    ok(await client.update('/ledger', ledger.body, { ...data, access }));
    expect((await read(bearer(revealer))).status).toBe(403);
  });
});

describe('under policies', () => {
  it('an active value must grant reveal', async () => {
    const client = await newLedger(server.current.url, { access: OPEN });
    await signer(client, 'app');
    await stored(client, 'signer-factor', OTP, { seed: 'seed' });
    const me = { signer: { public: client.key.public } };
    const values: JsonObject[] = [
      { action: 'access', record: 'ledger', ...me },
      { action: { $nin: ['reveal'] }, record: 'any', ...me },
      { action: 'read', record: 'any', bearer: { $signer: { public: client.key.public } } },
    ];
    const base = await stored(client, 'policy', { handle: 'base', schema: 'access', values });
    ok(await client.prove('/policies/base', base, { status: 'active' }));
    const ledger = (await client.get('/ledger')).body;
    ok(await client.update('/ledger', ledger, { ...ledger.data, config: { 'access.strategy': 'policy-based' } }));
    const read = () => client.get(`${FACTORS}/one-time?include=meta.secret`, bearer(client.key));
    expect((await read()).status).toBe(403);
    const more = await stored(client, 'policy', {
      handle: 'reveal',
      schema: 'access',
      values: [{ action: 'reveal', record: 'signer-factor-secret', ...me }],
    });
    expect((await read()).status).toBe(403);
    ok(await client.prove('/policies/reveal', more, { status: 'active' }));
    expect((await read()).body.meta.secret).toEqual({ seed: 'seed' });
  });
});

it("a provider's private key is revealed as it was sent", async () => {
  const client = await newLedger(server.current.url);
  await signer(client, 'prov');
  await providerFactor(client, {}, { private: pkcs8(otherRsa.privateKey) });
  const answer = await client.get('/signers/prov/factors/prov-rsa?include=meta.secret');
  expect(answer.body.meta.secret).toEqual({ private: pkcs8(otherRsa.privateKey) });
});
