import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { withoutBrackets } from './addresses.js';
import { HandshakeStream } from './handshake-stream.js';
import type { Handshake, Handshakes } from './handshakes.js';
import { handshakeLimits } from './outbound-limits.js';
import type { TriedHost } from './trial-messages.js';
import type { Trials } from './trials.js';

/**
 * Suites that agree on a key by ephemeral elliptic curves: of TLS 1.3, then of TLS 1.2. A server chooses the numbers of other
 * exchanges, and a Diffie-Hellman modulus of 10,000 bits takes a second of the event loop.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
  'ECDHE+AES',
  '!aNULL',
  '!PSK',
].join(':');

/** Without the groups of finite fields, which servers of TLS 1.3 could choose as well. */
const KEY_EXCHANGE_GROUPS = 'X25519:P-256:P-384:P-521';

/** The protocols that undici asks for in a handshake. */
export const ALPN = ['http/1.1'] as const;

/**
 * How all connections to services outside are encrypted (docs/operations/settings.md, decision 0013): TLS 1.2 or 1.3, and key exchanges
 * of bounded time. A server may not ask for another handshake on a connection.
 *
 * @throws Error for what OpenSSL does not take
 */
export function makeSecureContext(more: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>): SecureContext {
  return createSecureContext({
    ...more,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ecdhCurve: KEY_EXCHANGE_GROUPS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
}

type Connector = buildConnector.connector;

/**
 * Connects by `connect`, and for https makes the handshake on that connection.
 *
 * @param ledger that the connections are made for
 * @param timeout milliseconds that the handshake may take
 * @param trials tells hosts whose handshakes would take long
 */
export function makeSecureConnector(
  connect: Connector,
  handshakes: Handshakes,
  ledger: number,
  tls: { readonly timeout: number; readonly secureContext: SecureContext },
  trials: Trials,
): Connector {
  const secure = buildConnector(tls);
  const make = async (options: buildConnector.Options) => {
    const port = options.port || '443';
    const host = hostKey(options.hostname, port);
    handshakes.assertMayBegin(ledger, host);
    const first = await open(connect, { ...options, protocol: 'http:', port });
    let socket = first;
    try {
      const tried = { ledger, host, address: addressOf(first), port: Number(port), ...serverNameOf(options) };
      if (!trials.isPassed(tried)) socket = await tryFirst(tried, first, options);
      const handshake = handshakes.begin(ledger, host);
      try {
        return await shakeHands(secure, options, socket, handshake);
      } finally {
        if (handshake.spent > handshakeLimits.quick) trials.forget(tried);
      }
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  // Some hosts serve one connection at a time, and some wait for none that is silent.
  const tryFirst = async (tried: TriedHost, socket: Socket, options: buildConnector.Options) => {
    socket.destroy();
    await trials.make(tried);
    return open(connect, { ...options, protocol: 'http:', port: String(tried.port), hostname: tried.address });
  };
  return (options, callback) => {
    if (options.protocol !== 'https:') return connect(options, callback);
    make(options).then(
      (made) => callback(null, made),
      (error) => callback(error, null),
    );
  };
}

function open(connect: Connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  });
}

/** The address of the other side. @throws Error when the connection is lost already: the system then knows none */
function addressOf({ remoteAddress = '' }: Socket): string {
  if (isIP(remoteAddress) !== 0) return remoteAddress;
  throw Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });
}

/** A host as handshakes name it. */
export function hostKey(hostname: string, port: string): string {
  return `${withoutBrackets(hostname)}:${port}`;
}

/** The name that the host is asked for by; none where it is an address. */
function serverNameOf({ servername, hostname }: buildConnector.Options): { readonly servername?: string } {
  const name = servername || withoutBrackets(hostname);
  return isIP(name) === 0 ? { servername: name } : {};
}

async function shakeHands(
  secure: Connector,
  options: buildConnector.Options,
  socket: Socket,
  handshake: Handshake,
): Promise<Socket> {
  const stream = new HandshakeStream(socket, handshake);
  try {
    return await new Promise<Socket>((resolve, reject) => {
      // The type asks for a socket; any stream is taken in its place.
      const httpSocket = stream as unknown as Socket;
      secure({ ...options, httpSocket }, (...[error, secured]) => (error ? reject(error) : resolve(secured)));
    });
  } finally {
    stream.finish();
  }
}
