import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { logLimits } from '../../src/log/log-limits.js';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import { newLedger, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startServer, withOwnServer, withTwoServers } from '../support/server.js';
import { auditLogs } from './audit.js';
import { allSealed, inclusionOf } from './reading.js';

describe('sealing', () => {
  const server = withOwnServer();

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

it('goes on at once with a ledger that it has sealed itself', async () => {
  const running = await startServer();
  const client = await newLedger(running.url);
  const connection = new pg.Client({ connectionString: running.database.url });
  await connection.connect();
  const sealed = async () => {
    const { rows } = await connection.query('select extract(epoch from sealed)::float8 * 1000 as at from log');
    return Math.max(...rows.map(({ at }) => Number(at)));
  };
  const write = async (handle: string) => {
    const wallet = signed({ handle }, client.key);
    expect((await client.call('POST', '/wallets', wallet, { prefer: 'wait=10' })).status).toBe(201);
  };
  // What another process has sealed is left to it for that long: who takes its own for that of another seals no sooner.
  let rounds = 0;
  await eventually(async () => {
    const at = rounds++;
    // A round that takes as long as it may is over when the next one is due.
    await connection.query('begin; lock table log_leaf in share mode');
    const slow = write(`slow${at}`);
    await pause(2 * logLimits.tick);
    await connection.query('commit');
    await slow;
    const before = await sealed();
    await write(`next${at}`);
    // On a busy machine it may take as long by chance.
    expect((await sealed()) - before).toBeLessThan(logLimits.recent);
  });
  await connection.end();
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
