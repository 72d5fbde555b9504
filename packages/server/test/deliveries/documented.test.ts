import { expect, it } from 'vitest';
import { read } from '../support/documents.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';
import { addWallet, subscribedLedger, untilDeliveries } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

const [, block = ''] = /^```sql\n(.*?)^```$/ms.exec(read('docs/operations/deliveries.md')) ?? [];
const [waiting = '', ended = ''] = block.split(/;\n/);

it('the SQL of docs/operations/deliveries.md shows queues that wait, and what was given up', async () => {
  const { url, database } = server.current;
  receiver.instead = (_, response) => response.writeHead(500).end();
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'one');
  await addWallet(client, 'two');
  await untilDeliveries(database.url, client, ['failed', 'failed']);
  const target = new URL(receiver.url).origin;
  const queue = { ledger: client.ledger, target, count: '2', set_aside: '0' };
  expect(await runSql(database.url, waiting)).toMatchObject([{ ...queue, status: 'failed', attempts: 1 }]);
  expect(await runSql(database.url, ended)).toEqual([]);

  const [effect] = ok(await client.get('/effects')).body.data;
  ok(await client.drop(`/effects/${effect.data.handle}`, effect));
  await runSql(database.url, 'update delivery set due = statement_timestamp() where due is not null');
  await untilDeliveries(database.url, client, ['cancelled', 'cancelled']);
  expect(await runSql(database.url, waiting)).toEqual([]);
  expect(await runSql(database.url, ended)).toMatchObject([
    { ledger: client.ledger, effect: effect.data.handle, target, count: '2', since: expect.any(Date) },
  ]);
});
