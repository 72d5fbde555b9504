import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Json, JsonObject } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonLimits } from '../../src/base/json-limits.js';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { outboundLimits } from '../../src/outbound/outbound-limits.js';
import { expectRefusal } from '../support/checks.js';
import { signed } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { type RunningServer, startServer, withServer } from '../support/server.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const UNEXPECTED = 'Unexpected error while forwarding request to bridge';
const values = ['create', 'read'].map((action) => aspect(action, 'proxy'));
const ledger = (at = bridge.url, url = server.current.url) => forwardingLedger(url, at, values);

describe('a bridge that cannot be reached', () => {
  it.each([
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
    ['has no address', async () => 'http://bridge.invalid'],
    ['speaks no TLS', async () => bridge.url.replace('http:', 'https:')],
  ])('because it %s, is told as that and nothing more', async (_, at) => {
    const client = await ledger(await at());
    for (const answer of [await client.get('/anchors/a'), await client.create('/anchors', anchor('a'))]) {
      expectRefusal(answer, client, 'forward.unexpected-error', UNEXPECTED);
    }
  });

  it('because it speaks no HTTP', async () => {
    const other = createServer((socket) => void socket.end('HELO bridge\r\n')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const client = await ledger(`http://127.0.0.1:${(other.address() as { port: number }).port}`);
    expectRefusal(await client.get('/anchors/a'), client, 'forward.unexpected-error', UNEXPECTED);
    other.close();
  });

  it('because the connection breaks', async () => {
    const client = await ledger();
    bridge.instead = () => (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"hash":');
      setTimeout(() => response.destroy(), 20);
    };
    expectRefusal(await client.get('/anchors/a'), client, 'forward.unexpected-error', UNEXPECTED);
  });
});

describe('many requests at a time', () => {
  it('are told to come again where they would be too many calls', async () => {
    const client = await ledger();
    const kept = bridge.keep(anchor('a'));
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    bridge.instead = async (received) => {
      await held;
      return bridge.behave(received);
    };
    const most = outboundLimits.calls.ledger;
    const reads = Array.from({ length: most + 1 }, () => client.get('/anchors/a'));
    const turnedAway = await Promise.race(reads);
    expect(turnedAway.status, turnedAway.text).toBe(503);
    expect(turnedAway.headers.get('retry-after')).toBe('1');
    go();
    const answers = await Promise.all(reads);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    expect((await client.get('/anchors/a')).body).toEqual(kept);
  });
});

describe('what lies behind a call that failed', () => {
  it('is a warning of one line in the log', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const watched = await startServer({ deliveryAllowPrivate: true, logger });
    try {
      const client = await ledger(`http://127.0.0.1:${await freePort()}`, watched.url);
      expect((await client.get('/anchors/a')).status).toBe(500);
      const other = await ledger(bridge.url, watched.url);
      bridge.instead = () => ({ status: 401 });
      expect((await other.get('/anchors/a')).status).toBe(500);
    } finally {
      await watched.stop();
    }
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged).toMatchObject([
      { level: 40, msg: 'outbound call failed', kind: 'unreachable', code: 'ECONNREFUSED' },
      {
        level: 40,
        msg: 'outbound call failed',
        kind: 'unauthorized',
        failure: 'Bridge bank answered 401 to the token of the ledger',
      },
    ]);
    expect(lines.join()).not.toContain('stack');
  });
});

