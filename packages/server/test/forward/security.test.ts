import type { JsonObject } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { header, oauth2, rules, type Secure, withTokenEndpoint } from '../bridges/scene.js';
import { expectRefusal } from '../support/checks.js';
import { systemKeyOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
const endpoint = withTokenEndpoint();
beforeEach(() => {
  bridge.reset();
  endpoint.reset();
});

const values = [aspect('read', 'proxy'), aspect('create', 'validate')];
const ledger = ({ secure, secret }: Secure) =>
  forwardingLedger(server.current.url, bridge.url, values, { secure: [...secure], secret: secret as JsonObject });

const claimsOf = (authorization: unknown) =>
  JSON.parse(Buffer.from(String(authorization).split('.')[1] ?? '', 'base64url').toString());

describe('forwarding to a bridge with oauth2', () => {
  it('sends the access token as `authorization`, and the token of the ledger beside it', async () => {
    const client = await ledger(oauth2(endpoint.url));
    bridge.keep(anchor('a'));
    const mine = bearer(client.key);
    expect((await client.get('/anchors/a', mine)).status).toBe(200);
    const { headers } = bridge.only;
    expect(headers.authorization).toBe('Bearer token-1');
    expect(headers).not.toHaveProperty('x-forwarded-authorization');
    expect(headers['x-ledger-authorization']).toMatch(/^Bearer /);
    expect(claimsOf(headers['x-ledger-authorization'])).toMatchObject({
      ...{ iss: `ledger:${client.ledger}`, aud: 'bank' },
      caller: { public: client.key.public },
    });
    expect(systemKeyOf(client)).toBeDefined();
  });

  it('is not misled by a client or a rule about the token of the ledger', async () => {
    const lies = header('X-Ledger-Authorization', 'Bearer forged');
    for (const secure of [lies, rules(oauth2(endpoint.url), lies)]) {
      const client = await ledger(secure);
      bridge.reset();
      bridge.keep(anchor('a'));
      await client.get('/anchors/a', { 'x-ledger-authorization': 'Bearer forged' });
      expect(bridge.only.headers['x-ledger-authorization']).not.toBe('Bearer forged');
    }
  });

  it('uses a token for one request after the other', async () => {
    const client = await ledger(oauth2(endpoint.url));
    bridge.keep(anchor('a'));
    for (const _ of [1, 2]) await client.get('/anchors/a');
    await made(client, '/anchors', anchor('b'));
    expect(bridge.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer token-1'));
    expect(endpoint.received).toHaveLength(1);
  });

  it('repeats a create once with a new token, when the bridge answers 401', async () => {
    const client = await ledger(oauth2(endpoint.url));
    bridge.instead = (received) =>
      received.headers.authorization === 'Bearer token-2' ? bridge.behave(received) : { status: 401 };
    await made(client, '/anchors', anchor('a'));
    const [first, second] = bridge.received;
    expect(bridge.received).toHaveLength(2);
    expect(second?.body).toEqual(first?.body);
    expect(await stored(client, 'a')).toBe(true);
  });

  it('tells of a bridge that takes no token, or an endpoint that gives none, as of one that does not answer', async () => {
    const client = await ledger(oauth2(endpoint.url));
    const detail = 'Unexpected error while forwarding request to bridge';
    bridge.instead = () => ({ status: 401 });
    expectRefusal(await client.create('/anchors', anchor('a')), client, 'forward.unexpected-error', detail);
    endpoint.instead = (response) => void response.writeHead(401).end();
    bridge.reset();
    const other = await ledger(oauth2(endpoint.url));
    expectRefusal(await other.create('/anchors', anchor('a')), other, 'forward.unexpected-error', detail);
    endpoint.instead = (response) => void response.end('x'.repeat(3 * 1024 * 1024));
    expectRefusal(await other.create('/anchors', anchor('a')), other, 'forward.unexpected-error', detail);
    expect(bridge.received).toEqual([]);
    expect(await stored(client, 'a')).toBe(false);
  });
});

describe('forwarding to a bridge with a rule that has no handler', () => {
  it('makes no call', async () => {
    const generic = { secure: [{ schema: 'hmac', public: 'p', secret: '{{ secret.other }}' }], secret: { other: 'o' } };
    const client = await ledger(generic);
    const detail = 'Unexpected error while forwarding request to bridge';
    expectRefusal(await client.get('/anchors/a'), client, 'forward.unexpected-error', detail);
    expectRefusal(await client.create('/anchors', anchor('a')), client, 'forward.unexpected-error', detail);
    expect(bridge.received).toEqual([]);
  });
});
