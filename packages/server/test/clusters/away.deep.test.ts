import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allSealed } from '../log/reading.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HAS_CITUS, onNode, urlOf, withOwnCluster } from './own-cluster.js';

describe.runIf(HAS_CITUS)('while a node of a cluster is silent, or takes no writes', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4']);
  let server: RunningServer;
  let one: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    server = await startServer({ database: own.current.database });
    const make = () => newLedger(server.url, { config: { log: 'open' } });
    // Ledgers are sealed in the order of their making.
    one = await onNode(own.current, 1, make);
    other = await onNode(own.current, 2, make);
    await allSealed(one);
  });

  afterAll(() => server?.stop());

  async function nodesDown(): Promise<string[] | undefined> {
    const health = await fetch(new URL('/health', server.url));
    return ((await health.json()) as { nodesDown?: string[] }).nodesDown;
  }

  it('health names the silent one, and others that end meanwhile', { timeout: 120_000 }, async () => {
    const { ports } = own.current;
    const goOn = own.current.freeze(1);
    try {
      own.current.stop(2);
      await eventually(async () =>
        expect(await nodesDown()).toEqual([`127.0.0.1:${ports[1]}`, `127.0.0.1:${ports[2]}`]),
      );
      own.current.start(2);
      await eventually(async () => expect(await nodesDown()).toEqual([`127.0.0.1:${ports[1]}`]));
    } finally {
      goOn();
    }
    await eventually(async () => expect(await nodesDown()).toBeUndefined());
  });

  it('logs of ledgers on the others are sealed', { timeout: 120_000 }, async () => {
    const [{ log }] = (await runSql<{ log: string }>(
      own.current.database.url,
      `select 'log_' || get_shard_id_for_distribution_column('log', (select id from ledger where handle = $1)) as log`,
      [one.ledger],
    )) as [{ log: string }];
    const holder = new pg.Client({ connectionString: urlOf(own.current, 1) });
    holder.on('error', () => {});
    await holder.connect();
    // What is stored meanwhile waits to be sealed, and is there when the node has become a standby.
    await holder.query(`begin; select from ${log} for update`);
    await stored(one, 'wallet', { handle: 'waits' });
    own.current.stop(1);
    await holder.end().catch(() => {});
    own.current.copy(1);
    own.current.putBack(1, 'standby');
    own.current.start(1);
    await stored(other, 'wallet', { handle: 'goes-on' });
    await allSealed(other);
    own.current.promote(1);
    await allSealed(one);
  });
});
