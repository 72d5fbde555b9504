import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { senderOf } from '../../src/http/sender.js';
import { workLimits } from '../../src/metering/work-limits.js';
import { founded, GATE } from '../access-http/support.js';
import { newKey, newLedger, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startServer, withOwnServer } from '../support/server.js';
import { exchange } from './raw.js';
import { expectRefusal, systemKey } from './refusal.js';

const server = withOwnServer();
const bodies = bodyLimits.memory;

const head = (path: string, length: number | 'chunked', ledger?: string) =>
  [
    `POST /v2${path} HTTP/1.1`,
    'host: a',
    'content-type: application/json',
    ...(ledger === undefined ? [] : [`x-ledger: ${ledger}`]),
    length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Begins a request whose body never comes. */
function begin(text: string, url = server.current.url): { socket: Socket; seen: { text: string } } {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  open.push(socket);
  const seen = { text: '' };
  socket.on('data', (bytes) => {
    seen.text += bytes;
  });
  socket.on('error', () => {});
  socket.write(text);
  return { socket, seen };
}

describe('a request with a large body is answered before that has come', () => {
  it.each([bodyLimits.small + 1, bodyLimits.bytes, 'chunked'] as const)(
    'where there is no such route (%s)',
    async (length) => {
      const answer = await exchange(server.current.url, [head('/nothing', length)]);
      expectRefusal(answer, { reason: 'api.route-not-found', detail: 'Route not found', signedBy: null });
    },
  );

  it.each([bodyLimits.bytes, 'chunked'] as const)('where there is no such ledger (%s)', async (length) => {
    const answer = await exchange(server.current.url, [head('/wallets', length, 'nobody')]);
    expectRefusal(answer, {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    });
  });
});

describe('large bodies of one sender', () => {
  /** Begins so many requests, and waits until the server has taken them in. */
  const fill = async (ledger: string, count: number, length: number = bodyLimits.bytes) => {
    const text = head('/wallets', length, ledger).replace('\r\n', '\r\nexpect: 100-continue\r\n');
    const begun = Array.from({ length: count }, () => begin(text));
    await eventually(() => {
      for (const { seen } of begun) expect(seen.text).toMatch(/^HTTP\/1.1 100 Continue/);
    });
    return begun;
  };
  const all = bodies.sender / bodyLimits.bytes;

  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.current.server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  it('wait for memory, while small ones go on', async () => {
    const client = await newLedger(server.current.url);
    const [holder] = await fill(client.ledger!, all);
    let isStored = false;
    const waiting = client
      .create('/wallets', { handle: 'w', custom: { text: 'x'.repeat(bodyLimits.small) } })
      .then((one) => {
        isStored = true;
        return one;
      });
    expect((await client.create('/wallets', { handle: 'small' })).status).toBe(201);
    expect(isStored).toBe(false);
    holder!.socket.destroy();
    expect((await waiting).status).toBe(201);
  });

  it('are refused at once when many wait, and counted no more when they have gone', async () => {
    const client = await newLedger(server.current.url);
    const system = await systemKey(client);
    const begun = await fill(client.ledger!, all);
    const waiting = await fill(client.ledger!, bodies.waiting);
    const refused = await exchange(server.current.url, [head('/wallets', bodyLimits.bytes, client.ledger)]);
    expectRefusal(refused, {
      reason: 'api.rate-limit-exceeded',
      detail: 'Too many bytes of request bodies are under way. Retry later.',
      signedBy: system,
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    // Those that wait are forgotten when they go, not only when there is memory.
    for (const { socket } of waiting) socket.destroy();
    await eventually(async () => expect(await connections()).toBeLessThan(bodies.waiting));
    const [late] = await fill(client.ledger!, 1, bodyLimits.small + 1);
    late!.socket.write('x'.repeat(bodyLimits.small + 1));
    begun.pop()!.socket.destroy();
    await eventually(() => expect(late!.seen.text).toContain('HTTP/1.1 400 '));
    for (const { socket } of begun) socket.destroy();
    const filled = { handle: 'w', custom: { text: 'x'.repeat(bodyLimits.small) } };
    await eventually(async () => expect((await client.create('/wallets', filled)).status).toBe(201));
  });
});

describe('what a large body costs', () => {
  const never = () => false;
  const filled = (handle: string) => ({ handle, custom: { text: 'x'.repeat(900_000) } });

  /** The steps that a ledger is charged while something is done. */
  async function chargedTo(ledger: string, work: () => Promise<unknown>): Promise<number> {
    const { scheduler, ledgers } = server.current.server.service;
    const { id } = await ledgers.resolve(ledger);
    const charge = vi.spyOn(scheduler, 'charge');
    const move = vi.spyOn(scheduler, 'move');
    try {
      scheduler.task(id, never).chargeUnbounded(0);
      const account = charge.mock.calls[0]![0];
      await work();
      const charged = [...charge.mock.calls, ...move.mock.calls.map(([steps, , to]) => [to, steps] as const)];
      return charged.reduce((sum, [to, steps]) => sum + (to === account ? steps : 0), 0);
    } finally {
      charge.mockRestore();
      move.mockRestore();
    }
  }

  it('is charged to who sent it, and to the ledger once the caller is allowed', async () => {
    const client = await founded(server.current.url, [GATE]);
    const { meta: _, ...unsigned } = signed(filled('refused'), client.key);
    const refused = await chargedTo(client.ledger!, async () => {
      expect((await client.call('POST', '/wallets', unsigned)).body.data.reason).toBe('crypto.signature-missing');
    });
    expect(refused).toBe(0);
    const stranger = client.as(newKey());
    const forbidden = await chargedTo(client.ledger!, async () => {
      expect((await stranger.create('/wallets', filled('forbidden'))).body.data.reason).toBe('auth.forbidden');
    });
    expect(forbidden).toBe(0);
    // To parse it, to hash it and to verify it takes longer.
    const least = workLimits.perMillisecond;
    const allowed = async (status: number) => {
      expect((await client.create('/wallets', filled('taken'))).status).toBe(status);
    };
    expect(await chargedTo(client.ledger!, () => allowed(201))).toBeGreaterThan(least);
    // Also where the ledger does not take it: another wallet has the handle.
    expect(await chargedTo(client.ledger!, () => allowed(409))).toBeGreaterThan(least);
  });
});

describe('large bodies that a trusted proxy forwards', () => {
  it('share the memory of the sender that it tells, whatever that one claims', async () => {
    const proxied = await startServer({ connections: { trustedProxies: ['127.0.0.1'] } });
    try {
      const client = await newLedger(proxied.url);
      const from = (forwarded: string, length: number = bodyLimits.bytes) =>
        head('/wallets', length, client.ledger).replace(
          '\r\n',
          `\r\nexpect: 100-continue\r\nx-forwarded-for: ${forwarded}\r\n`,
        );
      const count = bodies.sender / bodyLimits.bytes;
      const holders = Array.from({ length: count }, (_, n) => begin(from(`192.0.2.${n}, 203.0.113.7`), proxied.url));
      await eventually(() => {
        for (const { seen } of holders) expect(seen.text).toContain('100 Continue');
      });
      const large = bodyLimits.small + 1;
      const same = begin(from('203.0.113.7', large), proxied.url);
      same.socket.write('x'.repeat(large));
      const other = await exchange(proxied.url, [from('203.0.113.7, 203.0.113.8', large), 'x'.repeat(large)]);
      expect(other.status).toBe(400);
      expect(same.seen.text).not.toMatch(/HTTP\/1.1 400/);
      holders[0]!.socket.destroy();
      await eventually(() => expect(same.seen.text).toMatch(/HTTP\/1.1 400 /));
    } finally {
      for (const socket of open.splice(0)) socket.destroy();
      await proxied.stop();
    }
  });
});

describe('the sender of a request', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:203:3:4:5:6', '2001:db8:1:200'],
    ['2001:db8:1:2::9', '2001:db8:1:0'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    // As proxies write it: each connection has another port.
    ['192.0.2.7:54321', '192.0.2.7'],
    ['[2001:db8:1:302::9]:443', '2001:db8:1:300'],
    ['_hidden', 'unknown'],
  ])('at %s is %s', (address, sender) => {
    expect(senderOf(address)).toBe(sender);
  });
});
