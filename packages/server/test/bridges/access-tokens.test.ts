import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { Secret } from '../../src/base/secret.js';
import { createAccessTokens } from '../../src/outbound/access-tokens.js';
import { createOutbound } from '../../src/outbound/client.js';
import type { OutboundCall } from '../../src/outbound/outbound.js';
import { accessTokenLimits, outboundLimits } from '../../src/outbound/outbound-limits.js';
import { withBridge } from '../forward/bridge.js';
import { eventually } from '../support/eventually.js';
import { type RunningServer, startServer } from '../support/server.js';
import {
  bridgedLedger,
  calling,
  changeBridge,
  header,
  makeBridge,
  oauth2,
  rules,
  type Secure,
  withTokenEndpoint,
} from './scene.js';

const bridge = withBridge();
const endpoint = withTokenEndpoint();
let ahead = 0;
let server: RunningServer;
beforeAll(async () => {
  const runtime = { now: () => Date.now() + ahead, random: (bytes: number) => new Uint8Array(randomBytes(bytes)) };
  server = await startServer({ deliveryAllowPrivate: true, runtime });
});
afterAll(() => server.stop());
beforeEach(() => {
  bridge.reset();
  bridge.instead = () => ({ status: 202 });
  endpoint.reset();
});

const ledgerWith = (secure: Secure = oauth2(endpoint.url)) => bridgedLedger(server.url, bridge.url, secure);
const tokens = () => bridge.received.map(({ headers }) => headers.authorization);
/** Goes on by so many seconds. */
const pass = (seconds: number) => {
  ahead += seconds * 1_000;
};
const failureOf = (calls: Promise<unknown>) =>
  calls.then(
    () => undefined,
    (error) => error,
  );

