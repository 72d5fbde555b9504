import { describe, expect, it } from 'vitest';
import { isPublic } from '../../src/outbound/addresses.js';

/** First and last address of each block that is not public, and its neighbours that are. */
const BLOCKS: readonly (readonly [name: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['this network', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['private, 10/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['shared, 100.64/10', ['100.64.0.0', '100.100.100.200', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['link-local', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['private, 172.16/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['protocol assignments', ['192.0.0.0', '192.0.0.192', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['documentation', ['192.0.2.0', '198.51.100.7', '203.0.113.255'], ['192.0.3.0', '198.51.99.255', '203.0.114.0']],
  ['6to4 relays', ['192.88.99.1'], ['192.88.98.255', '192.88.100.0']],
  [
    'the services of clouds',
    ['168.63.129.16', '161.26.0.10', '166.8.0.0', '166.11.255.255'],
    ['168.63.129.15', '168.63.129.17', '161.27.0.0', '166.12.0.0'],
  ],
  ['private, 192.168/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['benchmarks', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['multicast', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['reserved and broadcast', ['240.0.0.0', '255.255.255.255'], []],
  ['IPv6 unspecified and loopback', ['::', '::1', '0:0:0:0:0:0:0:1'], []],
  ['IPv6 compatible with IPv4', ['::8.8.8.8', '::127.0.0.1'], []],
  ['IPv4 mapped to IPv6', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::FFFF:10.0.0.1'], []],
  ['IPv4 translated', ['::ffff:0:127.0.0.1'], []],
  ['NAT64 of what is not public', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::a9fe:a9fe'], ['64:ff9b::8.8.8.8']],
  ['NAT64 of local use', ['64:ff9b:1::1'], []],
  ['discarded', ['100::1'], []],
  ['unique-local', ['fc00::', 'fd00:ec2::254', 'fdff:ffff::1'], []],
  ['link-local', ['fe80::1', 'fe80::1%eth0', 'febf::1'], []],
  ['site-local', ['fec0::1'], []],
  ['multicast', ['ff00::', 'ff02::1', 'ffff::1'], []],
  ['Teredo and protocols', ['2001::1', '2001:0:7f00:1::', '2001:1ff:ffff::'], ['2001:200::1', '2001:4860:4860::8888']],
  ['documentation', ['2001:db8::1', '3fff::1'], ['2001:db9::1', '3ffe:ffff::1']],
  ['6to4', ['2002::1', '2002:7f00:1::1'], ['2003::1']],
  ['outside of global unicast', ['1fff::1', '4000::1', '5f00::1', '8000::1'], ['2000::1', '2606:4700::1111']],
];

describe('an address', () => {
  it.each(BLOCKS)('is judged by its block: %s', (_, inside, outside) => {
    for (const address of inside) expect(isPublic(address), address).toBe(false);
    for (const address of outside) expect(isPublic(address), address).toBe(true);
  });

  it.each([
    '',
    'localhost',
    '8.8.8',
    '8.8.8.8.',
    '0x7f.1',
    '010.8.8.8',
    '[2606:4700::1]',
    '8.8.8.8/32',
    ' 8.8.8.8',
    '2606::1%1',
  ])('that is none is not public: %j', (text) => {
    expect(isPublic(text)).toBe(false);
  });
});
