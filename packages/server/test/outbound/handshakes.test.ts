import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { threadTime } from '../../src/base/thread-time.js';
import { createOutbound } from '../../src/outbound/client.js';
import { HandshakeStream } from '../../src/outbound/handshake-stream.js';
import { createHandshakes, type Handshakes, HandshakesResting } from '../../src/outbound/handshakes.js';
import type { Outbound } from '../../src/outbound/outbound.js';
import { handshakeLimits, outboundLimits } from '../../src/outbound/outbound-limits.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { hostileChain } from '../support/hostile-chain.js';

const authority = makeAuthority('authority');
let server: Server | undefined;
let outbound: Outbound | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await outbound?.close();
});

/** Calls a service that shows these certificates: the body of its answer, or the failure. */
async function called({ cert, key }: { cert: string; key: string }, body?: string): Promise<unknown> {
  server = createServer({ cert, key }, (request, response) => void request.pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  outbound = createOutbound({ allowPrivate: true, ca: authority.certificate });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = { ledger: 1, method: 'POST', url, headers: {}, within: 15_000, ...(body ? { body } : {}) } as const;
  return outbound.send(call).then(
    ({ text }) => text,
    (error) => error,
  );
}

describe('what a service sends in a handshake', () => {
  const { certificate, key } = issueCertificate(authority, 'service');
  const size = Buffer.from(certificate.replace(/-----.*-----/g, ''), 'base64').length;

  it('may be a chain of some certificates; what follows has no bound of it', async () => {
    const chain = certificate + authority.certificate.repeat(8);
    expect(await called({ cert: chain, key }, 'x'.repeat(1_000_000))).toHaveLength(1_000_000);
  });

  it(`has ${handshakeLimits.bytes} bytes at most`, async () => {
    const chain = certificate.repeat(Math.ceil(handshakeLimits.bytes / size));
    const failure = await called({ cert: chain, key });
    expect(failure).toMatchObject({ kind: 'unreachable', code: 'EPROTO' });
    expect((failure as Error).message).toContain(`at most ${handshakeLimits.bytes} bytes`);
  });

  it('is refused before it is verified, where verifying it takes seconds', async () => {
    expect(await called(hostileChain(60))).toMatchObject({ kind: 'unreachable', code: 'EPROTO' });
  });

  it('that is no handshake is told as such', async () => {
    const listener = createListener((socket) =>
      socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    outbound = createOutbound({ allowPrivate: true });
    const url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    const sent = outbound.send({ ledger: 1, method: 'GET', url, headers: {}, within: 15_000 });
    await expect(sent).rejects.toMatchObject({ kind: 'unreachable', code: 'EPROTO' });
    listener.close();
  });

  it('is timed also where it was sent before it was asked for', async () => {
    const listener = createListener((socket) => socket.on('error', () => {}).write('no handshake')).listen(0);
    await once(listener, 'listening');
    const socket = connect({ port: (listener.address() as AddressInfo).port });
    await eventually(() => expect(socket.readableLength).toBeGreaterThan(0));
    const handshake = createHandshakes().begin(1, 'service');
    const stream = new HandshakeStream(socket, handshake);
    const busy = 20;
    // It takes as long as OpenSSL might, whenever OpenSSL is given bytes.
    stream.pause().on('data', () => {
      for (const began = threadTime(); threadTime() - began < busy; );
    });
    const [error] = await once(
      connectSecurely({ socket: stream }).on('connect', () => {}),
      'error',
    ).catch((e) => [e]);
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_SSL_|^EPROTO/) });
    expect(handshake.spent).toBeGreaterThanOrEqual(busy);
    stream.destroy();
    listener.close();
  });
});

