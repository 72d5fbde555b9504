import type { LookupAddress } from 'node:dns';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Guard } from '../../src/outbound/guarded-connector.js';
import { newLedger, OPEN } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, addWebhook, customsOf, loadDeliveries, MovedClock, untilDeliveries } from './scene.js';

const PRIVATE = '10.20.30.40';

/** Addresses that names lead to, one after the other; the last one stays. */
const names = new Map<string, string[]>();
const asked: string[] = [];

/** The address of this machine stands for a public one, and all others are private. */
const guard = {
  allowed: (address: string) => address === '127.0.0.1',
  resolver: (host: string, _: object, done: (error: Error | null, found?: LookupAddress[]) => void) => {
    asked.push(host);
    const addresses = names.get(host) ?? [];
    const address = addresses.length > 1 ? addresses.shift() : addresses[0];
    if (address !== undefined) return done(null, [{ address, family: 4 }]);
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  },
} as unknown as Guard;

const clock = new MovedClock();
const running = withServer({ guard, runtime: clock.runtime });
/** With the guard of operation. */
const strict = withServer();
const receiver = withReceiver();

beforeEach(() => {
  names.clear();
  asked.length = 0;
});

const refused = (host: string) => ({
  status: 'failed',
  reason: 'delivery.target-unreachable',
  detail: { code: 'EACCES', message: `${host} leads to an address that is not public` },
});

describe('a webhook whose name leads to a private address', () => {
  it('the second time is not called again, and proofs name the host and no address', async () => {
    const { url, database } = running.current;
    names.set('receiver.example', ['127.0.0.1', PRIVATE]);
    // Else the connection is used again, which was made to the address that was judged.
    receiver.instead = (_, response) => response.writeHead(503, { connection: 'close' }).end();
    const client = await newLedger(url, { access: OPEN });
    await addWebhook(client, 'hook', `http://receiver.example:${new URL(receiver.url).port}/`);
    await addWallet(client, 'ann');
    const [row] = await eventually(async () => {
      clock.ahead += 1_000;
      const rows = await loadDeliveries(database.url, client);
      expect(rows[0]?.attempts).toBeGreaterThan(3);
      return rows;
    });
    expect(receiver.received).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(3);
    const [first, ...others] = customsOf(row!);
    expect(first).toEqual({ status: 'failed', reason: 'delivery.target-rejected', detail: { httpStatus: 503 } });
    expect(others).toEqual(others.map(() => refused('receiver.example')));
    expect(JSON.stringify([row, await client.get('/effects/hook')])).not.toContain(PRIVATE);
  });

  it('through a bridge is not called', async () => {
    const { url, database } = running.current;
    names.set('bridge.example', [PRIVATE]);
    const client = await newLedger(url, { access: OPEN });
    const config = { server: `http://bridge.example:${new URL(receiver.url).port}` };
    await stored(client, 'bridge', { handle: 'bank', schema: 'rest', config, secure: [] });
    await stored(client, 'effect', { handle: 'told', signal: 'wallet-created', action: { bridge: 'bank' } });
    await addWallet(client, 'ann');
    const [row] = await untilDeliveries(database.url, client, ['failed']);
    expect(customsOf(row!)[0]).toEqual(refused('bridge.example'));
    expect(receiver.received).toEqual([]);
  });

  it('is told apart from one whose name leads nowhere', async () => {
    const { url, database } = running.current;
    const client = await newLedger(url, { access: OPEN });
    await addWebhook(client, 'hook', 'http://nowhere.example/');
    await addWallet(client, 'ann');
    const [row] = await untilDeliveries(database.url, client, ['failed']);
    expect(customsOf(row!)[0]).toMatchObject({
      detail: { code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND nowhere.example' },
    });
  });

  it.each(['localhost', '127.0.0.1', '[::1]', '0x7f.1', '2130706433'])('as %s is not called', async (host) => {
    const { url, database } = strict.current;
    const client = await newLedger(url, { access: OPEN });
    const { port } = new URL(receiver.url);
    await addWebhook(client, 'hook', `http://${host}:${port}/`);
    await addWallet(client, 'ann');
    const [row] = await eventually(async () => {
      const rows = await loadDeliveries(database.url, client);
      expect(rows[0]?.attempts).toBeGreaterThan(0);
      return rows;
    });
    expect(customsOf(row!)[0]).toEqual(refused(new URL(`http://${host}/`).hostname));
    expect(receiver.received).toEqual([]);
  });
});
