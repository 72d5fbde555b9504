import { afterAll, beforeAll, expect, it } from 'vitest';
import { withReceiver } from '../deliveries/receiver.js';
import { addWallet, subscribedLedger, untilDeliveries } from '../deliveries/scene.js';
import { miscounted } from '../support/counted.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { exported, imported, verified } from './support.js';

const PASSPHRASE = 'correct horse';
const receiver = withReceiver();

let from: RunningServer;
let into: RunningServer;

beforeAll(async () => {
  from = await startServer({ deliveryAllowPrivate: true });
  into = await startServer({ deliveryAllowPrivate: true });
});
afterAll(async () => {
  await from.stop();
  await into.stop();
});

it('a delivery that was set aside goes on where its ledger is imported (export)', async () => {
  receiver.instead = (_, response) => response.writeHead(500).end();
  const client = await subscribedLedger(from.url, receiver.url);
  await addWallet(client, 'ann');
  await untilDeliveries(from.database.url, client, ['failed']);
  await runSql(from.database.url, 'update delivery set tries = 6, aside = now(), due = null');
  const text = await exported(from, client.ledger!, { passphrase: PASSPHRASE });
  expect((await verified(text)).told).toEqual([]);
  // What was imported counts for the quota, deliveries and secrets included.
  expect(await miscounted(into.database.url)).toEqual([]);
  receiver.instead = undefined;
  expect(await imported(into, text, { passphrase: PASSPHRASE })).toEqual([]);
  await untilDeliveries(into.database.url, client, ['delivered']);
});
