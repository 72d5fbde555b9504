import type { Json, RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyToken } from '../../src/auth/token.js';
import { MemoryReplays } from '../auth/memory-replays.js';
import { exchange, requestText } from '../http/raw.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, proofOver, signed, systemKeyOf, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const values = [aspect('read', 'proxy'), aspect('create', 'validate'), aspect('query', 'fallback')];
const ledger = (options?: Parameters<typeof forwardingLedger>[3]) =>
  forwardingLedger(server.current.url, bridge.url, values, options);

const claimsIn = (authorization: unknown) =>
  JSON.parse(Buffer.from(String(authorization).split('.')[1] ?? '', 'base64url').toString());

/** The headers a bridge gets for a read with these. */
async function passed(client: TestClient, headers: Record<string, string>) {
  bridge.reset();
  bridge.keep(anchor('a'));
  const request = requestText('GET /v2/anchors/a', {
    ...(client.ledger ? { 'x-ledger': client.ledger } : {}),
    ...headers,
  });
  const { status, text } = await exchange(server.current.url, [request]);
  expect(status, text).toBe(200);
  return bridge.only.headers;
}

describe('the headers of a forwarded request', () => {
  it('are those of the client', async () => {
    const client = await ledger();
    const own = {
      'user-agent': 'shop/1',
      accept: 'application/vnd.shop+json',
      'x-forwarded-for': '9.9.9.9',
      'x-trace': '7',
    };
    expect(await passed(client, own)).toMatchObject(own);
  });

  it('are without those of the connection and of the ledger', async () => {
    const client = await ledger();
    const headers = await passed(client, {
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      'proxy-authorization': 'Basic eDp5',
      'if-none-match': '"x"',
      range: 'bytes=0-1',
      'accept-encoding': 'gzip',
      'x-ledger': client.ledger ?? '',
    });
    for (const name of ['x-ledger', 'x-hop', 'keep-alive', 'te', 'proxy-authorization', 'if-none-match', 'range']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers['accept-encoding']).toBe('identity');
    expect(headers.host).toBe(new URL(bridge.url).host);
    expect(headers).not.toHaveProperty('content-type');
  });

  it.each([
    'cookie',
    'x-http-method',
    'x-http-method-override',
    'x-method-override',
    'x-original-url',
    'x-rewrite-url',
  ])('are without %s, by which a client could steer a bridge', async (name) => {
    const client = await ledger();
    expect(await passed(client, { [name]: 'DELETE' })).not.toHaveProperty(name);
  });

  it('say who the ledger is, in a token that lives a day', async () => {
    const client = await ledger();
    const before = Math.floor(Date.now() / 1000);
    const { authorization = '' } = await passed(client, {});
    const after = Date.now() / 1000;
    const [header, claims] = authorization
      .slice('Bearer '.length)
      .split('.')
      .map((part) => (part ? Buffer.from(part, 'base64url').toString() : ''));
    expect(JSON.parse(header!)).toEqual({ alg: 'EdDSA', kid: systemKeyOf(client) });
    const { iat, ...others } = JSON.parse(claims!);
    expect(others).toEqual({
      iss: `ledger:${client.ledger}`,
      sub: `system@${client.ledger}`,
      aud: 'bank',
      exp: iat + 86_400,
    });
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(after);
    const keys = { ledger: 'other', signerKey: async () => undefined, factor: async () => undefined };
    const request = { method: 'GET', url: '', headers: {}, body: undefined };
    const token = await verifyToken(authorization, request, keys, Date.now, new MemoryReplays(Date.now, { ledger: 1 }));
    expect(token.key).toBe(systemKeyOf(client));
  });

  it('lack the token of the client, whose key the token of the ledger names', async () => {
    const client = await ledger();
    const { authorization = '' } = bearer(client.key);
    const headers = await passed(client, { authorization, 'x-forwarded-authorization': authorization });
    expect(JSON.stringify(headers)).not.toContain(authorization.split('.')[2]);
    expect(headers).not.toHaveProperty('x-forwarded-authorization');
    expect(claimsIn(headers.authorization)).toMatchObject({
      sub: `system@${client.ledger}`,
      caller: { origin: 'self-signed-token', public: client.key.public },
    });
  });

  it('have the token of the client under another name where the bridge is to have it, and no word of its own about that', async () => {
    const client = await ledger({ config: { 'token.forward': true } });
    const { authorization = '' } = bearer(client.key);
    const headers = await passed(client, { authorization });
    expect(headers).toMatchObject({ 'x-forwarded-authorization': authorization });
    expect(claimsIn(headers.authorization)).toMatchObject({ caller: { public: client.key.public } });
    const forged = await passed(client, { 'x-forwarded-authorization': 'Bearer forged' });
    expect(forged).not.toHaveProperty('x-forwarded-authorization');
    expect(claimsIn(forged.authorization)).not.toHaveProperty('caller');
  });

  it('have a content type where there is a body', async () => {
    const client = await ledger();
    await made(client, '/anchors', anchor('a'));
    expect(bridge.only.headers).toMatchObject({ 'content-type': 'application/json' });
    const { headers, body } = bridge.only;
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(body)));
  });

  it('have those of the security rules of the bridge, which take the place of others but for the own ones', async () => {
    const secure = [
      { schema: 'header', key: 'X-Api-Key', value: '{{ secret.apiKey }}' },
      { schema: 'header', key: 'Authorization', value: '{{ secret.apiKey }}' },
      { schema: 'header', key: 'Accept', value: '{{ secret.apiKey }}' },
      { schema: 'header', key: 'Host', value: '{{ secret.apiKey }}' },
    ];
    const client = await ledger({ secure, secret: { apiKey: 'k-1' } });
    const headers = await passed(client, { 'x-api-key': 'of the client', accept: 'application/json' });
    expect(headers).toMatchObject({ 'x-api-key': 'k-1', accept: 'application/json' });
    expect(headers.host).not.toBe('k-1');
    expect(headers.authorization).toMatch(/^Bearer /);
    expect((await client.get('/bridges/bank')).text).not.toContain('k-1');
  });

  it('have no word of a security rule on what is said by the ledger alone, be there anything to say or not', async () => {
    const own = ['X-Forwarded-Authorization', 'Content-Type', 'Via', 'Authorization', 'Content-Length', 'Connection'];
    const secure = own.map((key) => ({ schema: 'header', key, value: '{{ secret.apiKey }}' }));
    const client = await ledger({ secure, secret: { apiKey: 'k-1' } });
    // A read without a token has neither a token to pass on nor a body.
    const headers = await passed(client, {});
    expect(headers).not.toHaveProperty('x-forwarded-authorization');
    expect(headers).not.toHaveProperty('content-type');
    expect(Object.values(headers)).not.toContain('k-1');
  });

  it('that cannot be sent are an error, which tells nothing', async () => {
    const secure = [{ schema: 'header', key: 'X-Api-Key', value: '{{ secret.apiKey }}' }];
    const client = await ledger({ secure, secret: { apiKey: 'a\r\nx-more: 1' } });
    const answer = await client.get('/anchors/a');
    const detail = 'Unexpected error while forwarding request to bridge';
    expectRefusal(answer, client, 'forward.unexpected-error', detail);
    expect(bridge.received).toEqual([]);
  });
});

