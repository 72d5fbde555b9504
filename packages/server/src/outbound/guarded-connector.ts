import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublic, withoutBrackets } from './addresses.js';
import { OutboundFailure } from './outbound.js';

/** Resolves a name to its addresses. */
export type ResolveName = (
  hostname: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** What the guard asks. */
export interface Guard {
  /** Whether to connect to an address; to public ones unless given. */
  readonly allowed?: (address: string) => boolean;
  /** Resolves names; as the system does, unless given. */
  readonly resolver?: ResolveName;
}

/**
 * SSRF guard: connects to public addresses only. The address is checked when the connection is made, rather than when
 * the URL is stored or the name first resolved: this defeats DNS rebinding.
 *
 * @param timeout milliseconds to connect
 * @param allowed whether to connect to an address
 * @param resolver resolves names
 */
export function makeGuardedConnector(
  timeout: number,
  allowed: (address: string) => boolean = isPublic,
  resolver: ResolveName,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolver(hostname, { all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first, ...others] = addresses.filter(({ address }) => allowed(address));
      if (!first) return callback(refuseAddress(hostname), '', 0);
      if (options.all) callback(null, [first, ...others]);
      else callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ timeout, lookup });
  return (options, callback) => {
    // A host that is an address skips the lookup, so it is checked here.
    const host = withoutBrackets(options.hostname);
    if (isIP(host) !== 0 && !allowed(host)) callback(refuseAddress(host), null);
    else connect(options, callback);
  };
}

function refuseAddress(host: string): OutboundFailure {
  return new OutboundFailure('refused', `${host} is not on the public Internet`);
}
