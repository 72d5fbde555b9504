import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { Secret } from '../../src/base/secret.js';
import { BridgeSecurityError } from '../../src/bridges/security.js';
import { createOutbound } from '../../src/outbound/client.js';
import type { ClientCertificate } from '../../src/outbound/client-certificate.js';
import type { Outbound } from '../../src/outbound/outbound.js';
import { certificateLimits } from '../../src/outbound/outbound-limits.js';
import { keyLimits } from '../../src/untrusted-keys/key-limits.js';
import { UnusableKey } from '../../src/untrusted-keys/unusable-key.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { issueCertificate, makeAuthority, type TestCertificate } from '../support/certificates.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { dsaPem } from '../support/crafted-keys.js';
import { eventually } from '../support/eventually.js';
import { plantSecret } from '../support/planted.js';
import { withServer } from '../support/server.js';
import {
  bridgedLedger,
  calling,
  changeBridge,
  makeBridge,
  mtls,
  oauth2,
  rules,
  type Secure,
  withTokenEndpoint,
} from './scene.js';

const authority = makeAuthority('authority');
const client = issueCertificate(authority, 'ledger');
const stranger = issueCertificate(makeAuthority('elsewhere'), 'stranger');

const server = withServer({ deliveryAllowPrivate: true, outboundCa: authority.certificate });
const endpoint = withTokenEndpoint();

/** A bridge that takes calls of clients whose certificate the authority has issued. */
let bridge: Server;
let url: string;
/** The names in the certificates of the calls it took. */
const seen: string[] = [];
/** The connections that they came on. */
const sockets: TLSSocket[] = [];
const listening = async (identity: TestCertificate) => {
  const { certificate: cert, key } = identity;
  const options = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const made = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket;
    seen.push(String(socket.getPeerCertificate().subject.CN));
    sockets.push(socket);
    response.writeHead(202).end();
  });
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
};
const urlOf = (of: Server) => `https://127.0.0.1:${(of.address() as AddressInfo).port}`;
beforeAll(async () => {
  bridge = await listening(issueCertificate(authority, 'bank'));
  url = urlOf(bridge);
});
afterAll(() => {
  bridge.closeAllConnections();
  bridge.close();
});
beforeEach(() => {
  seen.length = 0;
  sockets.length = 0;
  endpoint.reset();
});

const called = async (secure: Secure, at = url) => {
  const { current } = server;
  const ledger = await bridgedLedger(current.url, at, secure);
  return calling(current, ledger).then(
    ({ status }) => status,
    (error) => error,
  );
};

describe('mtls', () => {
  it.each(['ec', 'ed25519', 'rsa'] as const)('shows the client certificate, with a key of kind %s', async (kind) => {
    expect(await called(mtls(issueCertificate(authority, `${kind}-ledger`, kind)))).toBe(202);
    expect(seen).toEqual([`${kind}-ledger`]);
  });

  it('goes with an access token, whose endpoint sees no certificate', async () => {
    expect(await called(rules(mtls(client), oauth2(endpoint.url)))).toBe(202);
    expect([seen, endpoint.received.length]).toEqual([['ledger'], 1]);
  });

  it('of several the last one counts', async () => {
    const other = { ...mtls(stranger), secret: { other: stranger.key } };
    const first = { ...other, secure: [{ ...other.secure[0], secret: '{{ secret.other }}' }] };
    expect(await called(rules(first, mtls(client)))).toBe(202);
    expect(seen).toEqual(['ledger']);
  });

  it('is what the bridge asks for: without it, or with one of another authority, there is no answer', async () => {
    expect(await called(rules())).toMatchObject({ name: 'OutboundFailure', kind: 'unreachable' });
    expect(await called(mtls(stranger))).toMatchObject({ name: 'OutboundFailure', kind: 'unreachable' });
    expect(seen).toEqual([]);
  });

  it('shows the certificate to no bridge whose own is not of an authority that is trusted', async () => {
    const impostor = await listening(issueCertificate(makeAuthority('elsewhere'), 'bank'));
    try {
      expect(await called(mtls(client), urlOf(impostor))).toMatchObject({ kind: 'unreachable' });
      expect(seen).toEqual([]);
    } finally {
      impostor.close();
    }
  });

  it('is for https: over http there is no call', async () => {
    const failure = await called(mtls(client), url.replace('https:', 'http:'));
    expect(failure).toBeInstanceOf(BridgeSecurityError);
    expect(failure.message).toBe(`Security rule #1 of bridge 'bank' cannot be used: The server is not https`);
  });

  it('is used by forwarding too', async () => {
    const ledger = await forwardingLedger(server.current.url, url, [aspect('create', 'proxy')], {
      ...listed(mtls(client)),
    });
    await ledger.create('/anchors', anchor('a'));
    expect(seen).toEqual(['ledger']);
  });
});