describe('the token of a ledger', () => {
  it('is no token for the ledger itself: a bridge that keeps it is not its system signer', async () => {
    const client = await ledger();
    const { authorization = '' } = await passed(client, {});
    const answer = await client.get('/wallets/alice', { authorization });
    expectRefusal(answer, client, 'auth.unauthorized', 'Invalid token.');
    const proof = await client.call('POST', '/wallets/alice/proofs', { custom: { status: 'gone' } }, { authorization });
    expectRefusal(proof, client, 'auth.unauthorized', 'Invalid token.');
  });
});

describe('a bridge that leads back to the ledger', () => {
  it('is an error, and no loop', async () => {
    const { url } = server.current;
    const client = await ledger();
    const base = url.slice(0, -'/v2'.length);
    bridge.instead = async ({ url: path, headers }) => {
      // What stands between drops the token, which would end it too.
      const { authorization: _, host: __, connection: ___, ...others } = headers;
      const again = { ...(others as Record<string, string>), 'x-ledger': client.ledger ?? '' };
      const answer = await fetch(base + path, { headers: again });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    const answer = await client.get('/anchors/a');
    expect([answer.status, answer.body.data]).toEqual([
      500,
      { reason: 'forward.unexpected-error', detail: `Forwarded by ledger '${client.ledger}' before` },
    ]);
    expect(bridge.received).toHaveLength(1);
  });
});

describe('the proof of a ledger that a bridge was sent', () => {
  it('is no proof of its system signer: a bridge that sends it has no rights by it', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', signer: { handle: 'system' } },
    ];
    const client = await ledger({ key, access });
    bridge.instead = () => bridge.refusal(422, { reason: 'bank.closed', detail: 'Closed' });
    await client.create('/anchors', anchor('a'));
    const { hash, data, meta } = bridge.received[0]!.body;
    const { custom, digest, method, public: system, result } = meta.proofs[1];
    const taken = { hash, data, meta: { proofs: [{ custom, digest, method, public: system, result }] } };
    const answer = await client.call('POST', '/anchors', taken);
    expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
  });

  it('drops nothing that the system signers own, where owners may drop', async () => {
    const [key, dropper] = [newKey(), newKey()];
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'access', record: 'ledger', signer: {} },
      { action: 'drop', record: 'any', signer: { $record: 'owner' } },
      { action: 'read', record: 'any', bearer: {} },
      { action: 'drop', record: 'anchor', bearer: { $signer: { public: dropper.public } } },
      { action: 'create', record: 'wallet', bearer: { $signer: { public: dropper.public } } },
      { action: 'access', record: 'ledger', bearer: { $signer: { public: dropper.public } } },
    ];
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('drop', 'proxy')], { key, access });
    await made(client, '/signers', { handle: 'dropper', public: dropper.public, format: 'ed25519-raw' });
    const byToken = { data: { handle: 'till' }, meta: { proofs: [{ custom: {} }] } };
    const token = bearer(dropper);
    expect((await client.call('POST', '/wallets', byToken, token)).status).toBe(201);
    const records: RecordEnvelope[] = [
      (await client.get('/wallets/till', bearer(key, { sub: 'none' }))).body,
      (await client.get('/policies/intent:status', bearer(key))).body,
    ];
    for (const [index, path] of ['/wallets/till', '/policies/intent:status'].entries()) {
      const { hash: parent, luid } = records[index]!;
      bridge.reset();
      bridge.keep(anchor('a'));
      const drop = { data: { parent }, luid, meta: { proofs: [{ custom: { status: 'dropped' } }] } };
      expect((await client.call('DELETE', '/anchors/a', drop, token)).status).toBe(204);
      const { hash, data, meta } = bridge.only.body;
      expect(meta.proofs).toHaveLength(2);
      for (const proof of meta.proofs) {
        const { custom, digest, method, public: own, result } = proof;
        const replayed = { hash, data, luid, meta: { proofs: [{ custom, digest, method, public: own, result }] } };
        const answer = await client.call('DELETE', path, replayed);
        expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
        const witnessed = { ...replayed, meta: { proofs: [...replayed.meta.proofs, proofOver(hash, newKey())] } };
        expect((await client.call('DELETE', path, witnessed)).status).toBe(403);
        const tokened = await client.call('DELETE', path, replayed, token);
        expect(tokened.status).toBe(403);
      }
    }
  });

  it('is not asked for over anything but a hash', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('drop', 'proxy')]);
    const { luid } = bridge.keep(anchor('a'));
    for (const parent of ['', 'x', 'a'.repeat(63), 'g'.repeat(64), `${'a'.repeat(64)}\n`, { parent: 'a' }, null, 7]) {
      const body = signed({ parent }, client.key, { status: 'dropped' }, { luid });
      const answer = await client.call('DELETE', '/anchors/a', body);
      expect([parent, answer.status, answer.body.data.reason]).toEqual([parent, 422, 'record.schema-invalid']);
    }
    expect(bridge.received).toEqual([]);
  });

  it('adds no proof to a record, and owns none that it is sent with', async () => {
    const client = await ledger();
    bridge.instead = () => bridge.refusal(422, { reason: 'bank.closed', detail: 'Closed' });
    await client.create('/anchors', anchor('a'));
    const { hash, data, meta } = bridge.received[0]!.body;
    const [mine, { custom, digest, method, public: system, result }] = meta.proofs;
    const replayed = { custom, digest, method, public: system, result };
    bridge.reset();
    const kept = await client.call('POST', '/anchors', { hash, data, meta: { proofs: [mine, replayed] } });
    expect([kept.status, kept.body.meta.owners]).toEqual([201, [client.key.public]]);
    expect(kept.body.meta.proofs).toHaveLength(2);
    // Nor beside a token that could have it signed for somebody.
    await made(client, '/signers', { handle: 'clerk', public: client.key.public, format: 'ed25519-raw' });
    for (const headers of [{}, bearer(client.key)]) {
      const answer = await client.call('POST', '/anchors/a/proofs', replayed, headers);
      expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
    }
    expect((await client.get('/anchors/a/changes')).body.page.total).toBe(1);
  });
});