describe('oauth2', () => {
  it('POST tokenUrl with Basic base64(clientId:clientSecret) and a form, then Authorization: Bearer', async () => {
    const client = await ledgerWith(oauth2(endpoint.url, { scope: 'read write' }));
    expect((await calling(server, client)).status).toBe(202);
    const [{ method, url, headers, body } = expect.fail()] = endpoint.received;
    expect([method, url, body]).toEqual(['POST', '/token', 'grant_type=client_credentials&scope=read+write']);
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('ledger:geheim').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(tokens()).toEqual(['Bearer token-1']);
    expect(bridge.only.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('names no scope where the rule has none', async () => {
    await calling(server, await ledgerWith());
    expect(endpoint.received[0]?.body).toBe('grant_type=client_credentials');
  });

  it('header rules put the resolved value on every call, token calls excepted', async () => {
    await calling(server, await ledgerWith(rules(header('X-Api-Key', 'k-1'), oauth2(endpoint.url))));
    expect(bridge.only.headers).toMatchObject({ 'x-api-key': 'k-1', authorization: 'Bearer token-1' });
    expect(endpoint.received[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('takes its turn among the rules: the last write of `authorization` wins', async () => {
    const key = header('Authorization', 'Api k-1');
    await calling(server, await ledgerWith(rules(key, oauth2(endpoint.url))));
    await calling(server, await ledgerWith(rules(oauth2(endpoint.url), key)));
    expect(tokens()).toEqual(['Bearer token-1', 'Api k-1']);
    // Only what is sent is asked for.
    expect(endpoint.received).toHaveLength(1);
  });

  it('is asked for once where several rules are', async () => {
    const other = { ...oauth2(endpoint.url, { clientId: 'other' }) };
    await calling(server, await ledgerWith(rules(oauth2(endpoint.url), other)));
    expect(endpoint.received).toHaveLength(1);
    const basic = Buffer.from('other:geheim').toString('base64');
    expect(endpoint.received[0]?.headers.authorization).toBe(`Basic ${basic}`);
  });
});

describe('an access token is cached', () => {
  it.each<[number | string | null | undefined, number]>([
    [3_600, 3_570],
    ['3600', 3_570],
    [100, 70],
    [90, 60],
    // By `expires_in`, and not under 60 s.
    [89, 60],
    [1, 60],
    [0, 60],
    [-1, 60],
    [undefined, 60],
    [null, 60],
    ['soon', 60],
    // A day at most.
    [86_430, 86_400],
    [86_431, 86_400],
    [1e300, 86_400],
  ])('with expires_in %s for %s seconds', async (expires, seconds) => {
    const client = await ledgerWith();
    endpoint.expires = expires;
    const before = ahead;
    await calling(server, client);
    const took = () => ahead - before;
    pass(seconds - 30);
    await calling(server, client);
    expect(endpoint.issued).toHaveLength(1);
    ahead += Math.max(0, seconds * 1_000 - took());
    await calling(server, client);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  it('for its bridge alone, and its ledger', async () => {
    const [client, other] = [await ledgerWith(), await ledgerWith()];
    await makeBridge(client, 'bank-2', bridge.url, oauth2(endpoint.url));
    for (const _ of [1, 2]) {
      await calling(server, client);
      await calling(server, client, {}, 'bank-2');
      await calling(server, other);
    }
    const each = ['Bearer token-1', 'Bearer token-2', 'Bearer token-3'];
    expect(tokens()).toEqual([...each, ...each]);
  });

  it('until the bridge is updated, which takes effect at once', async () => {
    const client = await ledgerWith();
    await calling(server, client);
    const changed = oauth2(endpoint.url, { scope: 'more' });
    await changeBridge(client, bridge.url, { ...changed, secret: { client: 'neu' } });
    await calling(server, client);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
    const [, { headers, body } = expect.fail()] = endpoint.received;
    expect(body).toContain('scope=more');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('ledger:neu').toString('base64')}`);
  });

  it('and fetched once for all who wait for it', async () => {
    const client = await ledgerWith();
    await Promise.all(Array.from({ length: 20 }, () => calling(server, client)));
    expect(new Set(tokens())).toEqual(new Set(['Bearer token-1']));
    expect(endpoint.received).toHaveLength(1);
  });

  it('not when there was none: the next call asks again', async () => {
    const client = await ledgerWith();
    endpoint.instead = (response) => void response.writeHead(503).end();
    await expect(calling(server, client)).rejects.toMatchObject({ kind: 'unauthorized' });
    endpoint.instead = undefined;
    expect((await calling(server, client)).status).toBe(202);
  });
});

describe('a bridge that answers 401', () => {
  /** Takes tokens from that number on. */
  const takingFrom = (first: number) => {
    bridge.instead = ({ headers }) => ({ status: Number(headers.authorization?.split('-')[1]) >= first ? 202 : 401 });
  };

  it('is called once more with a new token', async () => {
    const client = await ledgerWith();
    takingFrom(2);
    expect((await calling(server, client)).status).toBe(202);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(bridge.received[1]?.body).toEqual(bridge.received[0]?.body);
    await calling(server, client);
    expect(tokens()).toHaveLength(3);
    expect(endpoint.issued).toHaveLength(2);
  });

  it('is not called a third time', async () => {
    const client = await ledgerWith();
    takingFrom(100);
    expect((await calling(server, client)).status).toBe(401);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is not called again with the same token', async () => {
    const client = await ledgerWith();
    bridge.instead = () => ({ status: 401 });
    endpoint.instead = (response) => void response.end('{"access_token":"same"}');
    expect((await calling(server, client)).status).toBe(401);
    expect(tokens()).toEqual(['Bearer same']);
  });

  it('to many calls costs one new token', async () => {
    const client = await ledgerWith();
    await calling(server, client);
    takingFrom(2);
    const answers = await Promise.all(Array.from({ length: 10 }, () => calling(server, client)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 202));
    expect(endpoint.issued).toEqual(['token-1', 'token-2']);
  });

  it('is not called again where no token was sent', async () => {
    const client = await ledgerWith(header('Authorization', 'Api k'));
    bridge.instead = () => ({ status: 401 });
    expect((await calling(server, client)).status).toBe(401);
    expect(bridge.received).toHaveLength(1);
  });
});

describe('a token endpoint', () => {
  const { characters, answer: bytes } = accessTokenLimits;

  it.each<[string, string]>([
    ['is not JSON', 'access_token=abc'],
    ['is no object', '["abc"]'],
    ['has no token', '{"token":"abc"}'],
    ['has a token that is no text', '{"access_token":7}'],
    ['has an empty one', '{"access_token":""}'],
    ['has one with a line break', '{"access_token":"a\\r\\nx-more: 1"}'],
    ['has one with a space', '{"access_token":"a b"}'],
    ['has one that is not ASCII', '{"access_token":"ä"}'],
    [`has one of ${characters + 1} characters`, `{"access_token":"${'a'.repeat(characters + 1)}"}`],
    [`has ${bytes + 1} bytes`, `{"access_token":"a"}`.padEnd(bytes + 1)],
    ['is larger than any answer may be', `{"access_token":"a"}`.padEnd(outboundLimits.answer + 1)],
  ])('whose answer %s gave none, and the bridge is not called', async (_, text) => {
    const client = await ledgerWith();
    endpoint.instead = (response) => void response.end(text);
    const failure = await failureOf(calling(server, client));
    const { host } = new URL(endpoint.url);
    expect(failure).toMatchObject({ kind: 'unauthorized', message: `${host} answered no token that can be sent` });
    expect(bridge.received).toEqual([]);
  });

  it.each<[string, string]>([
    [`a token of ${characters} characters`, `{"access_token":"${'a'.repeat(characters)}"}`],
    [`an answer of ${bytes} bytes`, `{"access_token":"a"}`.padEnd(bytes)],
  ])('may give %s', async (_, text) => {
    const client = await ledgerWith();
    endpoint.instead = (response) => void response.end(text);
    expect((await calling(server, client)).status).toBe(202);
  });

  it('whose status is not 2xx gave none, whatever it says', async () => {
    const client = await ledgerWith();
    const { host } = new URL(endpoint.url);
    for (const status of [400, 401, 429, 500]) {
      endpoint.instead = (response) => void response.writeHead(status).end('{"access_token":"abc"}');
      const message = `${host} answered ${status} to a request for a token`;
      expect(await failureOf(calling(server, client))).toMatchObject({ kind: 'unauthorized', message });
    }
    expect(bridge.received).toEqual([]);
  });

  it('that leads elsewhere is not followed', async () => {
    const client = await ledgerWith();
    endpoint.instead = (response, { url }) => {
      if (url === '/token') response.writeHead(307, { location: '/else' }).end();
      else endpoint.issue(response);
    };
    expect(await failureOf(calling(server, client))).toMatchObject({ kind: 'unauthorized' });
    expect(endpoint.received).toHaveLength(1);
  });

  it('on an address that is not public is not called', async () => {
    const guarded = await startServer();
    try {
      const client = await bridgedLedger(guarded.url, 'https://bridge.example', oauth2(endpoint.url));
      expect(await failureOf(calling(guarded, client))).toMatchObject({ kind: 'refused' });
      expect(endpoint.received).toEqual([]);
    } finally {
      await guarded.stop();
    }
  });

  it('that hangs is waited for as long as the call may take, and its token is there for the next', async () => {
    const client = await ledgerWith();
    let answer = () => {};
    endpoint.instead = (response) => {
      answer = () => endpoint.issue(response);
    };
    expect(await failureOf(calling(server, client, { within: 50 }))).toMatchObject({ kind: 'late', code: 'ETIMEDOUT' });
    const next = calling(server, client);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    answer();
    expect((await next).status).toBe(202);
    expect(endpoint.received).toHaveLength(1);
  });

  it(`is waited for by ${outboundLimits.calls.ledger} calls of a ledger at a time, and not one more`, async () => {
    const client = await ledgerWith();
    let answer = () => {};
    endpoint.instead = (response) => {
      answer = () => endpoint.issue(response);
    };
    const calls = Array.from({ length: outboundLimits.calls.ledger + 1 }, () => failureOf(calling(server, client)));
    expect(await Promise.race(calls)).toBeInstanceOf(Overloaded);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    answer();
    expect((await Promise.all(calls)).filter((failure) => failure === undefined)).toHaveLength(calls.length - 1);
  });
});

describe('the access tokens of a process', () => {
  const { characters, together, within } = accessTokenLimits;
  const request = { purpose: '', url: '', clientId: 'c', clientSecret: new Secret('s') };
  const of = (ledger: number) => ({ ...request, ledger, url: endpoint.url });

  it(`take ${together} characters at most, each with 256 of its own; then the one used least lately goes`, async () => {
    const outbound = createOutbound({ allowPrivate: true });
    const kept = createAccessTokens({ outbound, now: Date.now, fetched() {} });
    const most = together / (characters + 256);
    endpoint.instead = (response) => void response.end(JSON.stringify({ access_token: 'a'.repeat(characters) }));
    for (let ledger = 0; ledger < Math.floor(most); ledger += 1) await kept.take(of(ledger), 60_000);
    const asked = endpoint.received.length;
    await kept.take(of(0), 60_000);
    expect(endpoint.received).toHaveLength(asked);
    await kept.take(of(-1), 60_000);
    await kept.take(of(0), 60_000);
    expect(endpoint.received).toHaveLength(asked + 1);
    await kept.take(of(1), 60_000);
    expect(endpoint.received).toHaveLength(asked + 2);
    await outbound.close();
  });

  it('are fetched within a time of their own, so that one call with little time does not take it from others', async () => {
    const times: number[] = [];
    const send = async (call: OutboundCall) => {
      times.push(call.within);
      return { status: 200, headers: {}, text: '{"access_token":"a"}' };
    };
    const kept = createAccessTokens({ outbound: { send }, now: Date.now, fetched() {} });
    expect([await kept.take(of(1), 5), times]).toEqual(['a', [within]]);
  });
});

describe('the metrics', () => {
  it('count the tokens fetched by outcome', async () => {
    const counted = async () => {
      const metric = server.server.metrics.registry.getSingleMetric('countersign_bridge_tokens_total');
      const { values = [] } = (await metric?.get()) ?? {};
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
    };
    const before = await counted();
    const client = await ledgerWith();
    const nobody = await ledgerWith(oauth2('http://token.invalid/'));
    endpoint.instead = (response) => void response.writeHead(400).end();
    await failureOf(calling(server, client));
    endpoint.instead = (response) => void response.end('{}');
    await failureOf(calling(server, client));
    endpoint.instead = undefined;
    await Promise.all([calling(server, client), calling(server, client)]);
    await failureOf(calling(server, nobody));
    const after = await counted();
    const outcomes = ['issued', 'refused', 'invalid', 'failed'];
    expect(outcomes.map((outcome) => (after[outcome] ?? 0) - (before[outcome] ?? 0))).toEqual([1, 1, 1, 1]);
  });
});
