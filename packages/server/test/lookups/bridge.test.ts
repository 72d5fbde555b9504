import { hash as hashOf, type JsonObject, verifyProof } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { oauth2, withTokenEndpoint } from '../bridges/scene.js';
import { withBridge } from '../forward/bridge.js';
import { expectList } from '../support/checks.js';
import { newLedger, signed, systemKeyOf, type TestClient } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import {
  anchorOf,
  answerWith,
  ask,
  bridgedLedger,
  expectInvalid,
  expectNoAnswer,
  handlesIn,
  listed,
  lookUp,
  lookupPath,
  storeBridged,
  WAYS,
} from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
const tokens = withTokenEndpoint();
beforeEach(() => bridge.reset());

/** Header and claims of a token that was sent. */
function tokenIn(authorization: unknown) {
  const [header, claims] = String(authorization)
    .replace(/^Bearer /, '')
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header!), claims: JSON.parse(claims!) };
}

const bridged = (more?: JsonObject) => bridgedLedger(server.current.url, bridge, more);

describe('when the wallet has a bridge with the anchors trait', () => {
  it('the lookup is forwarded to the bridge', async () => {
    const client = await bridged({ traits: ['anchors'] });
    answerWith(bridge, { handle: 'tel:9', wallet: 'acc', target: 'account:9' });
    const answer = await lookUp(client, 'acc', { target: 'account:9' });
    const data: unknown[] = expectList(answer, client);
    expect(data).toEqual([{ data: { access: [], handle: 'tel:9', wallet: 'acc', target: 'account:9' }, meta: {} }]);
    expect(Object.keys((data[0] as { data: object }).data)[0]).toBe('access');
    const { method, url } = bridge.only;
    expect([method, url]).toEqual(['POST', '/wallets/acc/anchors/!lookup']);
  });

  it('with the proofs of the client replaced by one of `system`', async () => {
    const client = await bridged();
    answerWith(bridge);
    const sent = signed({ wallet: 'acc', target: 'account:9', more: { of: ['its', 'own'] } }, client.key, {
      note: 'x',
    });
    ok(await client.call('POST', lookupPath('acc'), { ...sent, hash: sent.hash.toUpperCase() }));
    const { body } = bridge.only;
    expect(Object.keys(body)).toEqual(['hash', 'data', 'meta']);
    expect([body.hash, body.data]).toEqual([sent.hash, sent.data]);
    expect(Object.keys(body.meta)).toEqual(['proofs']);
    const [proof, ...others] = body.meta.proofs;
    expect(others).toEqual([]);
    expect(Object.keys(proof)).toEqual(['method', 'public', 'digest', 'result', 'custom', 'origin', 'signer']);
    expect(proof).toMatchObject({ public: systemKeyOf(client), origin: 'key-pair', signer: 'system' });
    expect(Object.keys(proof.custom)).toEqual(['moment']);
    expect(verifyProof(body.hash, proof, native)).toBe(true);
  });

  it.each([
    ['anchors', 'GET', '/wallets/acc/anchors'],
    ['lookup', 'POST', '/wallets/acc/anchors/!lookup'],
    ['domains', 'GET', '/wallets/acc/domains'],
  ] as const)('%s: is asked %s %s', async (way, method, url) => {
    const client = await bridged();
    answerWith(bridge, { handle: 'x' });
    expectList(await ask(client, way, 'acc'), client);
    expect([bridge.only.method, bridge.only.url, bridge.only.body === undefined]).toEqual([
      method,
      url,
      method === 'GET',
    ]);
  });

  it('the address is what the client asked for, unencoded, and leads to the wallet', async () => {
    const client = await bridged();
    await stored(client, 'wallet', { handle: 'tel', bridge: 'bank' });
    await stored(client, 'wallet', { handle: 'loan@acc', bridge: 'bank' });
    for (const [asked, address] of [
      ['tel:9@acc', 'tel:9@acc'],
      ['tel%3A9%40acc', 'tel:9@acc'],
      ['tel:152', 'tel:152'],
      ['loan:42@acc', 'loan:42@acc'],
      ['a+b.c_d-e@acc', 'a+b.c_d-e@acc'],
      ['x@y@acc', undefined],
      ['other:152', undefined],
      ['acc2', undefined],
    ] as const) {
      bridge.reset();
      answerWith(bridge);
      ok(await client.get(`/wallets/${asked}/anchors?data.handle=x`));
      ok(await client.call('POST', lookupPath(asked), signed({ wallet: decodeURIComponent(asked) }, client.key, {})));
      const urls = address === undefined ? [] : [`/wallets/${address}/anchors`, `/wallets/${address}/anchors/!lookup`];
      expect(bridge.received.map(({ url }) => url)).toEqual(urls);
    }
  });

  it('a luid leads to it too', async () => {
    const client = await bridged();
    const { luid } = ok(await client.get('/wallets/acc')).body;
    answerWith(bridge);
    ok(await client.get(`/wallets/${luid}/anchors`));
    expect(bridge.only.url).toBe(`/wallets/${luid}/anchors`);
  });

  it('its answer takes the place of the own anchors of the ledger', async () => {
    const client = await bridged();
    await stored(client, 'anchor', anchorOf('acc', 'own'));
    answerWith(bridge, { handle: 'theirs' });
    for (const way of ['anchors', 'lookup'] as const)
      expect(handlesIn(await ask(client, way, 'acc'))).toEqual(['theirs']);
    answerWith(bridge);
    for (const way of ['anchors', 'lookup'] as const) expect(handlesIn(await ask(client, way, 'acc'))).toEqual([]);
  });

  it.each(WAYS)('%s: each item is served with its data alone, the list hashed and signed by `system`', async (way) => {
    const client = await bridged();
    const items = [{ handle: 'b', custom: { n: 1 } }, { handle: 'a', access: [{ action: 'read' }] }, {}];
    answerWith(bridge, ...items);
    const answer = await ask(client, way, 'acc');
    expect(expectList(answer, client)).toEqual(items.map((data) => ({ data: { access: [], ...data }, meta: {} })));
    expect(answer.body.hash).toBe(hashOf(answer.body.data, native));
  });

  it('hash and signature of its list are not looked at', async () => {
    const client = await bridged();
    for (const more of [{ hash: 'x', meta: { proofs: [] } }, { hash: 'a'.repeat(64), meta: null }, {}]) {
      bridge.instead = () => ({ status: 200, body: { ...more, data: [{ handle: 'a' }] } });
      for (const way of WAYS) expect(handlesIn(await ask(client, way, 'acc'))).toEqual(['a']);
    }
  });
});

