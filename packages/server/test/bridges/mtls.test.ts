import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { Secret } from '../../src/base/secret.js';
import { BridgeSecurityError } from '../../src/bridges/security.js';
import { limits } from '../../src/limits.js';
import { createOutbound } from '../../src/outbound/client.js';
import { type ClientCertificate, UnusableCertificate } from '../../src/outbound/client-certificate.js';
import type { Outbound } from '../../src/outbound/outbound.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { issueCertificate, makeAuthority, type TestCertificate } from '../support/certificates.js';
import { expectRefusal } from '../support/checks.js';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/server.js';
import { bridgedLedger, calling, mtls, oauth2, rules, type Secure, withTokenEndpoint } from './scene.js';

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

const pem = (key: KeyObject, more: object = {}) =>
  String(
    key.export({ type: 'pkcs8', format: 'pem', ...more } as Parameters<KeyObject['export']>[0] & { format: 'pem' }),
  );

/** An RSA key whose private exponent is longer than its modulus. Its DER is made here: later releases of OpenSSL make no such key. */
function withLongExponent(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const { n, e, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
  const bytesOf = (part = '') => Buffer.from(part, 'base64url');
  const parts = [bytesOf(n), bytesOf(e), Buffer.alloc(300, 0xff), ...[p, q, dp, dq, qi].map(bytesOf)];
  const der = toDer(0x30, Buffer.concat([Buffer.of(0), ...parts].map(toDerInteger)));
  return `-----BEGIN RSA PRIVATE KEY-----\n${der.toString('base64')}\n-----END RSA PRIVATE KEY-----\n`;
}

/** A positive integer in DER. @param bytes the greatest first */
function toDerInteger(bytes: Buffer): Buffer {
  return toDer(0x02, bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
}

function toDer(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const UNREADABLE = 'The private key cannot be read';
const NOT_TAKEN = 'The private key is of a kind that is not taken';
const NO_CERTIFICATE = 'The certificate cannot be read';
const NOT_ITS_OWN = 'The private key is not that of the certificate';
const { chain: mostChain, key: mostKey } = limits.certificates;

describe('a certificate that cannot be used', () => {
  it.each<[string, () => { certificate: string; key: string }, string]>([
    ['no certificate', () => ({ ...client, certificate: 'certificate' }), NO_CERTIFICATE],
    ['a broken one', () => ({ ...client, certificate: client.certificate.replace(/M/g, 'N') }), NO_CERTIFICATE],
    ['no key', () => ({ ...client, key: 'key' }), UNREADABLE],
    ['a broken key', () => ({ ...client, key: client.key.replace(/M/g, 'N') }), UNREADABLE],
    ['a public key', () => ({ ...client, key: publicPem() }), UNREADABLE],
    ['a key with a passphrase', () => ({ ...client, key: locked() }), UNREADABLE],
    ['the key of another', () => ({ ...client, key: stranger.key }), NOT_ITS_OWN],
    ['a curve that is not of TLS', () => issueCertificate(authority, 'k1', 'secp256k1'), NOT_TAKEN],
    ['a DSA key', () => ({ ...client, key: dsa() }), NOT_TAKEN],
    ['an RSA key of 4104 bits', () => ({ ...client, key: rsa(4_104) }), NOT_TAKEN],
    ['an RSA key of 4096 bits, of another', () => ({ ...client, key: rsa(4_096) }), NOT_ITS_OWN],
    ['an RSA key with a long exponent', () => ({ ...client, key: withLongExponent() }), NOT_TAKEN],
    [
      `${mostChain + 1} characters`,
      () => ({ ...client, certificate: ' '.repeat(mostChain + 1) }),
      'The certificate is too long',
    ],
    [`a key of ${mostKey + 1}`, () => ({ ...client, key: ' '.repeat(mostKey + 1) }), 'The private key is too long'],
  ])('%s: is told as that, and there is no call', async (_, made, why) => {
    const failure = await called(rules(mtls(made()), oauth2(endpoint.url)));
    expect(failure).toBeInstanceOf(BridgeSecurityError);
    expect(failure.message).toBe(`Security rule #1 of bridge 'bank' cannot be used: ${why}`);
    expect([seen, endpoint.received]).toEqual([[], []]);
  });

  it('may be as long as the limit', async () => {
    const { certificate, key } = client;
    expect(
      await called(mtls({ certificate: certificate.padEnd(mostChain, '\n'), key: key.padEnd(mostKey, '\n') })),
    ).toBe(202);
  });

  it('is an error of forwarding, which tells nothing', async () => {
    const secure = listed(mtls({ ...client, key: 'key' }));
    const ledger = await forwardingLedger(server.current.url, url, [aspect('read', 'proxy')], secure);
    const detail = 'Unexpected error while forwarding request to bridge';
    expectRefusal(await ledger.get('/anchors/a'), ledger, 'forward.unexpected-error', detail);
  });
});

function publicPem(): string {
  return String(createPublicKey(client.certificate).export({ type: 'spki', format: 'pem' }));
}

function locked(): string {
  return pem(client.privateKey, { cipher: 'aes-256-cbc', passphrase: 'x' });
}

function rsa(modulusLength: number): string {
  return pem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
}

function dsa(): string {
  return pem(generateKeyPairSync('dsa', { modulusLength: 1_024, divisorLength: 160 }).privateKey);
}

describe('connections with a certificate', () => {
  let outbound: Outbound;
  afterEach(() => outbound.close());

  const opened = (certificates: number = limits.certificates.count) => {
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
    await expect(call(of({ ...client, key: stranger.key }))).rejects.toBeInstanceOf(UnusableCertificate);
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

  it(`with one certificate lead to ${limits.certificates.origins} origins at a time, and not to one more`, async () => {
    const silent = Array.from({ length: limits.certificates.origins + 1 }, () =>
      createListener().listen(0, '127.0.0.1'),
    );
    await Promise.all(silent.map((one) => once(one, 'listening')));
    const [last = '', ...others] = silent.map((one) => `https://127.0.0.1:${(one.address() as AddressInfo).port}`);
    opened();
    const connected = silent.slice(1).map((one) => once(one, 'connection'));
    const calls = others.map((at) => call(of(client), 1, at).catch((error) => error));
    const sockets = (await Promise.all(connected)).flat() as Socket[];
    await expect(call(of(client), 1, last)).rejects.toBeInstanceOf(Overloaded);
    for (const socket of sockets) socket.destroy();
    expect(await Promise.all(calls)).toMatchObject(others.map(() => ({ kind: 'unreachable' })));
    for (const one of silent) one.close();
  });
});
