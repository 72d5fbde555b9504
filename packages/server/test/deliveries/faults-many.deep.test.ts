import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { newLedger, OPEN } from '../support/client.js';
import { withServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, addWebhook, loadDeliveries, subscribedLedger, untilDeliveries } from './scene.js';

const running = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

/** As many as a ledger may have, where there is time for it. */
const MANY = process.env.LONG_TESTS ? 1_000 : 150;

it(`one write that ${MANY} effects ask for is one event, delivered to each, and other ledgers go on`, async () => {
  const { url, database } = running.current;
  const client = await newLedger(url, { access: OPEN });
  const names = Array.from({ length: MANY }, (_, at) => `e-${at}`);
  const left = [...names];
  const lane = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await addWebhook(client, name, `${receiver.url}/${name}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  const other = await subscribedLedger(url, `${receiver.url}/other`);
  const held: ServerResponse[] = [];
  receiver.instead = ({ path }, response) => {
    if (path === '/other') response.writeHead(202).end();
    else held.push(response);
  };
  await addWallet(client, 'ann');
  expect(await loadDeliveries(database.url, client)).toHaveLength(MANY);
  await addWallet(other, 'bob');
  await untilDeliveries(database.url, other, ['delivered']);
  expect(held.length).toBeLessThanOrEqual(deliveryLimits.width.first);
  receiver.instead = undefined;
  for (const response of held) response.writeHead(202).end();
  await untilDeliveries(database.url, client, Array(MANY).fill('delivered'));
  const received = receiver.received.filter(({ path }) => path !== '/other');
  expect(received.map(({ path }) => path).sort()).toEqual(names.map((name) => `/${name}`).sort());
  expect(new Set(received.map(({ body }) => body.data.handle)).size).toBe(1);
});