describe('the traits of a bridge', () => {
  const own = async (client: TestClient, way: (typeof WAYS)[number]) => {
    bridge.received.length = 0;
    answerWith(bridge, { handle: 'theirs' });
    const found = handlesIn(await ask(client, way, 'acc'));
    expect(bridge.received).toHaveLength(found.includes('theirs') ? 1 : 0);
    return !found.includes('theirs');
  };

  it.each([
    [undefined, []],
    [['anchors', 'domains'], []],
    [['anchors'], ['domains']],
    [
      ['domains', 'effects'],
      ['anchors', 'lookup'],
    ],
    [['debits', 'credits', 'statuses', 'effects', 'ping'], [...WAYS]],
    [[], [...WAYS]],
    [[{ method: 'anchors' }], ['domains']],
    [[{ method: 'anchors', filter: { wallet: 'acc' } }], ['domains']],
    [[{ method: 'anchors', filter: { wallet: 'other' } }], [...WAYS]],
    [[{ method: 'anchors', filter: { wallet: { $ne: 'other' } } }, 'domains'], []],
  ] as const)('%j: what it does not do is answered by the ledger', async (traits, expected) => {
    const client = await bridged(traits ? { traits: traits as unknown as JsonObject[] } : {});
    await stored(client, 'anchor', anchorOf('acc', 'own'));
    const answered: string[] = [];
    for (const way of WAYS) if (await own(client, way)) answered.push(way);
    expect(answered).toEqual(expected);
  });

  it('a wallet without a bridge asks nobody', async () => {
    const client = await bridged();
    await stored(client, 'wallet', { handle: 'plain' });
    await stored(client, 'anchor', anchorOf('plain', 'own'));
    for (const way of ['anchors', 'lookup'] as const)
      expect(handlesIn(await ask(client, way, 'plain'))).toEqual(['own']);
    expect(bridge.received).toEqual([]);
  });
});

