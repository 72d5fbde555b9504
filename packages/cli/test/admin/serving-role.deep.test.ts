import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withReceiver } from '../../../server/test/deliveries/receiver.js';
import { addWebhook } from '../../../server/test/deliveries/scene.js';
import { MAY_ERASE } from '../../../server/test/erasure/support.js';
import { withBridges } from '../../../server/test/money/bridge.js';
import { bridgedScene } from '../../../server/test/money/bridge-scene.js';
import { checkBooks } from '../../../server/test/money/invariants.js';
import type { MoneyScene } from '../../../server/test/money/scene.js';
import { transfer } from '../../../server/test/money/scene.js';
import { createMigratedDatabase, type TestDatabase } from '../../../server/test/support/database.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import { asServingRole } from '../../../server/test/support/serving-role.js';
import { Cli, withFolder } from '../support/cli.js';

const PASSPHRASE = 'a passphrase of an export';
const next = randomBytes(32);

const folder = withFolder();
const receiver = withReceiver();
const bridges = withBridges('bank', 'other');
let database: TestDatabase;
let server: RunningServer;
/** Serves and governs by a role that owns nothing. */
let cli: Cli;
let money: MoneyScene;

beforeAll(async () => {
  database = await createMigratedDatabase();
  const url = await asServingRole(database.url);
  const loadKeys = async () => [next];
  server = await startServer({ database: { url, drop: async () => {} }, deliveryAllowPrivate: true, loadKeys });
  cli = new Cli(folder.path, {
    DATABASE_URL: url,
    DATA_DIR: folder.path,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    COUNTERSIGN_PASSWORD: PASSPHRASE,
  });
  money = await bridgedScene(server.url, bridges, { access: MAY_ERASE, config: { 'request.journalingEnabled': true } });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

it('a role that owns nothing moves money over bridges, delivers, keeps a journal, proves the log, and erases', async () => {
  const { client } = money;
  await addWebhook(client, 'hook', receiver.url);
  const handle = await money.intend([transfer('alice', 'acc', 5)]);
  await money.ends(handle, 'completed');
  const wallet = await stored(client, 'wallet', { handle: 'gone', custom: { name: 'Zebra' } });
  await eventually(async () =>
    expect(receiver.received.map(({ body }) => body.data.wallet.luid)).toEqual([wallet.luid]),
  );
  ok(await client.drop('/wallets/gone', wallet));
  await eventually(() => cli.done(['erase', client.ledger!, 'wallet', wallet.luid, '--reason', 'asked', '--yes']));
  expect(ok(await client.get(`/wallets/${wallet.luid}/changes`)).text).not.toContain('Zebra');
  await eventually(async () => expect(ok(await client.get('/system/requests')).body.data).not.toEqual([]));
  await checkBooks(database.url);
});

it('countersign admin governs by the role that serves', async () => {
  const ledger = money.client.ledger!;
  bridges.bank.reset();
  bridges.bank.report = () => undefined;
  const stuck = await money.intend([transfer('alice', 'acc', 1)]);
  await bridges.bank.until('prepare credits');
  for (const args of [
    ['ledgers'],
    ['ledger', ledger],
    ['suspend', ledger, '--reason', 'x'],
    ['resume', ledger],
    ['quota', ledger, '--bytes', '1GiB'],
    ['intents', ledger],
    ['read-only', 'on', '--reason', 'x'],
    ['read-only', 'off'],
    ['drain', '--all'],
    ['drain', '--all', '--undo'],
  ])
    await cli.done(['admin', ...args]);
  bridges.bank.reset();
  await cli.done(['admin', 'intents', ledger, '--retry', '--yes']);
  await money.ends(stuck, 'completed');
  await cli.with({ MASTER_KEY_NEXT: next.toString('base64') }).done(['admin', 'rotate-key', '--yes']);
  // The cluster of tests is not durable.
  const { json } = await cli.with({ MASTER_KEY: next.toString('base64') }).call(['admin', 'doctor', '--json']);
  const ill = json.found.filter((one: { isFine: boolean; part: string }) => !one.isFine && one.part !== 'durability');
  expect(ill).toEqual([]);
});

it('it exports a ledger, and the owner imports it, who lets the role serve that as well', async () => {
  const ledger = money.client.ledger!;
  const file = join(folder.path, 'export.ndjson');
  const exporting = cli.with({ MASTER_KEY: next.toString('base64') });
  await exporting.done(['export', ledger, '--with-keys', '--file', file]);
  const other = await createMigratedDatabase();
  const serving = await asServingRole(other.url);
  await cli.with({ DATABASE_URL: other.url }).done(['import', file]);
  const there = await startServer({ database: { url: serving, drop: async () => {} } });
  try {
    const client = money.client.at(there.url);
    ok(await client.get('/wallets/alice'));
    await stored(client, 'wallet', { handle: 'made-there' });
  } finally {
    await there.stop();
    await other.drop();
  }
});
