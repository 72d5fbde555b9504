import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, expect, it } from 'vitest';
import { outcomeOfError } from '../../src/deliveries/outcome.js';
import { createOutbound } from '../../src/outbound/client.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';

const authority = makeAuthority('authority');
/** Static RSA and DHE suites sign or decrypt with an RSA key. */
const identity = issueCertificate(authority, 'service', 'rsa');
const outbound = createOutbound({ allowPrivate: true, ca: authority.certificate });
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => outbound.close());

/** The protocol, suite and group of a call to a service with these options; its failure where there is none. */
async function spoken(options: ServerOptions): Promise<unknown> {
  const { certificate: cert, key } = identity;
  server = createServer({ cert, key, ...options }, ({ socket }, response) => {
    const { version, name } = (socket as TLSSocket).getCipher();
    response.end(`${version} ${name}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = { ledger: 1, method: 'GET', url, headers: {}, within: 15_000 } as const;
  return outbound.send(call).then(
    ({ text }) => text,
    (error) => error,
  );
}

it.each<[string, ServerOptions, RegExp]>([
  ['TLS 1.3', {}, /^TLSv1\.3 TLS_/],
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }, /^TLSv1\.2 ECDHE-RSA-AES\d+-GCM/],
  [
    'an older suite with ECDHE',
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256' },
    /ECDHE-RSA-AES128-SHA256$/,
  ],
  ['P-521 alone', { ecdhCurve: 'P-521' }, /^TLSv1\.3/],
])('calls are made by %s', async (_, options, expected) => {
  expect(await spoken(options)).toMatch(expected);
});

it.each<[string, ServerOptions]>([
  ['DHE alone', { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }],
  ['static RSA alone', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
  ['TLS 1.3 with a finite field', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe4096' }],
  ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
])('a service that offers %s is refused at once, and it is said why', async (_, options) => {
  const failure = await spoken(options);
  expect(failure).toMatchObject({ name: 'OutboundFailure', kind: 'unreachable', code: 'EPROTO' });
  expect((failure as Error).message).toMatch(/^127\.0\.0\.1:\d+: no handshake of TLS 1\.3, or 1\.2 with ECDHE: /);
  expect(outcomeOfError(failure, 'https://127.0.0.1/').detail).toEqual({
    code: 'EPROTO',
    message: '127.0.0.1 does not speak TLS 1.3, or 1.2 with ECDHE',
  });
});
