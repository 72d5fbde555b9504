import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterLimits } from '../../src/cluster/cluster-limits.js';
import { withReceiver } from '../deliveries/receiver.js';
import { addWallet, addWebhook, loadDeliveries } from '../deliveries/scene.js';
import { NameServer } from '../outbound/name-server.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { effortOf } from '../support/effort.js';
import { eventually } from '../support/eventually.js';
import { hostileChain } from '../support/hostile-chain.js';
import { type RunningServer, startServer } from '../support/server.js';

let names: NameServer;
let server: RunningServer;
const receiver = withReceiver();
beforeAll(async () => {
  names = await NameServer.start();
  server = await startServer({ deliveryAllowPrivate: true, names: { servers: [names.address] } });
});
afterAll(async () => {
  await server.stop();
  names.stop();
});

/** A ledger with so many webhooks, at hosts of its own choice. */
async function attacker(endpoint: (index: number) => string, count: number) {
  const client = await newLedger(server.url, { access: OPEN });
  for (let index = 0; index < count; index += 1) await addWebhook(client, `hook-${index}`, endpoint(index));
  return client;
}

/** A ledger whose webhook is a host by name. */
async function subscriber() {
  const host = `good-${Math.random().toString(36).slice(2)}.example`;
  names.names.set(host, ['127.0.0.1']);
  const client = await newLedger(server.url, { access: OPEN });
  await addWebhook(client, 'hook', receiver.url.replace('127.0.0.1', host));
  return client;
}

/** Writes to a ledger, and waits until its webhook is told. On a busy machine an event may come twice. */
async function expectTold(client: TestClient, handle: string): Promise<void> {
  const { luid } = await addWallet(client, handle);
  await eventually(() => expect(receiver.received.map(({ body }) => body.data.wallet.luid)).toContain(luid));
}

describe('one write with many webhooks', () => {
  it('at names whose name server is silent delays no delivery to a name of another tenant', async () => {
    const count = 60;
    const hosts = Array.from({ length: count }, (_, index) => `silent-${index}.example`);
    for (const host of hosts) names.silent.add(host);
    const hostile = await attacker((index) => `https://${hosts[index]}/`, count);
    const others = await subscriber();
    await addWallet(hostile, 'begun');
    await eventually(() =>
      expect(names.questions().filter((name) => name.startsWith('silent-')).length).toBeGreaterThan(0),
    );
    for (let round = 0; round < 12; round += 1) {
      await expectTold(others, `w-${round}`);
    }
    // They came while the others were still waited for.
    const rows = await eventually(async () => {
      const found = await loadDeliveries(server.database.url, hostile);
      expect(found.every(({ attempts }) => attempts > 0)).toBe(true);
      return found;
    });
    expect(rows).toHaveLength(count);
    expect(JSON.stringify(rows)).toContain('getaddrinfo EAI_AGAIN silent-');
  });

  const authority = makeAuthority('authority');
  const identity = () => {
    const { certificate: cert, key } = issueCertificate(authority, 'hostile', 'rsa');
    return { cert, key };
  };

  it.each<[string, () => ServerOptions]>([
    [
      'that offer DHE alone',
      () => ({ ...identity(), maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }),
    ],
    ['whose certificates take seconds to verify', () => hostileChain(60)],
    ['whose certificates take as long as there is room for', () => hostileChain(10)],
  ])('at hosts %s leaves the event loop to others', async (_, options) => {
    const count = 24;
    const hosts = Array.from({ length: count }, () => createServer(options()).listen(0, '127.0.0.1'));
    await Promise.all(hosts.map((host) => once(host, 'listening')));
    try {
      const hostile = await attacker(
        (index) => `https://127.0.0.1:${(hosts[index]!.address() as AddressInfo).port}/`,
        count,
      );
      const others = await subscriber();
      const delay = monitorEventLoopDelay({ resolution: 20 });
      delay.enable();
      const spent = await effortOf(async () => {
        await addWallet(hostile, 'begun');
        for (let round = 0; round < 3; round += 1) {
          await expectTold(others, `w-${round}`);
        }
        await eventually(async () => {
          const rows = await loadDeliveries(server.database.url, hostile);
          // Those that its ledger has no time for are put off, without an attempt.
          expect(rows.some(({ attempts }) => attempts > 0)).toBe(true);
          expect(rows.filter(({ attempts, status }) => attempts === 0 && status !== 'pending')).toEqual([]);
        });
      });
      delay.disable();
      // One connection of each took a second or two.
      expect(spent).toBeLessThan(20_000);
      expect(delay.max / 1e6).toBeLessThan(clusterLimits.standstill / 2);
    } finally {
      for (const host of hosts) host.close();
    }
  });
});