/** The options of `forwardingLedger`. */
function listed({ secure, secret }: Secure) {
  return { secure: [...secure], secret };
}

const UNREADABLE = 'The private key cannot be read';
const NO_CERTIFICATE = 'The certificate cannot be read';
const { privateKey: mostKey, chain } = keyLimits;

describe('a certificate that cannot be used', () => {
  it.each<[string, () => { certificate: string; key: string }, string]>([
    ['no certificate', () => ({ ...client, certificate: 'certificate' }), NO_CERTIFICATE],
    ['no key', () => ({ ...client, key: 'key' }), UNREADABLE],
    ['the key of another', () => ({ ...client, key: stranger.key }), 'The private key is not that of the certificate'],
    ['a DSA key', () => ({ ...client, key: dsaPem(256) }), expect.stringContaining('is of a kind that is not taken')],
    [
      `${chain.characters + 1} characters`,
      () => ({ ...client, certificate: ' '.repeat(chain.characters + 1) }),
      'The certificate is too long',
    ],
    [`a key of ${mostKey + 1}`, () => ({ ...client, key: ' '.repeat(mostKey + 1) }), 'The private key is too long'],
  ])('%s: is told as that where it is stored, and where it is used', async (_, made, why) => {
    const ledger = await newLedger(server.current.url);
    await expect(makeBridge(ledger, 'bank', url, mtls(made()))).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining('Security rule #1 cannot be used: ') }),
    );
    const { certificate, key } = made();
    const outbound = createOutbound({ allowPrivate: true });
    const verify = () => outbound.verifyCertificate(1, { chain: certificate, key: new Secret(key) });
    expect(verify).toThrow(expect.objectContaining({ name: 'UnusableKey', message: why }));
    expect(verify).toThrow(UnusableKey);
    await outbound.close();
  });

  it('and was stored before it was judged: there is no call', async () => {
    const ledger = await bridgedLedger(server.current.url, url, rules(mtls(client), oauth2(endpoint.url)));
    await plantSecret(server.current, ledger, '/bridges/bank', 'privateKey', dsaPem(512));
    const failure = await calling(server.current, ledger).catch((error) => error);
    expect(failure).toBeInstanceOf(BridgeSecurityError);
    expect(failure.message).toContain("Security rule #1 of bridge 'bank' cannot be used: The private key is of a kind");
    expect([seen, endpoint.received]).toEqual([[], []]);
  });

  it('is refused in an update, beside a key that the record has already as well', async () => {
    const ledger = await bridgedLedger(server.current.url, url, mtls(client));
    await expect(changeBridge(ledger, url, mtls({ ...client, certificate: 'none' }))).rejects.toThrow(NO_CERTIFICATE);
    const { secure } = mtls({ ...client, certificate: 'none' });
    await expect(changeBridge(ledger, url, { secure, secret: {} })).rejects.toThrow(NO_CERTIFICATE);
    await changeBridge(ledger, url, { ...mtls(client), secret: {} });
    expect(seen).toEqual([]);
  });

  it('may be as long as the limit', async () => {
    const { certificate, key } = client;
    expect(
      await called(mtls({ certificate: certificate.padEnd(chain.characters, '\n'), key: key.padEnd(mostKey, '\n') })),
    ).toBe(202);
  });

  it('is an error of forwarding, which tells nothing', async () => {
    const ledger = await forwardingLedger(server.current.url, url, [aspect('read', 'proxy')], listed(mtls(client)));
    await plantSecret(server.current, ledger, '/bridges/bank', 'privateKey', 'key');
    const detail = 'Unexpected error while forwarding request to bridge';
    expectRefusal(await ledger.get('/anchors/a'), ledger, 'forward.unexpected-error', detail);
  });
});

