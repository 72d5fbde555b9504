import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { dropOf, newKey, newLedger, OPEN, systemKeyOf, TestClient } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { expectRefusal } from './refusal.js';

const WRITES = 6;
const REQUESTS = 24;
const LEDGERS = 10;
const HOUR = 3_600;

const server = withOwnServer({
  rates: {
    writes: { count: WRITES, seconds: HOUR },
    requests: { count: REQUESTS, seconds: HOUR },
    ledgers: { count: LEDGERS, seconds: HOUR },
  },
  connections: { trustedProxies: ['127.0.0.1'] },
});

let senders = 0;

/** Speaks from an address of its own, through the trusted proxy. */
class SenderClient extends TestClient {
  address = `198.51.100.${++senders}`;

  override call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return super.call(method, path, body, { 'x-forwarded-for': this.address, ...headers });
  }
}

async function ledgerOf(access = OPEN) {
  const { key, ledger } = await newLedger(`${server.current.url}`, { access });
  return new SenderClient(server.current.url, key, ledger);
}

/** From another address each time, so that only the ledger has a limit. */
const create = async (client: TestClient, handle: string, key = client.key) =>
  new SenderClient(client.url, key, client.ledger).create('/wallets', { handle });

describe('writes in one ledger', () => {
  it('are refused beyond its limit with a signed 429 that says when, while others write and everyone reads', async () => {
    const client = await ledgerOf();
    for (let made = 0; made < WRITES; made += 1) expect((await create(client, `w-${made}`)).status).toBe(201);
    const refused = await create(client, 'one-more');
    expectRefusal(refused, {
      reason: 'api.rate-limit-exceeded',
      status: 429,
      detail: /^There are too many writes in this ledger\. Retry after \d+ s\.$/,
      signedBy: systemKeyOf(client),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(HOUR / WRITES);
    expect((await client.get('/wallets/one-more')).status).toBe(404);
    expect((await client.get('/wallets/w-0')).status).toBe(200);
    expect((await create(await ledgerOf(), 'w')).status).toBe(201);
  });

  it('do not count where access is refused: strangers use up nothing of a ledger', async () => {
    const key = newKey();
    const client = await ledgerOf([{ action: 'any', record: 'any', signer: { public: key.public } }]);
    for (let sent = 0; sent < 2 * WRITES; sent += 1) {
      expect((await create(client, `w-${sent}`, newKey())).status).toBe(403);
    }
    for (let made = 0; made < WRITES - 1; made += 1) expect((await create(client, `w-${made}`, key)).status).toBe(201);
    expect((await create(client, 'one-more', key)).status).toBe(429);
  });
});

describe('writes that come first', () => {
  it('are those of owners: what others may do leaves a tenth of the limit to them', async () => {
    const client = await ledgerOf();
    const other = newKey();
    for (let sent = 0; sent < WRITES - 1; sent += 1) {
      expect((await create(client, `w-${sent}`, other)).status).toBe(201);
    }
    expect((await create(client, 'one-more', other)).status).toBe(429);
    expect((await create(client, 'one-more')).status).toBe(201);
    expect((await create(client, 'two-more')).status).toBe(429);
  });

  it('a drop that is sent again is told to wait, not that nothing is there', async () => {
    const client = await ledgerOf();
    const { body: record } = await create(client, 'w');
    const drop = dropOf(record, client.key);
    const from = () => new SenderClient(client.url, client.key, client.ledger);
    expect((await from().call('DELETE', `/wallets/${record.luid}`, drop)).status).toBe(204);
    for (let made = 2; made < WRITES; made += 1) expect((await create(client, `w-${made}`)).status).toBe(201);
    expect((await from().call('DELETE', `/wallets/${record.luid}`, drop)).status).toBe(429);
  });
});

describe('requests of one address', () => {
  it('are refused beyond its limit, whatever they ask for, but for the probes of operators', async () => {
    const client = await ledgerOf();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      expect((await client.get(sent % 2 ? '/wallets' : '/no-such-route')).status).toBe(sent % 2 ? 200 : 404);
    }
    const refused = await client.get('/wallets');
    expectRefusal(refused, { reason: 'api.rate-limit-exceeded', status: 429, signedBy: systemKeyOf(client) });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const long = await client.create('/wallets', { handle: 'long', custom: { text: 'x'.repeat(200_000) } });
    expectRefusal(long, { reason: 'api.rate-limit-exceeded', status: 429, signedBy: systemKeyOf(client) });
    expectRefusal(await client.in('no-such-ledger').get('/wallets', { 'x-forwarded-for': client.address }), {
      reason: 'api.rate-limit-exceeded',
      status: 429,
      signedBy: null,
    });
    expect((await client.get('/../health/ready')).status).toBe(200);
    expect((await ledgerOf().then((other) => other.get('/wallets'))).status).toBe(200);
  });
});

describe('new ledgers of one address', () => {
  it('are refused beyond its limit, and none is made', async () => {
    const client = new SenderClient(server.current.url);
    const found = (handle: string) => client.create('/ledgers', { handle, signer: 'system', access: OPEN });
    for (let made = 0; made < LEDGERS; made += 1) expect((await found(`rates-${made}`)).status).toBe(201);
    expectRefusal(await found('rates-more'), {
      reason: 'api.rate-limit-exceeded',
      status: 429,
      detail: /^Too many requests for new ledgers come from this address\. Retry after \d+ s\.$/,
      signedBy: null,
    });
    expect((await client.in('rates-more').get('/ledger')).status).toBe(404);
  });
});

describe('connections of one address', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const bounded = withOwnServer({ connections: { each: 3, trustedProxies: ['192.0.2.0/24'] }, logger });
  const full = withOwnServer({ connections: { count: 3 }, logger });
  const proxied = withOwnServer({ connections: { each: 3, trustedProxies: ['127.0.0.0/8'] } });

  /** Opens some at once. @returns those that the server keeps */
  async function open(url: string, count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    const answers = sockets.map(
      (socket) =>
        new Promise<boolean>((resolve) => {
          socket.once('connect', () => socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'));
          socket.once('data', () => resolve(true));
          socket.once('close', () => resolve(false));
        }),
    );
    const kept = await Promise.all(answers);
    return sockets.filter((_, at) => kept[at]);
  }

  it('are closed at once beyond its limit, and there is room again when one ends', async () => {
    const kept = await open(bounded.current.url, 5);
    expect(kept).toHaveLength(3);
    kept.pop()?.destroy();
    let again: Socket[] = [];
    for (let tries = 0; again.length === 0 && tries < 100; tries += 1) {
      again = await open(bounded.current.url, 1);
      if (again.length === 0) await pause(50);
    }
    expect(again).toHaveLength(1);
    for (const socket of [...kept, ...again]) socket.destroy();
    const counts = await bounded.current.server.metrics.registry.getSingleMetricAsString(
      'countersign_rate_limited_total',
    );
    expect(counts).toMatch(/limit="connections",worker="0"\} [2-9]/);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      limit: 'connections',
      sender: '127.0.0.1',
      msg: 'a limit refuses requests or connections',
    });
  });

  it('are told apart from those that any process has room for', async () => {
    lines.length = 0;
    for (const socket of await open(full.current.url, 5)) socket.destroy();
    const counts = await full.current.server.metrics.registry.getSingleMetricAsString('countersign_rate_limited_total');
    expect(counts).toMatch(/limit="process-connections",worker="0"\} 2/);
    expect(counts).not.toContain('limit="connections"');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, limit: 'process-connections' }]);
  });

  it('have no limit of their own where the address is a trusted proxy', async () => {
    const kept = await open(proxied.current.url, 6);
    expect(kept).toHaveLength(6);
    for (const socket of kept) socket.destroy();
  });
});

describe('requests that no route takes', () => {
  // Last, since they count for the address of all tests: the framework refuses them before it looks who sent them.
  it('have the same limit', async () => {
    const client = new TestClient(server.current.url);
    const statuses: number[] = [];
    for (let sent = 0; sent <= 2 * REQUESTS; sent += 1) {
      const path = sent % 2 ? '/wallets/%zz' : `/wallets/${'x'.repeat(2_000)}`;
      statuses.push((await client.get(path)).status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect(new Set(statuses)).toEqual(new Set([400, 404, 429]));
  });
});
