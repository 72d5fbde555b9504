import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutbound } from '../../src/outbound/client.js';
import { createHandshakes } from '../../src/outbound/handshakes.js';
import type { Outbound } from '../../src/outbound/outbound.js';
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

/** A host that counts connections, and a client that counts the handshakes of its event loop, and which may have been slow. */
async function scene(identity: { readonly cert: string; readonly key: string }) {
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
  const url = `https://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  const send = (ledger = 1) =>
    outbound!.send({ ledger, method: 'GET', url, headers: {}, within: 15_000 }).then(
      ({ text }) => text,
      (error) => error,
    );
  return { send, counted };
}

const TOO_LONG = { kind: 'unreachable', code: 'EPROTO', message: expect.stringContaining('more than 10') };

describe('a host is tried in a thread before it is called', () => {
  it('and not on the event loop at all where verifying its certificates takes long', async () => {
    const { send, counted } = await scene(hostileChain(10));
    expect(await send()).toMatchObject(TOO_LONG);
    expect(counted.onLoop).toBe(0);
    expect(counted.connections).toBeGreaterThan(1);
  });

  it('once for all ledgers, while it is quick', async () => {
    const { send, counted } = await scene({ cert, key });
    expect(await send()).toBe('here');
    const { connections } = counted;
    expect([await send(), await send(2)]).toEqual(['here', 'here']);
    expect(counted).toEqual({ connections: connections + 2, onLoop: 3 });
  });

  it('again when it was quick then and is slow now', async () => {
    const { send, counted } = await scene({ cert, key });
    expect(await send()).toBe('here');
    host!.setSecureContext(hostileChain(10));
    await send();
    expect(counted.onLoop).toBe(2);
    expect(await send(2)).toMatchObject(TOO_LONG);
    expect(counted.onLoop).toBe(2);
  });

  it('and called where it asks for a certificate that the trial does not show', async () => {
    const { send } = await scene({ cert, key });
    host!.setSecureContext({ cert, key, ca: authority.certificate, maxVersion: 'TLSv1.2' });
    expect(await send()).toBe('here');
  });

  it('and is not called where it ends the connection without a word', async () => {
    const { send, counted } = await scene({ cert, key });
    const { port } = host!.address() as AddressInfo;
    await new Promise((closed) => host!.close(closed));
    const listener = createListener((socket) => socket.destroy());
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    expect(await send()).toMatchObject({ kind: 'unreachable' });
    expect(counted.onLoop).toBe(0);
    listener.close();
  });
});
