import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { limits } from '../../src/limits.js';
import { createCallers } from '../../src/outbound/callers.js';
import { createOutbound } from '../../src/outbound/client.js';
import { HandshakeStream } from '../../src/outbound/handshake-stream.js';
import { createHandshakes } from '../../src/outbound/handshakes.js';
import { createNames } from '../../src/outbound/names.js';
import type { Outbound } from '../../src/outbound/outbound.js';
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

  it(`has ${limits.handshakes.bytes} bytes at most`, async () => {
    const chain = certificate.repeat(Math.ceil(limits.handshakes.bytes / size));
    const failure = await called({ cert: chain, key });
    expect(failure).toMatchObject({ kind: 'unreachable', code: 'EPROTO' });
    expect((failure as Error).message).toContain(`at most ${limits.handshakes.bytes} bytes`);
  });

  it('is refused before it is verified, where verifying it takes seconds', async () => {
    expect(await called(hostileChain(60))).toMatchObject({ kind: 'unreachable', code: 'EPROTO' });
  });

  it('that is no handshake is told as such', async () => {
    const listener = createListener((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
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
    const stream = new HandshakeStream(socket);
    const busy = 20;
    // It takes as long as OpenSSL might, whenever OpenSSL is given bytes.
    stream.pause().on('data', () => {
      for (const began = performance.now(); performance.now() - began < busy; );
    });
    const [error] = await once(
      connectSecurely({ socket: stream }).on('connect', () => {}),
      'error',
    ).catch((e) => [e]);
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_SSL_|^EPROTO/) });
    expect(stream.spent).toBeGreaterThanOrEqual(busy);
    stream.destroy();
    listener.close();
  });
});

