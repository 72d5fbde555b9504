import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isPublic } from './addresses.js';
import { OutboundFailure } from './outbound.js';

/** What connections over https are made with. */
export interface TlsOptions {
  /** PEM of the authorities that services are verified by; those of Node.js unless given. */
  readonly ca?: string;
  /** Takes the place of `ca`, and may hold a client certificate. */
  readonly secureContext?: SecureContext;
}

/**
 * Connects to public addresses only. The address is judged when the connection is made to it, not when the URL is
 * stored or the name first resolved, so a name that means something else a moment later gets nobody in.
 *
 * @param timeout milliseconds for a connection to come about
 * @param allowed which addresses may be connected to
 * @param resolver tells the addresses of a name; the system's unless given
 */
export function guardedConnector(
  timeout: number,
  allowed: (address: string) => boolean = isPublic,
  resolver: typeof resolve = resolve,
  tls: TlsOptions = {},
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first, ...others] = addresses.filter(({ address }) => allowed(address));
      if (!first) return callback(refusedAddress(hostname), '', 0);
      if (options.all) callback(null, [first, ...others]);
      else callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ timeout, lookup, ...tls });
  return (options, callback) => {
    // A host that is an address is never looked up.
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !allowed(host)) callback(refusedAddress(host), null);
    else connect(options, callback);
  };
}

function refusedAddress(host: string): OutboundFailure {
  return new OutboundFailure('refused', `${host} is not on the public Internet`);
}
