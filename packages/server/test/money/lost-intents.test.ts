import { expect, it } from 'vitest';
import { query } from '../events/support.js';
import { withServer } from '../support/server.js';
import { MoneyScene, transfer } from './scene.js';

const server = withServer();

// Where its database goes on from an earlier state, each ledger has a new epoch.
const BEGIN_EPOCH = 'update ledger set version = (version / 4294967296 + 1) * 4294967296 where handle = $1';

it('an intent that a failover has lost is stored when it is sent again', async () => {
  const { current } = server;
  const { client } = await MoneyScene.make(current.url);
  const body = { handle: 'again', claims: [transfer('alice', 'bob', 1_000_000)] };
  const first = await client.create('/intents', body);
  expect(first.status, first.text).toBe(201);
  for (const [table, column] of [
    ['record', 'luid'],
    ['change', 'luid'],
    ['used_proof', 'luid'],
    ['open_intent', 'luid'],
    ['entry', 'intent'],
  ]) {
    const text = `set session_replication_role = replica; delete from ${table} where ${column} = '${first.body.luid}'`;
    await query(current, text);
  }
  await query(current, BEGIN_EPOCH, [client.ledger]);
  expect((await client.get('/intents/again')).status).toBe(404);
  const second = await client.create('/intents', body);
  expect(second.status, second.text).toBe(201);
  expect((await client.get('/intents/again')).status).toBe(200);
});
