import { beforeAll, describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestAnswer } from '../support/client.js';
import { plantSecret } from '../support/planted.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import {
  ask,
  basic,
  type Credentials,
  credentialsFor,
  grant,
  type OauthLedger,
  oauthLedger,
  otherRsa,
  partsOf,
  pkcs8,
  policy,
  providerFactor,
  signer,
  spki,
  tokenOf,
} from './scene.js';

const server = withServer();
let scene: OauthLedger;
beforeAll(async () => {
  scene = await oauthLedger(server.current.url);
});

/** The whole answer is this one, byte for byte. */
function expectAnswer(answer: TestAnswer, status: number, body: object): void {
  expect([answer.status, answer.text]).toEqual([status, JSON.stringify(body)]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
}

const refused = (error: string, error_description: string) => ({ error, error_description });
const NO_GRANT = refused('invalid_request', 'The request is missing a required parameter: grant_type');
const NO_CREDENTIALS = refused(
  'invalid_request',
  'Client credentials must be provided either via Basic authentication or as client_id and client_secret in the request body.',
);
const INVALID_CLIENT = refused('invalid_client', 'Invalid client credentials');
const NOT_ENABLED = refused('invalid_grant', 'OAuth is not enabled for this ledger');
const SERVER_ERROR = refused('server_error', 'An unexpected error occurred processing the request');

describe('a token (interface/tokens#token-endpoint)', () => {
  it('is made for the form, with header and claims in order', async () => {
    const { client, credentials } = scene;
    const before = Math.floor(Date.now() / 1000);
    const answer = await ask(client, grant(credentials));
    const { access_token: token } = answer.body;
    expectAnswer(answer, 200, { access_token: token, token_type: 'Bearer', expires_in: 600 });
    const [header, claims] = partsOf(token);
    expect(JSON.stringify(header)).toBe('{"alg":"RS256","kid":"prov-rsa"}');
    const iat = Number(claims?.iat);
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
    const expected = { iss: 'prov', cid: 'app-oauth', sub: 'app', aud: server.current.url, iat, exp: iat + 600 };
    expect(JSON.stringify(claims)).toBe(JSON.stringify(expected));
  });

  it('is made for Basic authentication, which wins over the form', async () => {
    const { client, credentials } = scene;
    const form = { grant_type: 'client_credentials' };
    const right = basic(credentials.id, credentials.secret);
    expect((await ask(client, form, right)).status).toBe(200);
    expect((await ask(client, grant({ ...credentials, secret: 'wrong' }), right)).status).toBe(200);
    const wrong = await ask(client, grant(credentials), basic(credentials.id, 'wrong'));
    expectAnswer(wrong, 401, INVALID_CLIENT);
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="ledger"');
    // Another scheme is no attempt to authenticate the client.
    expect((await ask(client, grant(credentials), { authorization: 'Bearer x' })).status).toBe(200);
  });

  it('lives for an hour unless the policy says how long', async () => {
    const client = await newLedger(server.current.url);
    await Promise.all([signer(client, 'prov'), signer(client, 'app')]);
    await providerFactor(client);
    await policy(client);
    const answer = await ask(client, grant(await credentialsFor(client, 'app')));
    expect(answer.body.expires_in).toBe(3600);
    const claims = partsOf(answer.body.access_token)[1];
    expect(Number(claims?.exp) - Number(claims?.iat)).toBe(3600);
  });
});

describe('every refusal, in order (interface/tokens#token-endpoint)', () => {
  it('0: no ledger, or an unknown one', async () => {
    const { client, credentials } = scene;
    const form = grant(credentials);
    expectAnswer(await ask(client.in(undefined), form), 400, refused('invalid_request', 'Active ledger is not set!'));
    const unknown = refused('invalid_request', 'Server does not host requested ledger');
    expectAnswer(await ask(client.in('ghost'), form), 400, unknown);
    expectAnswer(await ask(client.in('x'.repeat(5000)), ''), 400, unknown);
  });

  it('1: no grant type, as in an empty body, one of another type, or none of any', async () => {
    const { client } = scene;
    expectAnswer(await ask(client, ''), 400, NO_GRANT);
    expectAnswer(await ask(client, 'grant_type=&client_id=a'), 400, NO_GRANT);
    expectAnswer(await ask(client, { client_id: 'a', client_secret: 'b' }), 400, NO_GRANT);
    expectAnswer(await client.call('POST', '/oauth/token'), 400, NO_GRANT);
    expectAnswer(await client.call('POST', '/oauth/token', { grant_type: 'client_credentials' }), 400, NO_GRANT);
    const noJson = await client.call('POST', '/oauth/token', '{', { 'content-type': 'application/json' });
    expectAnswer(noJson, 400, NO_GRANT);
  });

  it('2: another grant, whatever the credentials', async () => {
    const other = refused(
      'unsupported_grant_type',
      'The authorization grant type is not supported. Expected: client_credentials',
    );
    expectAnswer(await ask(scene.client, { grant_type: 'password' }), 400, other);
    expectAnswer(await ask(scene.client, { ...grant(scene.credentials), grant_type: 'x' }), 400, other);
  });

  it('3: no credentials, or half of them', async () => {
    const form = { grant_type: 'client_credentials' };
    const halves: object[] = [{}, { client_id: 'a' }, { client_secret: 'a' }, { client_id: '', client_secret: '' }];
    for (const half of halves) expectAnswer(await ask(scene.client, { ...form, ...half }), 400, NO_CREDENTIALS);
  });

  it('4: an unknown client or a wrong secret, told alike, also where OAuth is not enabled', async () => {
    const { client, credentials } = scene;
    const other = await newLedger(server.current.url);
    const { id, secret } = credentials;
    const strange = ['ghost', 'a\u0000b', '\u{1F600}', 'x'.repeat(256), `client:${id}`];
    for (const id of strange) expectAnswer(await ask(client, grant({ id, secret })), 401, INVALID_CLIENT);
    for (const wrong of [`${secret} `, secret.slice(1), secret.toUpperCase(), 'x'.repeat(9000)]) {
      expectAnswer(await ask(client, grant({ id, secret: wrong })), 401, INVALID_CLIENT);
    }
    // Nothing of one ledger counts in another.
    expectAnswer(await ask(other, grant(credentials)), 401, INVALID_CLIENT);
  });

  it('4: Basic authentication that cannot be read', async () => {
    const form = { grant_type: 'client_credentials' };
    const pairs = ['', 'no-colon', ':', 'a:', '%zz:secret'].map((pair) => Buffer.from(pair).toString('base64'));
    for (const encoded of [...pairs, 'not base64!', Buffer.from([0xff, 0x3a, 0xff]).toString('base64')]) {
      const authorization = `Basic ${encoded}`;
      const answer = await ask(scene.client, form, { authorization });
      // An empty header value says nothing at all.
      if (encoded === '') expectAnswer(answer, 400, NO_CREDENTIALS);
      else expectAnswer(answer, 401, INVALID_CLIENT);
    }
  });

  it('5: no policy, one that is inactive, one for other signers', async () => {
    const client = await newLedger(server.current.url);
    await Promise.all([signer(client, 'prov'), signer(client, 'app')]);
    await providerFactor(client);
    const credentials = await credentialsFor(client, 'app');
    expectAnswer(await ask(client, grant(credentials)), 400, NOT_ENABLED);
    await policy(client, { target: { schema: 'service' } });
    expectAnswer(await ask(client, grant(credentials)), 400, NOT_ENABLED);
    const second = await policy(client, {}, 'for-all');
    expect((await ask(client, grant(credentials))).status).toBe(200);
    await client.prove('/policies/for-all', second, { status: 'inactive' });
    expectAnswer(await ask(client, grant(credentials)), 400, NOT_ENABLED);
    // A policy of another schema enables nothing.
    const values = [{ schema: 'oauth2', signer: { handle: 'prov' } }];
    await stored(client, 'schema', { handle: 'my-own', record: 'policy', format: 'json-schema', schema: {} });
    await stored(client, 'policy', { handle: 'own', schema: 'my-own', values });
    expectAnswer(await ask(client, grant(credentials)), 400, NOT_ENABLED);
  });

  it('6: a provider without a usable private key', async () => {
    const client = await newLedger(server.current.url);
    await Promise.all([signer(client, 'prov'), signer(client, 'app')]);
    const credentials = await credentialsFor(client, 'app');
    await policy(client);
    expectAnswer(await ask(client, grant(credentials)), 500, SERVER_ERROR);
    await providerFactor(client, { handle: 'public-only' }, null);
    await providerFactor(client, { handle: 'no-key' });
    await plantSecret(server.current, client, '/signers/prov/factors/no-key', 'private', 'no key at all');
    await providerFactor(client, { handle: 'not-its-own' }, { private: pkcs8(otherRsa.privateKey) });
    expectAnswer(await ask(client, grant(credentials)), 500, SERVER_ERROR);
    await providerFactor(client);
    expect((await ask(client, grant(credentials))).status).toBe(200);
  });
});

describe('the form', () => {
  it('may be of the greatest size, and not of one byte more', async () => {
    const start = new URLSearchParams(grant(scene.credentials)).toString();
    const padded = (bytes: number) => `${start}&scope=${'x'.repeat(bytes - start.length - '&scope='.length)}`;
    expect((await ask(scene.client, padded(requestLimits.form))).status).toBe(200);
    const large = refused('invalid_request', `The request is over ${requestLimits.form} bytes.`);
    expectAnswer(await ask(scene.client, padded(requestLimits.form + 1)), 400, large);
  });

  it('may come with a charset, and holds each parameter once', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    expect((await ask(scene.client, grant(scene.credentials), type)).status).toBe(200);
    const twice = `${new URLSearchParams(grant(scene.credentials))}&client_id=other`;
    const repeated = refused('invalid_request', 'The request includes a parameter more than once.');
    expectAnswer(await ask(scene.client, twice), 400, repeated);
  });
});