describe('the headers of a lookup at a bridge', () => {
  it('are those of the ledger, whose token says who asks, and none of the client', async () => {
    const client = await bridged();
    answerWith(bridge);
    const { authorization = '' } = bearer(client.key);
    const headers = {
      authorization,
      cookie: 'c=1',
      'x-forwarded-for': '9.9.9.9',
      accept: 'text/csv',
      'user-agent': 'u',
    };
    for (const way of WAYS) {
      bridge.received.length = 0;
      ok(await ask(client, way, 'acc', headers));
      const { host, connection: _, 'content-length': length, authorization: sent, ...others } = bridge.only.headers;
      expect(tokenIn(sent)).toMatchObject({
        header: { alg: 'EdDSA', kid: systemKeyOf(client) },
        claims: {
          ...{ iss: `ledger:${client.ledger}`, sub: `system@${client.ledger}`, aud: 'bank' },
          caller: { origin: 'self-signed-token', public: client.key.public },
        },
      });
      const { luid } = ok(await client.get('/ledger')).body;
      expect(others).toEqual({
        accept: 'application/json, text/plain, */*',
        'accept-encoding': 'identity',
        'x-request-id': expect.stringMatching(/^req-/),
        'x-ledger': client.ledger,
        via: `1.1 ${luid}`,
        ...(way === 'lookup' ? { 'content-type': 'application/json' } : {}),
      });
      expect(length === undefined).toBe(way !== 'lookup');
      expect(host).toBe(new URL(bridge.url).host);
    }
  });

  it('name no caller where the client has no token', async () => {
    const client = await bridged();
    answerWith(bridge);
    for (const way of WAYS) ok(await ask(client, way, 'acc'));
    for (const { headers } of bridge.received) {
      expect(tokenIn(headers.authorization).claims).not.toHaveProperty('caller');
    }
    expect(bridge.received).toHaveLength(WAYS.length);
  });

  it('have the token of the client as it came where the bridge is to have it, and that of the ledger beside it', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'bridge', {
      ...{ handle: 'bank', schema: 'rest', secure: [] },
      config: { server: bridge.url, 'token.forward': true },
    });
    await stored(client, 'wallet', { handle: 'acc', bridge: 'bank' });
    answerWith(bridge);
    const { authorization = '' } = bearer(client.key);
    for (const way of WAYS) ok(await ask(client, way, 'acc', { authorization }));
    for (const { headers } of bridge.received) {
      expect(headers.authorization).toBe(authorization);
      expect(tokenIn(headers['x-ledger-authorization']).claims).toMatchObject({ aud: 'bank' });
    }
    expect(bridge.received).toHaveLength(WAYS.length);
  });

  it('have those of its security rules, in place of others but for what the ledger says of the message', async () => {
    const keys = ['X-Api-Key', 'Authorization', 'X-Ledger', 'Accept', 'Content-Type', 'Via', 'Host', 'Content-Length'];
    const secure = keys.map((key) => ({ schema: 'header', key, value: '{{ secret.apiKey }}' }));
    const client = await bridged({ secure, secret: { apiKey: 'k-1' } });
    answerWith(bridge);
    const answers = [];
    for (const way of WAYS) answers.push(ok(await ask(client, way, 'acc', bearer(client.key))));
    for (const { headers } of bridge.received) {
      expect(headers).toMatchObject({ 'x-api-key': 'k-1', authorization: 'k-1', 'x-ledger': 'k-1' });
      expect(headers.accept).toBe('application/json, text/plain, */*');
      for (const name of ['content-type', 'via', 'host']) expect(headers[name]).not.toBe('k-1');
    }
    expect(bridge.received).toHaveLength(WAYS.length);
    for (const { text } of answers) expect(text).not.toContain('k-1');
  });

  it('have the access token of an oauth2 rule in place of that of the client, and a new one once after a 401', async () => {
    tokens.reset();
    const client = await bridged(oauth2(tokens.url) as unknown as JsonObject);
    answerWith(bridge, { handle: 'a' });
    for (const way of WAYS) expect(handlesIn(await ask(client, way, 'acc', bearer(client.key)))).toEqual(['a']);
    const sent = () => bridge.received.map(({ headers }) => headers.authorization);
    expect(sent()).toEqual(WAYS.map(() => 'Bearer token-1'));
    bridge.received.length = 0;
    bridge.instead = () => ({ status: 401 });
    for (const way of WAYS) expectNoAnswer(await ask(client, way, 'acc'), client, way);
    expect(sent().slice(0, 2)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('are not sent where a security rule cannot be applied: 502', async () => {
    const rule = { schema: 'hmac', public: 'p', secret: '{{ secret.s }}' };
    const client = await bridged({ secure: [rule], secret: { s: 's-1' } });
    for (const way of WAYS) expectNoAnswer(await ask(client, way, 'acc', bearer(client.key)), client, way);
    expect(bridge.received).toEqual([]);
  });

  it.each(['', '/', '/v2', '/v2/', '/v2?x=1', '/v2#f'])(
    'the server may end in %j: nothing is added to it',
    async (end) => {
      const client = await newLedger(server.current.url);
      await storeBridged(client, bridge.url + end);
      answerWith(bridge);
      ok(await client.get('/wallets/acc/anchors'));
      expect(bridge.only.url).toBe(`${end.startsWith('/v2') ? '/v2' : ''}/wallets/acc/anchors`);
    },
  );
});

describe('an answer of a bridge', () => {
  it.each(WAYS)('%s: with items that are full records is 500', async (way) => {
    const client = await bridged();
    for (const item of [bridge.keep(anchorOf('acc', 'a')), { data: { handle: 'a' } }, { handle: 'a', meta: {} }]) {
      bridge.instead = () => ({ status: 200, body: listed(bridge, [{ handle: 'b' }, item as unknown as JsonObject]) });
      expectInvalid(await ask(client, way, 'acc'), client, way);
    }
  });

  it.each(WAYS)('%s: that is no list is 500', async (way) => {
    const client = await bridged();
    const bodies = [null, 7, 'x', [], [{ handle: 'a' }], {}, { data: {} }, { data: null }, { data: 'x' }];
    const items = [null, 7, 'x', [], [{}]].map((item) => ({ data: [item] }));
    for (const body of [...bodies, ...items]) {
      bridge.instead = () => ({ status: 200, body });
      expectInvalid(await ask(client, way, 'acc'), client, way);
    }
    for (const text of ['', ' ', '{"data":[]', '{"data":[{"__proto__":{}}]}', '\x1f\x8b']) {
      bridge.instead = () => (response) => void response.writeHead(200).end(text);
      expectInvalid(await ask(client, way, 'acc'), client, way);
    }
  });

  it.each(WAYS)('%s: with an HTTP error is 502, whatever else it says', async (way) => {
    const client = await bridged();
    for (const status of [300, 302, 304, 400, 401, 403, 404, 422, 500, 501, 503]) {
      bridge.instead = () => (response) => {
        response.writeHead(status, { location: `${bridge.url}/wallets/acc/anchors` });
        response.end(status === 304 ? undefined : JSON.stringify(listed(bridge, [{ handle: 'a' }])));
      };
      bridge.received.length = 0;
      expectNoAnswer(await ask(client, way, 'acc'), client, way);
      expect(bridge.received).toHaveLength(1);
    }
  });

  it('may have any status that says it was done', async () => {
    const client = await bridged();
    for (const status of [200, 201, 202, 206]) {
      bridge.instead = () => ({ status, body: listed(bridge, [{ handle: 'a' }]) });
      for (const way of WAYS) expect(handlesIn(await ask(client, way, 'acc'))).toEqual(['a']);
    }
  });

  it.each(WAYS)('%s: that does not come is 502', async (way) => {
    for (const at of [
      `http://127.0.0.1:${await freePort()}`,
      'http://bridge.invalid',
      bridge.url.replace('http', 'https'),
    ]) {
      const client = await newLedger(server.current.url);
      await storeBridged(client, at);
      expectNoAnswer(await ask(client, way, 'acc'), client, way);
    }
    const client = await bridged();
    bridge.instead = () => (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"data":');
      setTimeout(() => response.destroy(), 20);
    };
    expectNoAnswer(await ask(client, way, 'acc'), client, way);
  });
});

describe('what a bridge is asked', () => {
  it('is asked once for a request, and leaves nothing behind', async () => {
    const client = await bridged();
    answerWith(bridge, { handle: 'a' });
    for (const way of WAYS) {
      bridge.received.length = 0;
      ok(await ask(client, way, 'acc'));
      expect(bridge.received).toHaveLength(1);
    }
    expect(ok(await client.get('/anchors')).body.data).toEqual([]);
    expect(ok(await client.get('/domains')).body.data).toEqual([]);
    expect(ok(await client.get('/wallets/acc/changes')).body.page.total).toBe(1);
  });
});