it('a connection that ends while it waits for its turn is told as that, and leaves room', async () => {
  const { ledger: each } = limits.handshakes.turns;
  const sockets: Socket[] = [];
  const listener = createListener((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  outbound = createOutbound({ allowPrivate: true });
  const { port } = listener.address() as AddressInfo;
  const sent = Array.from({ length: each + 1 }, (_, index) =>
    outbound!.send({
      ledger: 1,
      method: 'GET',
      url: `https://127.0.0.1:${port}/${index}`,
      headers: {},
      within: 15_000,
    }),
  );
  const outcomes = Promise.allSettled(sent);
  await eventually(() => expect(sockets).toHaveLength(each + 1));
  sockets.at(-1)?.resetAndDestroy();
  await new Promise(setImmediate);
  for (const socket of sockets) socket.destroy();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unreachable' } });
  }
  listener.close();
});

describe('handshakes', () => {
  const { quick, burst, rest, turns } = limits.handshakes;

  it('of a ledger rest when one took long, whether it failed or not; those of others go on', async () => {
    const callers = createCallers();
    callers.add(1, 'slow.example');
    callers.add(2, 'quick.example');
    const handshakes = createHandshakes(callers);
    const shake = (host: string, milliseconds: number, error?: Error) =>
      handshakes.run(host, async (took) => {
        took(milliseconds);
        if (error) throw error;
        return host;
      });
    expect(await shake('slow.example', burst)).toBe('slow.example');
    await expect(shake('slow.example', burst, new Error('failed'))).rejects.toThrow('failed');
    await expect(shake('slow.example', 0)).rejects.toMatchObject({ code: 'EBUSY' });
    expect(await shake('quick.example', 0)).toBe('quick.example');
    await eventually(async () => expect(await shake('slow.example', 0)).toBe('slow.example'));
  });

  it(`of a ledger take a part of the time in ${rest} at most, however many they are; quick ones are free`, async () => {
    let now = 0;
    const callers = createCallers();
    callers.add(1, 'slow.example');
    const handshakes = createHandshakes(callers, limits.handshakes, () => now);
    const shake = (milliseconds: number) => handshakes.run('slow.example', async (took) => took(milliseconds));
    for (let round = 0; round < 100; round += 1) await shake(quick);
    const each = 2 * quick;
    let made = 0;
    for (; now < 100_000; now += each)
      made += await shake(each).then(
        () => 1,
        () => 0,
      );
    expect(made * each).toBeGreaterThan(now / rest);
    expect(made * each).toBeLessThan(now / rest + 2 * burst);
    now += 1_000_000;
    // Those that are under way at a time add up.
    let begun = 0;
    let goOn = () => {};
    const haveBegun = new Promise<void>((resolve) => (goOn = resolve));
    const together = () =>
      handshakes.run('slow.example', async (took) => {
        begun += 1;
        if (begun === turns.ledger) goOn();
        await haveBegun;
        took(burst);
      });
    await Promise.all(Array.from({ length: turns.ledger }, together));
    now += (turns.ledger - 1) * burst * rest - 1;
    await expect(shake(0)).rejects.toMatchObject({ code: 'EBUSY' });
    now += 1;
    await shake(0);
  });

  it('are not made when the calls to the host have ended', async () => {
    const callers = createCallers();
    const ended = callers.add(1, 'left.example');
    callers.add(1, 'slow.example');
    const handshakes = createHandshakes(callers, { ...limits.handshakes, turns: { ...turns, ledger: 1 } });
    let end = (): void => expect.fail('It has not begun');
    const slow = handshakes.run('slow.example', () => new Promise<void>((resolve) => (end = resolve)));
    const made: string[] = [];
    const left = handshakes.run('left.example', async () => void made.push('left'));
    ended();
    await eventually(() => end());
    await slow;
    await expect(left).rejects.toThrow('The calls to left.example have ended');
    await expect(handshakes.run('left.example', async () => void made.push('left'))).rejects.toThrow('have ended');
    expect(made).toEqual([]);
  });

  it('with a host that several ledgers call go on while one of them rests, and end when all do', async () => {
    const callers = createCallers();
    callers.add(1, 'slow.example');
    callers.add(1, 'shared.example');
    callers.add(2, 'shared.example');
    const handshakes = createHandshakes(callers);
    const shake = (host: string, milliseconds: number) =>
      handshakes.run(host, async (took) => {
        took(milliseconds);
        return host;
      });
    await shake('slow.example', 600 * burst);
    await expect(shake('slow.example', 0)).rejects.toMatchObject({ code: 'EBUSY' });
    expect(await shake('shared.example', 0)).toBe('shared.example');
    expect(await shake('shared.example', 600 * burst)).toBe('shared.example');
    await expect(shake('shared.example', 0)).rejects.toMatchObject({ code: 'EBUSY' });
  });

  it('that wait for a ledger which begins to rest are made for another one that calls the host', async () => {
    const callers = createCallers();
    for (const [ledger, host] of [
      [1, 'slow.example'],
      [2, 'busy.example'],
      [1, 'shared.example'],
      [2, 'shared.example'],
    ] as const) {
      callers.add(ledger, host);
    }
    const handshakes = createHandshakes(callers, { ...limits.handshakes, turns: { ...turns, ledger: 1 } });
    const ends: (() => void)[] = [];
    const shake = (host: string, milliseconds: number) =>
      handshakes.run(host, async (took) => {
        await new Promise<void>((end) => ends.push(end));
        took(milliseconds);
        return host;
      });
    const all = Promise.all([shake('slow.example', 600 * burst), shake('busy.example', 0)]);
    // Both have one under way: it waits for the first.
    const shared = handshakes.run('shared.example', async () => 'made');
    await eventually(() => expect(ends).toHaveLength(2));
    for (const end of ends) end();
    await all;
    expect(await shared).toBe('made');
  });

  it('that find no room are told as such by the call: too many as overload, too long a wait as late', async () => {
    const sockets: Socket[] = [];
    const listener = createListener((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const names = createNames();
    const patience = 200;
    const handshakes = createHandshakes(names.callers, {
      ...limits.handshakes,
      turns: { process: 1, ledger: 1, waiting: 1, patience },
    });
    outbound = createOutbound({ allowPrivate: true, names, handshakes });
    const url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    const send = () => outbound!.send({ ledger: 1, method: 'GET', url, headers: {}, within: 15_000 });
    const began = performance.now();
    const sent = [send(), send(), send()].map((one) => one.catch((error) => error));
    expect(await Promise.race(sent)).toBeInstanceOf(Overloaded);
    await eventually(() => expect(performance.now() - began).toBeGreaterThan(2 * patience));
    for (const socket of sockets) socket.resetAndDestroy();
    const failures = await Promise.all(sent);
    expect(failures.filter((failure) => failure instanceof Overloaded)).toHaveLength(1);
    expect(failures).toContainEqual(expect.objectContaining({ kind: 'late', code: 'ETIMEDOUT' }));
    listener.close();
  });

  it(`of a ledger are made ${turns.ledger} at a time, and hold up no other ledger`, async () => {
    const callers = createCallers();
    callers.add(1, 'slow.example');
    callers.add(1, 'shared.example');
    callers.add(2, 'shared.example');
    const handshakes = createHandshakes(callers);
    let running = 0;
    const ends: (() => void)[] = [];
    const waiting = Array.from({ length: turns.ledger + 1 }, () =>
      handshakes.run('slow.example', async () => {
        running += 1;
        await new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await eventually(() => expect(running).toBe(turns.ledger));
    expect(await handshakes.run('shared.example', async () => 'made')).toBe('made');
    expect(running).toBe(turns.ledger);
    while (running <= turns.ledger) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    for (const end of ends) end();
    await Promise.all(waiting);
  });
});