describe('a client out of use', () => {
  let mine: { credentials: Credentials } & Pick<OauthLedger, 'client'>;
  beforeAll(async () => {
    mine = await oauthLedger(server.current.url);
  });

  it.each(['inactive', 'blocked'])('%s: its factor, and once more in use', async (status) => {
    const { client } = mine;
    const credentials = await credentialsFor(client, 'app', `app-${status}`);
    const path = `/signers/app/factors/app-${status}`;
    const token = await tokenOf(client, credentials);
    await client.prove(path, credentials.factor, { status });
    expectAnswer(await ask(client, grant(credentials)), 401, INVALID_CLIENT);
    // Tokens that were issued before live until they expire.
    expect((await client.get('/signers/app', token)).status).toBe(200);
    await client.prove(path, credentials.factor, { status: 'active' });
    expect((await ask(client, grant(credentials))).status).toBe(200);
    expect((await client.drop(path, credentials.factor)).status).toBe(204);
    expectAnswer(await ask(client, grant(credentials)), 401, INVALID_CLIENT);
    expect((await client.get('/signers/app', token)).status).toBe(200);
  });

  it.each(['inactive', 'blocked'])('%s: its signer', async (status) => {
    const { client } = mine;
    const record = await signer(client, `user-${status}`);
    const credentials = await credentialsFor(client, `user-${status}`);
    expect((await ask(client, grant(credentials))).status).toBe(200);
    await client.prove(`/signers/user-${status}`, record, { status });
    expectAnswer(await ask(client, grant(credentials)), 401, INVALID_CLIENT);
  });

  it('its signer, whose tokens then meet no rule about it', async () => {
    const { client, credentials } = await oauthLedger(server.current.url, [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: { $in: ['access', 'reveal'] }, record: 'any' },
      { action: 'read', record: 'signer', bearer: { $signer: { handle: 'app' } } },
    ]);
    const token = await tokenOf(client, credentials);
    const app = ok(await client.get('/signers/app', token)).body;
    ok(await client.prove('/signers/app', app, { status: 'blocked' }));
    expectRefusal(await client.get('/signers/app', token), client, 'auth.forbidden', 'Cannot read signer.');
  });
});

