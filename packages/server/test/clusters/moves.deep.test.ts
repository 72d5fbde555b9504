import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { newLedger } from '../support/client.js';
import { moveShard, shardsOf } from '../support/nodes.js';
import { type RunningServer, startServer } from '../support/server.js';
import { HAS_CITUS, withOwnCluster } from './own-cluster.js';
import { startWriting } from './writing.js';

const LEDGERS = 6;

describe.runIf(HAS_CITUS)('shards that the engine moves while ledgers write', () => {
  // The engine takes a shard for copied once what is written of the log of its node has come: with `off`, the last writes are in no log yet,
  // and would be lost.
  const cluster = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4']);
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({ database: cluster.current.database });
  });

  afterAll(() => server?.stop());

  it('lose no change, and none is sealed before the one it follows', async () => {
    const { url } = server;
    const { database } = cluster.current;
    const clients = await Promise.all(Array.from({ length: LEDGERS }, () => newLedger(url)));
    const writing = await startWriting(clients);
    const shards = await shardsOf(database.url);
    // There and back: each node is the one with the lower number once.
    for (const { shard } of [...shards, ...shards]) {
      await writing.more();
      await moveShard(database.url, shard);
    }
    expect((await shardsOf(database.url)).map(({ port }) => port)).toEqual(shards.map(({ port }) => port));
    await writing.more();
    const changes = await writing.verify();
    await auditLogs(database.url);
    console.info({ moves: 2 * shards.length, changes, longest: writing.longest() });
  });
});
