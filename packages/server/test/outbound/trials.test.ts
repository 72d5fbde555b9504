import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createListener, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { createOutbound } from '../../src/outbound/client.js';
import { createHandshakes } from '../../src/outbound/handshakes.js';
import type { Outbound } from '../../src/outbound/outbound.js';
import { makeSecureConnector, makeSecureContext } from '../../src/outbound/tls.js';
import { createTrials } from '../../src/outbound/trials.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { hostileChain } from '../support/hostile-chain.js';

const authority = makeAuthority('authority');
const { certificate: cert, key } = issueCertificate(authority, 'service');

let host: Server | undefined;
let outbound: Outbound | undefined;
afterEach(async () => {
  host?.closeAllConnections();
  host?.close();
  await outbound?.close();
});

/** A host that counts connections, and a client that counts the handshakes of its event loop. @param port to call in place of the host's */
async function scene(identity: { readonly cert: string; readonly key: string }, port?: number) {
  const counted = { connections: 0, onLoop: 0 };
  host = createServer(identity, (_, response) => response.setHeader('connection', 'close').end('here'));
  host.on('connection', () => {
    counted.connections += 1;
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const handshakes = createHandshakes();
  const begin: typeof handshakes.begin = (...of) => {
    counted.onLoop += 1;
    return handshakes.begin(...of);
  };
  outbound = createOutbound({ allowPrivate: true, ca: authority.certificate, handshakes: { ...handshakes, begin } });
  const url = `https://127.0.0.1:${port ?? (host.address() as AddressInfo).port}/`;
  const send = (ledger = 1) =>
    outbound!.send({ ledger, method: 'GET', url, headers: {}, within: 15_000 }).then(
      ({ text }) => text,
      (error) => error,
    );
  return { send, counted };
}

const TOO_LONG = { kind: 'unreachable', code: 'ESLOWTLS', message: expect.stringContaining('more than 10') };

describe('a host is tried in a thread before it is called', () => {
  it('and not on the event loop at all where verifying its certificates takes long', async () => {
    const { send, counted } = await scene(hostileChain(10));
    expect(await send()).toMatchObject(TOO_LONG);
    expect(counted.onLoop).toBe(0);
  });

  it('once while it is quick, by each ledger', async () => {
    const { send, counted } = await scene({ cert, key });
    expect(await send()).toBe('here');
    const { connections } = counted;
    expect([await send(), await send()]).toEqual(['here', 'here']);
    expect(counted).toEqual({ connections: connections + 2, onLoop: 3 });
    expect(await send(2)).toBe('here');
    expect(counted.connections).toBeGreaterThan(connections + 3);
  });

  it('again when it was quick then and holds the event loop now', async () => {
    const { send, counted } = await scene({ cert, key });
    expect(await send()).toBe('here');
    host!.setSecureContext(hostileChain(10));
    expect(await send()).toMatchObject({ kind: 'unreachable' });
    expect(counted.onLoop).toBe(2);
    expect(await send()).toMatchObject(TOO_LONG);
    expect(counted.onLoop).toBe(2);
  });

  it('and called where it asks for a certificate, which a trial does not show', async () => {
    const { send } = await scene({ cert, key });
    host!.setSecureContext({ cert, key, ca: authority.certificate, maxVersion: 'TLSv1.2' });
    expect(await send()).toBe('here');
  });

  it('and called where it serves one connection at a time', async () => {
    const { send } = await scene({ cert, key });
    host!.maxConnections = 1;
    expect(await send()).toBe('here');
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['ends the connection without a word', (socket) => socket.destroy()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
  ])('and is not called where it %s', async (_, treat) => {
    const listener = createListener((socket) => treat(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { send, counted } = await scene({ cert, key }, (listener.address() as AddressInfo).port);
    expect(await send()).toMatchObject({ kind: 'unreachable' });
    expect(counted.onLoop).toBe(0);
    listener.close();
  });
});

it('the address of a host whose connection is lost already leads nowhere', async () => {
  const trials = createTrials();
  const handshakes = createHandshakes();
  const lost: buildConnector.connector = (_, callback) => callback(null, new Socket());
  const tls = { timeout: 1_000, secureContext: makeSecureContext({}) };
  const connect = makeSecureConnector(lost, handshakes, 1, tls, trials);
  const options = { protocol: 'https:', hostname: 'lost.example', port: '443' };
  const [error] = await new Promise<unknown[]>((resolve) => connect(options, (...said) => resolve(said)));
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  await trials.close();
});

it('trials that are under way when the server stops are put off', async () => {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const trials = createTrials();
  const { port } = listener.address() as AddressInfo;
  const tried = { ledger: 1, host: `127.0.0.1:${port}`, address: '127.0.0.1', port };
  const connected = once(listener, 'connection');
  const trial = expect(trials.make(tried)).rejects.toBeInstanceOf(Overloaded);
  await connected;
  await trials.close();
  await trial;
  await expect(trials.make(tried)).rejects.toBeInstanceOf(Overloaded);
  listener.close();
});