describe('which provider signs', () => {
  it('the oldest policy whose target fits, of those with a private key', async () => {
    const client = await newLedger(server.current.url);
    await Promise.all(['prov', 'idp', 'bare'].map((handle) => signer(client, handle)));
    await stored(client, 'schema', { handle: 'service', record: 'signer', format: 'json-schema', schema: {} });
    await signer(client, 'app', { schema: 'service' });
    await providerFactor(client);
    const idp = { handle: 'idp-rsa', signer: 'idp', public: spki(otherRsa.publicKey) };
    await providerFactor(client, idp, { private: pkcs8(otherRsa.privateKey) });
    const credentials = await credentialsFor(client, 'app');
    const issuer = async () => partsOf(String((await tokenOf(client, credentials)).authorization).slice(7))[1]?.iss;
    await policy(client, { signer: { handle: 'bare' } }, 'first');
    await policy(client, { signer: { handle: 'ghost' } }, 'second');
    await policy(client, { target: { schema: 'other' } }, 'third');
    const fourth = await policy(client, { signer: { handle: 'idp' }, target: { schema: 'service' } }, 'fourth');
    await policy(client, {}, 'fifth');
    expect(await issuer()).toBe('idp');
    await client.drop('/policies/fourth', fourth);
    expect(await issuer()).toBe('prov');
  });

  it('with its oldest key, until that has no private key or is out of use', async () => {
    const { client, credentials } = await oauthLedger(server.current.url);
    const [first, second] = ['/signers/prov/factors/prov-rsa', '/signers/prov/factors/prov-next'];
    const kid = async () => partsOf(String((await tokenOf(client, credentials)).authorization).slice(7))[0]?.kid;
    const good = async (token: Record<string, string>) => (await client.get('/signers/app', token)).status === 200;
    const old = await tokenOf(client, credentials);
    const next = { handle: 'prov-next', public: spki(otherRsa.publicKey) };
    const factor = await providerFactor(client, next, { private: pkcs8(otherRsa.privateKey) });
    expect(await kid()).toBe('prov-rsa');
    // Without its secret it signs no more, but what it signed is good.
    const { secret: _, ...data } = (await client.get(first)).body.data;
    const retired = ok(await client.update(first, (await client.get(first)).body, data)).body;
    expect([await kid(), await good(old)]).toEqual(['prov-next', true]);
    ok(await client.drop(first, retired));
    expect([await kid(), await good(old)]).toEqual(['prov-next', false]);
    ok(await client.prove(second, factor, { status: 'inactive' }));
    expectAnswer(await ask(client, grant(credentials)), 500, SERVER_ERROR);
    ok(await client.prove(second, factor, { status: 'active' }));
    const token = await tokenOf(client, credentials);
    ok(await client.prove('/signers/prov', (await client.get('/signers/prov')).body, { status: 'blocked' }));
    expectAnswer(await ask(client, grant(credentials)), 500, SERVER_ERROR);
    expect(await good(token)).toBe(false);
  });
});
