import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { withoutBrackets } from './addresses.js';
import { HandshakeStream } from './handshake-stream.js';
import type { Handshake, Handshakes } from './handshakes.js';
import { handshakeLimits } from './outbound-limits.js';
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
  return (options, callback) => {
    if (options.protocol !== 'https:') return connect(options, callback);
    const port = options.port || '443';
    const host = hostKey(options.hostname, port);
    const done = (error: Error) => callback(error, null);
    try {
      handshakes.assertMayBegin(ledger, host);
    } catch (error) {
      return done(error as Error);
    }
    connect({ ...options, protocol: 'http:', port }, (...[error, socket]) => {
      if (error) return done(error);
      const tried = { ledger, host, address: socket.remoteAddress ?? '', port: Number(port), ...nameOf(options) };
      const shake = async () => {
        await trials.pass(tried);
        const handshake = handshakes.begin(ledger, host);
        try {
          return await shakeHands(secure, options, socket, handshake);
        } finally {
          if (handshake.spent > handshakeLimits.quick) trials.forget(tried);
        }
      };
      shake().then(
        (made) => callback(null, made),
        (failure) => {
          socket.destroy();
          done(failure);
        },
      );
    });
  };
}

/** A host as handshakes name it. */
export function hostKey(hostname: string, port: string): string {
  return `${withoutBrackets(hostname)}:${port}`;
}

/** The name that the host is asked for by; none where it is an address. */
function nameOf({ servername, hostname }: buildConnector.Options): { readonly servername?: string } {
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
