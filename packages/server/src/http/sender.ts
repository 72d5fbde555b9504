import { isIPv4, isIPv6 } from 'node:net';

/** What proxies write about a client beside its address: a port, and brackets around IPv6. */
const PORT_OR_BRACKETS = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** Those whose address cannot be read count as one. */
const UNKNOWN_SENDER = 'unknown';

/**
 * Who a request counts for: its address, without a port. Of IPv6 the network of 56 bits, all of whose addresses one customer may have
 * (RFC 6177); an IPv4 address is the same however it is spelt.
 */
export function senderOf(given: string): string {
  const [, ipv4, ipv6] = PORT_OR_BRACKETS.exec(given) ?? [];
  const address = ipv4 ?? ipv6 ?? given;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return UNKNOWN_SENDER;
  const [start = '', end] = address.replace(/%.*$/, '').split('::');
  const before = start === '' ? [] : start.split(':');
  const after = end === undefined || end === '' ? [] : end.split(':');
  const zeros = end === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group, at) => (Number.parseInt(group, 16) & (at === 3 ? 0xff00 : 0xffff)).toString(16))
    .join(':');
}
