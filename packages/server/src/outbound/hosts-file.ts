import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** Addresses by name. */
export type Hosts = ReadonlyMap<string, readonly LookupAddress[]>;

/** Where the system keeps names of its own. */
export const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** What a hosts file says (hosts(5)): in each line an address, and its names. Lines that say anything else are passed over. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}

const LOOPBACK_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The addresses of a name that no name server is asked for: of the file, or `localhost` and names below it (RFC 6761). */
export function addressesHere(hosts: Hosts, name: string): readonly LookupAddress[] | undefined {
  return hosts.get(name) ?? (/^(?:.*\.)?localhost$/.test(name) ? LOOPBACK_ADDRESSES : undefined);
}
