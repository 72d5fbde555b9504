import pg from 'pg';
import { describe, it } from 'vitest';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import { newLedger } from '../support/client.js';
import { startServer, withServer, withTwoServers } from '../support/server.js';
import { auditLogs } from './audit.js';
import { allSealed, inclusionOf } from './reading.js';

describe('sealing', () => {
  const server = withServer();

  it('makes each change of every kind one leaf: creates, updates, drops, versions that are stored at once', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100);
    await money.done([transfer('alice', 'bob', 40)]);
    await money.send([transfer('alice', 'bob', 1_000)]);
    await money.add(['carol']);
    await auditLogs(server.current.database.url);
  });

  it('fills tiles, whole ones and those above', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 1_000_000);
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(Array.from({ length: 25 }, () => money.send([transfer('alice', 'bob', 1)])));
      if (round % 4 === 3) await auditLogs(server.current.database.url);
    }
  });
});

it('goes on when the clock of the database was set back', async () => {
  const running = await startServer();
  const client = await newLedger(running.url);
  await client.create('/wallets', { handle: 'w' });
  await allSealed(client);
  const connection = new pg.Client({ connectionString: running.database.url });
  await connection.connect();
  await connection.query("update log set sealed = clock_timestamp() + interval '1 hour'");
  await connection.end();
  await client.create('/wallets', { handle: 'x' });
  await inclusionOf(client, '/wallets/x', 1);
  await running.stop();
});

describe('two processes', () => {
  const servers = withTwoServers();

  it('seal in turns', async () => {
    const [one, two] = servers.current;
    const money = await MoneyScene.make(one.url);
    await money.issue('alice', 1_000);
    const others = MoneyScene.of(money.client.at(two.url));
    await Promise.all(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? money : others).send([issue('bob', 1)])));
    await auditLogs(servers.databaseUrl);
  });
});
