import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { newLedger, OPEN } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { TestReceiver, withReceiver } from './receiver.js';
import { addWallet, loadDeliveries, subscribedLedger } from './scene.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

async function countDelivered(): Promise<number> {
  const { registry } = running.current.server.metrics;
  const { values } = await registry.getSingleMetric('countersign_delivery_attempts_total')!.get();
  return values.find(({ labels }) => labels.outcome === 'delivered')?.value ?? 0;
}

it('an effect that raises itself twice each time, by way of a bridge, is bounded, seen, and ends with the effect', async () => {
  const { url, database } = running.current;
  const client = await newLedger(url, { access: OPEN });
  const bridge = new TestReceiver();
  await bridge.start();
  let [made, underWay, most] = [0, 0, 0];
  bridge.instead = (_, response: ServerResponse) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const create = async () => {
      made += 1;
      // The ledger may have more to do than it takes at once: the bridge does not mind.
      await addWallet(client, `w-${made}`).catch(() => {});
    };
    void Promise.all([create(), create()]).then(() => {
      underWay -= 1;
      response.writeHead(202).end();
    });
  };
  await stored(client, 'bridge', { handle: 'self', schema: 'rest', config: { server: bridge.url }, secure: [] });
  await stored(client, 'effect', { handle: 'loop', signal: 'wallet-created', action: { bridge: 'self' } });
  const other = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'first');
  await eventually(() => expect(bridge.received.length).toBeGreaterThan(60));

  // Another ledger is read, and told of what it asked for, and the loop is in the metrics.
  const before = await countDelivered();
  await addWallet(other, 'there');
  expect((await other.get('/wallets/there')).status).toBe(200);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await eventually(async () => expect(await countDelivered()).toBeGreaterThan(before + 1));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(deliveryLimits.width.greatest);

  ok(await client.drop('/effects/loop', (await client.get('/effects/loop')).body));
  const last = bridge.received.length;
  const rows = await eventually(async () => {
    const found = await loadDeliveries(database.url, client);
    expect(found.filter(({ due }) => due !== null)).toEqual([]);
    return found;
  });
  expect(bridge.received.length).toBeLessThanOrEqual(last + deliveryLimits.width.greatest);
  expect(rows.filter(({ status }) => status === 'delivered')).toHaveLength(bridge.received.length);
  await bridge.stop();
});