describe('connections with a certificate', () => {
  let outbound: Outbound;
  afterEach(() => outbound.close());

  const opened = (certificates: number = certificateLimits.count) => {
    outbound = createOutbound({ allowPrivate: true, ca: authority.certificate, certificates });
    return outbound;
  };
  const of = ({ certificate, key }: { certificate: string; key: string }): ClientCertificate => ({
    chain: certificate,
    key: new Secret(key),
  });
  const call = (certificate?: ClientCertificate, ledger = 1, at = url) =>
    outbound.send({
      ledger,
      method: 'GET',
      url: at,
      headers: {},
      within: 30_000,
      ...(certificate ? { certificate } : {}),
    });

  it('are made with it alone: who has no certificate, or not its key, finds none', async () => {
    opened();
    expect((await call(of(client))).status).toBe(202);
    await expect(call()).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(call(of({ ...client, key: stranger.key }))).rejects.toBeInstanceOf(UnusableKey);
    expect(seen).toEqual(['ledger']);
  });

  it('are kept for the next call of the ledger, and no other', async () => {
    opened();
    const isOnAnother = async (ledger: number) => {
      const before = new Set(sockets);
      await call(of(client), ledger);
      return !before.has(sockets.at(-1) as TLSSocket);
    };
    expect(await isOnAnother(1)).toBe(true);
    await eventually(async () => expect(await isOnAnother(1)).toBe(false));
    expect(await isOnAnother(2)).toBe(true);
  });

  it('lead to public addresses alone, as those without', async () => {
    outbound = createOutbound({ allowPrivate: false, ca: authority.certificate });
    await expect(call(of(client))).rejects.toMatchObject({ kind: 'refused' });
    expect(seen).toEqual([]);
  });

  it('are closed for the certificate that was used least lately, where there are too many', async () => {
    opened(2);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => of(issueCertificate(authority, name)));
    await call(a);
    await call(b);
    const [first] = sockets;
    expect(first?.destroyed).toBe(false);
    await call(c);
    await eventually(() => expect(first?.destroyed).toBe(true));
    expect((await call(a)).status).toBe(202);
    expect(seen).toEqual(['a', 'b', 'c', 'a']);
  });

  it('end when the calls under way have: one is not cut off because its certificate was evicted', async () => {
    const held: ServerResponse[] = [];
    const { certificate: cert, key } = issueCertificate(authority, 'slow');
    const slow = createServer({ cert, key }, (_, response) => void held.push(response)).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    opened(1);
    const waiting = call(of(client), 1, urlOf(slow));
    await eventually(() => expect(held).toHaveLength(1));
    expect((await call(of(issueCertificate(authority, 'next')))).status).toBe(202);
    held[0]?.end('done');
    expect((await waiting).text).toBe('done');
    slow.close();
  });

  it(`with one certificate lead to ${certificateLimits.origins} origins at a time, and not to one more`, async () => {
    const sockets: Socket[] = [];
    const silent = Array.from({ length: certificateLimits.origins + 1 }, () =>
      createListener((socket) => void sockets.push(socket)).listen(0, '127.0.0.1'),
    );
    await Promise.all(silent.map((one) => once(one, 'listening')));
    const [last = '', ...others] = silent.map((one) => `https://127.0.0.1:${(one.address() as AddressInfo).port}`);
    opened();
    const calls = others.map((at) => call(of(client), 1, at).catch((error) => error));
    // Each has the connection that is closed before the trial, and that of the trial.
    await eventually(() => expect(sockets).toHaveLength(2 * others.length));
    await expect(call(of(client), 1, last)).rejects.toBeInstanceOf(Overloaded);
    for (const socket of sockets) socket.destroy();
    expect(await Promise.all(calls)).toMatchObject(others.map(() => ({ kind: 'unreachable' })));
    for (const one of silent) one.close();
  });
});
