import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAY_ERASE } from '../../../server/test/erasure/support.js';
import { newLedger } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

it('countersign erase forgets a dropped record beside the server, once it is told why and confirmed', async () => {
  const client = await newLedger(server.url);
  const wallet = await stored(client, 'wallet', { handle: 'w', custom: { name: 'Zebra' } });
  const { luid } = wallet;
  const MASTER_KEY = TEST_MASTER_KEY.toString('base64');
  const operator = new Cli(folder.path, { DATABASE_URL: server.database.url, MASTER_KEY });
  const erase = ['erase', client.ledger!, 'wallet', luid];
  expect((await operator.call([...erase, '--yes'])).err).toContain('An erasure needs a reason.');
  expect((await operator.call([...erase, '--reason', 'asked'])).err).toContain('This needs confirmation.');
  expect((await operator.call([...erase, '--reason', 'asked', '--yes'])).err).toContain('Drop it before it is erased.');
  ok(await client.drop('/wallets/w', wallet));
  // The drop is sealed within a second.
  const { json } = await eventually(() => operator.done([...erase, '--reason', 'asked', '--yes', '--json']));
  expect(json).toMatchObject({ luid, data: { luid, change: 2, reason: 'asked' }, meta: { status: 'erased' } });
  const changes = ok(await client.get(`/wallets/${luid}/changes`));
  expect(changes.body.page.total).toBe(1);
  expect(changes.text).not.toContain('Zebra');
  expect((await operator.done([...erase, '--reason', 'again', '--yes'])).err).toContain('It was erased at ');
});

it('countersign wallet erase forgets it by the right of the key, once it is told why and confirmed', async () => {
  const cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'forgetful', '--signer', 'desk', '--server', server.url]);
  await cli.done(['ledger', 'update', '--access', JSON.stringify(MAY_ERASE), '--yes']);
  const { json: wallet } = await cli.done(['wallet', 'create', 'person', '--custom', '{"name":"Zebra"}', '--json']);
  const erase = ['wallet', 'erase', wallet.luid];
  const inForce = await cli.call([...erase, '--reason', 'asked', '--yes']);
  expect([inForce.code, inForce.err]).toEqual([1, expect.stringContaining('Drop it before it is erased.')]);
  await cli.done(['wallet', 'drop', 'person', '--yes']);
  expect((await cli.call([...erase, '--yes'])).code).toBe(2);
  expect((await cli.call([...erase, '--reason', 'asked'])).err).toContain('This needs confirmation.');
  expect((await cli.call(['wallet', 'erase', 'person', '--reason', 'asked', '--yes'])).err).toContain(
    'is named by its luid',
  );
  const erased = await cli.done([...erase, '--reason', 'asked', '--yes', '--json']);
  expect(erased.json).toMatchObject({ data: { luid: wallet.luid, reason: 'asked' }, meta: { status: 'erased' } });
  const history = await cli.done(['wallet', 'history', wallet.luid, '--json']);
  expect(history.json.map((one: { meta: { action: string } }) => one.meta.action)).toEqual(['erase']);
  expect(history.out).not.toContain('Zebra');
});

it.each([
  ['export', ['export', 'acme']],
  ['erase', ['erase', 'acme', 'wallet', `$wlt.${'a'.repeat(17)}`, '--reason', 'x', '--yes']],
  ['log restart', ['log', 'restart', 'acme', '--yes']],
])('%s makes no database where there is none', async (_, args) => {
  const data = join(folder.path, 'elsewhere');
  const { code, err } = await new Cli(folder.path).call([...args, '--data', data]);
  expect([code, err]).toEqual([
    4,
    `✗ There is no data of a server in ${data}.\n  Try: name its folder with --data, or its database with DATABASE_URL\n`,
  ]);
  expect(existsSync(data)).toBe(false);
});
