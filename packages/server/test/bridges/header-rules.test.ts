import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeSecurityError } from '../../src/bridges/security.js';
import { withBridge } from '../forward/bridge.js';
import { withServer } from '../support/server.js';
import { bridgedLedger, calling, header, rules, type Secure } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => {
  bridge.reset();
  bridge.instead = () => ({ status: 202 });
});

/** The headers of a call to a bridge with these rules. */
async function sent(secure: Secure, call: Parameters<typeof calling>[2] = {}) {
  const client = await bridgedLedger(server.current.url, bridge.url, secure);
  expect((await calling(server.current, client, call)).status).toBe(202);
  return bridge.only.headers;
}

describe('header rules put the resolved value on every call', () => {
  it('under the name of their key, beside the headers of the call', async () => {
    expect(await sent(header('X-Api-Key', 'k-1'), { headers: { accept: 'text/plain', 'x-own': '1' } })).toMatchObject({
      'x-api-key': 'k-1',
      accept: 'text/plain',
      'x-own': '1',
    });
  });

  it('may say who calls, as `authorization`', async () => {
    const secure = header('Authorization', 'Api k-1');
    expect(await sent(secure, { headers: { authorization: 'Bearer of-a-client' } })).toMatchObject({
      authorization: 'Api k-1',
    });
  });

  it('are applied in order, and the last write of a header wins', async () => {
    const secure = rules(header('X-Key', 'first', 'a'), header('x-key', 'second', 'b'), header('X-Other', 'o', 'c'));
    expect(await sent(secure)).toMatchObject({ 'x-key': 'second', 'x-other': 'o' });
  });

  it.each(['Content-Type', 'Accept', 'Host', 'Content-Length', 'Connection', 'Transfer-Encoding'])(
    'bridge secure headers may not override %s',
    async (name) => {
      const headers = await sent(header(name, 'k-1'));
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json, text/plain, */*',
        host: new URL(bridge.url).host,
      });
      expect(Object.values(headers)).not.toContain('k-1');
    },
  );

  it('set none of the headers that the caller keeps to itself, be they there or not', async () => {
    const secure = rules(header('X-Mine', 'k-1', 'a'), header('X-Free', 'k-2', 'b'));
    const headers = await sent(secure, { own: ['x-mine'] });
    expect(headers).not.toHaveProperty('x-mine');
    expect(headers).toMatchObject({ 'x-free': 'k-2' });
  });

  it('that HTTP has no way to send end the call', async () => {
    const client = await bridgedLedger(server.current.url, bridge.url, header('X-Key', 'a\r\nx-more: 1'));
    const failure = await calling(server.current, client).catch((error) => error);
    expect(failure).toMatchObject({ kind: 'impossible' });
    expect(String(failure.message)).not.toContain('x-more');
    expect(bridge.received).toEqual([]);
  });
});

describe('a rule without handler', () => {
  it.each([
    ['generic', {}],
    ['hmac', {}],
    // The name alone is no rule: it has the members of another.
    ['oauth2', {}],
    ['header', {}],
  ])('%s: No handler found for security rule schema', async (schema) => {
    const other = { secure: [{ schema, public: 'p', secret: '{{ secret.other }}' }], secret: { other: 'geheim' } };
    const secure = rules(header('X-Key', 'k'), other);
    const client = await bridgedLedger(server.current.url, bridge.url, secure);
    const failure = await calling(server.current, client).catch((error) => error);
    expect(failure).toBeInstanceOf(BridgeSecurityError);
    expect(failure.message).toBe(`No handler found for security rule schema '${schema}' in bridge 'bank' (rule #2)`);
    expect(bridge.received).toEqual([]);
  });
});

describe('the path of a call', () => {
  it('is appended to the URL of the bridge, whose query does not count', async () => {
    const server1 = `${bridge.url}/v2/base/?tenant=1#top`;
    const client = await bridgedLedger(server.current.url, server1, rules());
    await calling(server.current, client, { path: '/wallets/tel:9@acc/anchors' });
    expect(bridge.only.url).toBe('/v2/base/wallets/tel:9@acc/anchors');
  });

  it.each(['/wallets/../anchors', '/wallets/%2e%2E/anchors', '/wallets/./anchors', '/wallets/a\\..\\b', '/..'])(
    'leads nowhere else: %s',
    async (path) => {
      const client = await bridgedLedger(server.current.url, `${bridge.url}/v2`, rules());
      await expect(calling(server.current, client, { path })).rejects.toMatchObject({ kind: 'impossible' });
      expect(bridge.received).toEqual([]);
    },
  );

  it('keeps what a URL would take for a query within the path', async () => {
    const client = await bridgedLedger(server.current.url, bridge.url, rules());
    await calling(server.current, client, { path: '/effects/a?b#c' });
    expect(bridge.only.url).toBe('/effects/a%3Fb%23c');
  });
});
