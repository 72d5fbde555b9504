import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allSealed, expectSealed } from '../log/reading.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HAS_CITUS, onNode, urlOf, withOwnCluster } from './own-cluster.js';

const lines: { msg: string; [name: string]: unknown }[] = [];

describe.runIf(HAS_CITUS)('while a node of a cluster is silent, or takes no writes', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4']);
  let server: RunningServer;
  let one: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    server = await startServer({ database: own.current.database, logger });
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

  it('other ledgers are sealed, and money of them moves, while one is silent', { timeout: 300_000 }, async () => {
    const { scene } = await onNode(own.current, 2, async () => {
      const scene = await MoneyScene.make(server.url, ['alice', 'bob']);
      return { ledger: scene.client.ledger, scene };
    });
    await scene.issue('alice', 100);
    const goOn = own.current.freeze(1);
    try {
      await stored(other, 'wallet', { handle: 'while-silent' });
      await scene.done([transfer('alice', 'bob', 30)]);
      // What looks over all ledgers meets the silent node by each connection that it had, which may take 30 s each.
      await vi.waitFor(() => expectSealed(other), { timeout: 240_000, interval: 100 });
      expect(await nodesDown()).toHaveLength(1);
    } finally {
      goOn();
    }
    await eventually(async () => expect(await nodesDown()).toBeUndefined());
  });

  it('logs of ledgers on the others are sealed while one is a standby, and it is said what is not', {
    timeout: 120_000,
  }, async () => {
    const [{ log, id }] = (await runSql<{ log: string; id: string }>(
      own.current.database.url,
      `select 'log_' || get_shard_id_for_distribution_column('log', id) as log, id from ledger where handle = $1`,
      [one.ledger],
    )) as [{ log: string; id: string }];
    const told = () =>
      lines.filter(({ msg, ledger }) => msg.startsWith('changes of a ledger could not') && String(ledger) === id);
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
    lines.length = 0;
    own.current.start(1);
    await stored(other, 'wallet', { handle: 'goes-on' });
    await allSealed(other);
    await eventually(() => expect(told()).not.toHaveLength(0));
    own.current.promote(1);
    await allSealed(one);
  });
});
