import { expect, it } from 'vitest';
import { Cli, withFolder } from '../../../cli/test/support/cli.js';
import { blockOf, filledIn, wordsOf } from '../support/page.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';
import { addWallet, subscribedLedger, untilDeliveries } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();
const folder = withFolder();

const [waiting = '', causes = '', ended = ''] = blockOf('deliveries', 'select l.handle as ledger, d.target').split(
  /;\n/,
);

it('the SQL of docs/operations/deliveries.md shows queues that wait, why, and what was given up', async () => {
  const { url, database } = server.current;
  receiver.instead = (_, response) => response.writeHead(500).end();
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'one');
  await addWallet(client, 'two');
  await untilDeliveries(database.url, client, ['failed', 'failed']);
  const target = new URL(receiver.url).origin;
  const queue = { ledger: client.ledger, target, count: '2', set_aside: '0' };
  expect(await runSql(database.url, waiting)).toMatchObject([{ ...queue, status: 'failed', attempts: 1 }]);
  const met = { status: 'failed', reason: 'delivery.target-rejected', detail: { httpStatus: 500 } };
  const why = { ledger: client.ledger, effect: 'hook', target, met };
  expect(await runSql(database.url, causes)).toMatchObject([why, why]);
  expect(await runSql(database.url, ended)).toEqual([]);

  const [effect] = ok(await client.get('/effects')).body.data;
  ok(await client.drop(`/effects/${effect.data.handle}`, effect));
  await runSql(database.url, 'update delivery set due = statement_timestamp() where due is not null');
  await untilDeliveries(database.url, client, ['cancelled', 'cancelled']);
  for (const statement of [waiting, causes]) expect(await runSql(database.url, statement)).toEqual([]);
  expect(await runSql(database.url, ended)).toMatchObject([
    { ledger: client.ledger, effect: effect.data.handle, target, count: '2', since: expect.any(Date) },
  ]);
});

it('the line of docs/operations/deliveries.md has what was given up sent again', async () => {
  const { url, database } = server.current;
  receiver.instead = (_, response) => response.writeHead(501).end();
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'one');
  await untilDeliveries(database.url, client, ['cancelled']);
  receiver.instead = undefined;
  const cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'secret' });
  const seed = Buffer.from(client.key.secret).toString('hex');
  await cli.done(['key', 'import', 'owner', '--file', '-'], { input: seed });
  await cli.done(['ledger', 'select', client.ledger!, '--server', url, '--signer', 'owner']);
  const [line = ''] = blockOf('deliveries', 'countersign effect events retry').trim().split('\n');
  const { err } = await cli.done(wordsOf(filledIn(line, [['<effect>', 'hook']])).slice(1));
  expect(err).toContain('They are sent again.');
  await untilDeliveries(database.url, client, ['delivered']);
});