it('a service that stays silent in its handshakes holds up no other one, of the same ledger or of others', async () => {
  const sockets: Socket[] = [];
  const listener = createListener((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  server = createServer(issued(), (_, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  outbound = createOutbound({ allowPrivate: true, ca: authority.certificate });
  const send = (ledger: number, to: { address(): unknown }) =>
    outbound!.send({ ledger, method: 'GET', url: urlOf(to), headers: {}, within: 15_000 });
  const count = outboundLimits.connections;
  const silent = Promise.allSettled(Array.from({ length: count }, () => send(1, listener)));
  await eventually(() => expect(sockets).toHaveLength(count));
  expect(await Promise.all([send(1, server), send(2, server)])).toMatchObject([{ text: 'here' }, { text: 'here' }]);
  for (const socket of sockets) socket.destroy();
  for (const outcome of await silent) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unreachable' } });
  }
  listener.close();
});

it('calls of a ledger to a host wait for none that another ledger has under way there', async () => {
  // Each takes one connection, and answers none of the first ledger's.
  server = createServer(issued(), ({ url }, response) => void (url === '/2' && response.end('here')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  outbound = createOutbound({ allowPrivate: true, ca: authority.certificate, connections: 2 });
  const base = urlOf(server);
  const giveUp = new AbortController();
  const send = (ledger: number) =>
    outbound!.send({
      ledger,
      method: 'GET',
      url: `${base}${ledger}`,
      headers: {},
      within: 15_000,
      signal: giveUp.signal,
    });
  const held = Promise.allSettled(Array.from({ length: 6 }, () => send(1)));
  expect(await send(2)).toMatchObject({ text: 'here' });
  giveUp.abort();
  await held;
});

function issued(): { cert: string; key: string } {
  const { certificate: cert, key } = issueCertificate(authority, 'service');
  return { cert, key };
}

function urlOf(listener: { address(): unknown }): string {
  return `https://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
}

describe('handshakes', () => {
  const { quick, burst, rest, halfLife } = handshakeLimits;
  let now = 0;
  let called: (ledger: number, host: string) => boolean = () => true;
  const open = () =>
    createHandshakes(
      (ledger, host) => called(ledger, host),
      handshakeLimits,
      () => now,
      () => now,
    );
  afterEach(() => {
    called = () => true;
  });

  /** A handshake that takes so long, read at once. @returns what it was refused with */
  function shake(handshakes: Handshakes, ledger: number, host: string, milliseconds: number): Error | undefined {
    let refused: Error | undefined;
    try {
      handshakes.assertMayBegin(ledger, host);
    } catch (error) {
      return error as Error;
    }
    const spend = () => {
      now += milliseconds;
    };
    handshakes.begin(ledger, host).read(spend, (error) => {
      refused = error;
    });
    return refused;
  }

  /** Lets the event loop go on: what handshakes take of one turn is bounded. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('with a host rest when they took long, and other hosts of the ledger are called', async () => {
    const handshakes = open();
    expect(shake(handshakes, 1, 'slow.example:443', 2 * burst.host)).toBeUndefined();
    await turn();
    const refused = shake(handshakes, 1, 'slow.example:443', 0);
    expect(refused).toBeInstanceOf(HandshakesResting);
    expect(refused).toMatchObject({ code: 'EBUSY', milliseconds: burst.host * rest.host });
    // Of the same name, too: a host is one with its port.
    expect(shake(handshakes, 1, 'slow.example:444', 0)).toBeUndefined();
    expect(shake(handshakes, 2, 'slow.example:443', 0)).toBeUndefined();
    now += burst.host * rest.host;
    expect(shake(handshakes, 1, 'slow.example:443', 0)).toBeUndefined();
  });

  it(`of a ledger take a part of the time in ${rest.ledger} at most, with however many hosts; quick ones are free`, async () => {
    const handshakes = open();
    for (let round = 0; round < 100; round += 1) {
      expect(shake(handshakes, 1, 'quick.example:443', quick)).toBeUndefined();
      await turn();
    }
    const each = 2 * quick;
    const began = now;
    let made = 0;
    for (let round = 0; round < 3_000; round += 1) {
      if (shake(handshakes, 1, `${round}.example:443`, each) === undefined) made += 1;
      else now += each;
      await turn();
    }
    const share = (now - began) / rest.ledger;
    expect(made * each).toBeGreaterThan(burst.ledger);
    expect(made * each).toBeLessThan(share + 2 * burst.ledger);
    expect(shake(handshakes, 2, '1.example:443', 0)).toBeUndefined();
  });

  it('that come together are read in turn, that of the ledger with least debt first, and those that follow one that took long are refused', async () => {
    const handshakes = open();
    const said: string[] = [];
    const begin = (name: string, milliseconds: number) =>
      handshakes.begin(1, 'slow.example:443').read(
        () => {
          now += milliseconds;
          said.push(name);
        },
        ({ message }) => said.push(`${name} ${message}`),
      );
    begin('first', 3 * burst.host);
    begin('second', 0);
    handshakes.begin(2, 'good.example:443').read(
      () => said.push('other'),
      () => {},
    );
    // The first has taken this turn of the event loop.
    expect(said).toEqual(['first']);
    await turn();
    const late = 'TLS handshakes took too long, so none is made with slow.example:443 now';
    expect(said).toEqual(['first', 'other', `second ${late}`]);
  });

  it('have a ledger rest the longer, the more of them were slow in the last while, with however many hosts', async () => {
    const handshakes = open();
    const each = 2 * quick;
    const take = async (milliseconds: number) => {
      const until = now + milliseconds;
      let made = 0;
      for (; now < until; await turn()) {
        if (shake(handshakes, 1, `${now}.example:443`, each) === undefined) made += 1;
        else now += 10 * each;
      }
      return (made * each) / milliseconds;
    };
    await take(2 * halfLife);
    // A tenth, were it not for those before.
    expect(await take(2 * halfLife)).toBeLessThan(0.002);
    now += 20 * halfLife;
    expect(await take(100 * each)).toBeGreaterThan(0.05);
  });

  it('are not made when the calls to the host have ended', () => {
    called = (ledger, host) => !(ledger === 1 && host === 'left.example:443');
    const handshakes = open();
    expect(shake(handshakes, 1, 'left.example:443', 0)?.message).toBe('The calls to left.example:443 have ended');
    expect(shake(handshakes, 2, 'left.example:443', 0)).toBeUndefined();
  });

  it('of a ledger that rests are refused before there is a connection, as what is no failure of the service', async () => {
    let connections = 0;
    const listener = createListener(() => {
      connections += 1;
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const handshakes = createHandshakes();
    const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
    handshakes.begin(1, host).read(
      () => {
        for (const began = threadTime(); threadTime() - began < 1.5 * burst.host; );
      },
      () => {},
    );
    outbound = createOutbound({ allowPrivate: true, handshakes });
    const sent = outbound.send({ ledger: 1, method: 'GET', url: urlOf(listener), headers: {}, within: 15_000 });
    await expect(sent).rejects.toBeInstanceOf(Overloaded);
    expect(connections).toBe(0);
    listener.close();
  });
});
