import { BlockList, isIP } from 'node:net';

/** IPv4 outside the public Internet (the registry of special-purpose addresses, RFC 6890 and its successors, and of clouds). */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Services that a cloud offers to its machines alone: of Azure one address, of IBM two networks. Those of others are link-local,
  // shared, unique-local, or in a block of protocol assignments.
  ['168.63.129.16', 32],
  ['161.26.0.0', 16],
  ['166.8.0.0', 14],
  // Link-local, which includes the metadata services of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
];

/** Special-purpose parts of global unicast IPv6: Teredo and other protocols, documentation, 6to4. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** The prefix by which NAT64 maps IPv4 into IPv6 (RFC 6052): such an address is as public as the one in it. */
const NAT64 = '64:ff9b::';

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) {
  special.addSubnet(network, prefix, 'ipv4');
  special.addSubnet(NAT64 + network, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');

/** All IPv6 that can be public. Mapped IPv4, unique-local, link-local, multicast and the rest lie outside. */
const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');
unicast.addSubnet(NAT64, 96, 'ipv6');

/**
 * SSRF guard: whether an address belongs to the public Internet. Through any other address a client could reach, by way
 * of the server, loopback, private and link-local networks, and metadata services.
 *
 * @param address as a resolver gives it, or the host of a URL, brackets removed; false for anything else
 */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      // A zone (`%eth0`) names an interface of this machine.
      return !address.includes('%') && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** A host of a URL as connections have it: an IPv6 address without its brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