describe('an answer', () => {
  it('may be as large as the limit, and no larger', async () => {
    const client = await ledger();
    const kept = bridge.keep(anchor('a')) as unknown as JsonObject;
    const padded = (bytes: number, headers: Record<string, string>) => {
      bridge.instead = () => (response) => {
        const text = JSON.stringify(kept);
        response.writeHead(200, headers).end(text + ' '.repeat(bytes - Buffer.byteLength(text)));
      };
      return client.get('/anchors/a');
    };
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      expect((await padded(outboundLimits.answer, framing)).status).toBe(200);
      const answer = await padded(outboundLimits.answer + 1, framing);
      expectRefusal(answer, client, 'forward.invalid-response', 'Invalid response from bridge bank');
    }
  });

  it.each(['proxy', 'validate'])('%s: has room for the largest record that can be sent', async (strategy) => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', strategy)]);
    const sized = (length: number) => signed(anchor('a', { custom: { note: 'x'.repeat(length) } }), client.key);
    const spare = bodyLimits.bytes - Buffer.byteLength(JSON.stringify(sized(0)));
    const body = JSON.stringify(sized(spare));
    expect(Buffer.byteLength(body)).toBe(bodyLimits.bytes);
    expect((await client.call('POST', '/anchors', body)).status).toBe(201);
  });

  it('has room for as many values as can be sent, as deep', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    const many = signed(anchor('a', { custom: { many: Array.from({ length: 49_900 }, () => 1) } }), client.key);
    expect((await client.call('POST', '/anchors', many)).status).toBe(201);
    let deep: Json = 1;
    for (let level = 0; level < jsonLimits.depth - 3; level += 1) deep = [deep];
    const nested = signed(anchor('b', { custom: { deep } }), client.key);
    expect((await client.call('POST', '/anchors', nested)).status).toBe(201);
    const list = await forwardingLedger(server.current.url, bridge.url, [aspect('query', 'proxy')]);
    bridge.records.delete('a');
    expect((await list.get('/anchors')).body.data).toHaveLength(1);
  });

  it(`may hold ${outboundLimits.values} values and ${jsonLimits.depth + outboundLimits.levels} levels, and not one more`, async () => {
    const client = await ledger();
    const kept = bridge.keep(anchor('a')) as unknown as JsonObject;
    const count = (value: Json): number =>
      value !== null && typeof value === 'object'
        ? Object.values(value).reduce<number>((sum, one) => sum + 1 + count(one), 0)
        : 0;
    const reading = (padding: Json) => {
      bridge.instead = () => ({ status: 200, body: { ...kept, padding } });
      return client.get('/anchors/a');
    };
    const many = (values: number) => Array.from({ length: values - count(kept) - 1 }, () => 0);
    const deep = (levels: number) => JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1));
    expect((await reading(many(outboundLimits.values))).status).toBe(200);
    expect((await reading(deep(jsonLimits.depth + outboundLimits.levels))).status).toBe(200);
    for (const more of [many(outboundLimits.values + 1), deep(jsonLimits.depth + outboundLimits.levels + 1)]) {
      const answer = await reading(more);
      expectRefusal(answer, client, 'forward.invalid-response', 'Invalid response from bridge bank');
    }
  });

  it('that redirects is not followed', async () => {
    const client = await ledger();
    for (const status of [301, 302, 303, 307, 308]) {
      bridge.received.length = 0;
      bridge.instead = () => (response) =>
        void response.writeHead(status, { location: `${bridge.url}/v2/anchors/b` }).end();
      expectRefusal(
        await client.get('/anchors/a'),
        client,
        'forward.invalid-response',
        'Invalid response from bridge bank',
      );
      expect(bridge.received).toHaveLength(1);
    }
  });

  it('is not unpacked', async () => {
    const client = await ledger();
    bridge.instead = () => (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('\x1f\x8b');
    expectRefusal(
      await client.get('/anchors/a'),
      client,
      'forward.invalid-response',
      'Invalid response from bridge bank',
    );
  });
});

describe('the server of a bridge', () => {
  it.each(['', '/', '/base', '/base/', '/base?x=1', '/#f'])('may be written with %j at its end', async (end) => {
    const client = await ledger(bridge.url + end);
    await client.get('/anchors/a');
    const base = end.startsWith('/base') ? '/base' : '';
    expect(bridge.only.url).toBe(`${base}/v2/anchors/a`);
  });
});

describe('with less time', () => {
  let quick: RunningServer;
  beforeAll(async () => {
    quick = await startServer({ deliveryAllowPrivate: true, requestTimeout: 3_000 });
  });
  afterAll(() => quick.stop());

  it.each([
    ['before its headers', false],
    ['within its body', true],
  ])('an answer that hangs %s is given up in time to tell the client', async (_, begun) => {
    const client = await ledger(bridge.url, quick.url);
    bridge.instead = () => (response) => {
      if (!begun) return;
      response.writeHead(200);
      response.write(' ');
    };
    const started = Date.now();
    expectRefusal(await client.create('/anchors', anchor('a')), client, 'forward.unexpected-error', UNEXPECTED);
    expect(Date.now() - started).toBeGreaterThan(2_100);
    expect(await stored(client, 'a')).toBe(false);
  });
});

describe('without DELIVERY_ALLOW_PRIVATE', () => {
  let closed: RunningServer;
  beforeAll(async () => {
    closed = await startServer();
  });
  afterAll(() => closed.stop());

  it.each([
    ['an address', (port: string) => `http://127.0.0.1:${port}`],
    ['a name', (port: string) => `http://localhost:${port}`],
    ['another spelling', (port: string) => `http://0x7f.1:${port}`],
    ['a number', (port: string) => `http://2130706433:${port}`],
    ['mapped IPv6', (port: string) => `http://[::ffff:127.0.0.1]:${port}`],
    ['the unspecified address', (port: string) => `http://0.0.0.0:${port}`],
    ['the unspecified address of IPv6', (port: string) => `http://[::]:${port}`],
    ['https', (port: string) => `https://127.0.0.1:${port}`],
  ])('no call leads to this machine: %s', async (_, at) => {
    const client = await ledger(at(new URL(bridge.url).port), closed.url);
    expectRefusal(await client.get('/anchors/a'), client, 'forward.unexpected-error', UNEXPECTED);
    expect(bridge.received).toEqual([]);
  });
});
