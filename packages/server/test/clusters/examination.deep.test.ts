import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settleStart } from '../../src/store/nodes/starts.js';
import { createPool } from '../../src/store/pool.js';
import { transaction } from '../../src/store/transaction.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { closeSql, runSql } from '../support/sql.js';
import { bearer } from '../support/token.js';
import { HAS_CITUS, onNode, urlOf, withOwnCluster } from './own-cluster.js';

/** The lock of whoever examines a node (store/nodes/starts.ts). */
const EXAMINATION_LOCK = 4_207_004;

const lines: { msg: string; [name: string]: unknown }[] = [];
const told = (msg: string) => lines.filter((line) => line.msg.startsWith(msg));

describe.runIf(HAS_CITUS)('the examination of a node of a cluster that has restarted', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4', 'citus.recover_2pc_interval = 1s']);
  let server: RunningServer;
  let one: TestClient;
  let other: TestClient;

  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  beforeAll(async () => {
    const { database, ports } = own.current;
    // Functions that store ask this first, on the node of their ledger.
    const [{ ledger }] = (await runSql<{ ledger: string }>(
      database.url,
      `select n as ledger from generate_series(1, 1000) n where get_shard_id_for_distribution_column('change', n::bigint) in (
         select shardid from pg_dist_placement join pg_dist_node using (groupid) where nodeport = $1) limit 1`,
      [ports[1]],
    )) as [{ ledger: string }];
    const mayStore = async () => {
      const worker = await connect(urlOf(own.current, 1));
      try {
        await worker.query('select cluster.schema_of($1)', [ledger]);
      } finally {
        await worker.end();
      }
    };
    await expect(mayStore()).rejects.toMatchObject({
      code: '57P03',
      message: expect.stringContaining('no server has examined it'),
    });
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    server = await startServer({ database, logger });
    await mayStore();
    one = await onNode(own.current, 1, () => newLedger(server.url));
    other = await onNode(own.current, 2, () => newLedger(server.url));
    for (const client of [one, other]) await stored(client, 'wallet', { handle: 'w' });
  });

  afterAll(() => server?.stop());

  /** Examinations that wait for the lock. */
  const waiting = async () => {
    const { url } = own.current.database;
    const text = `select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = $1 and not granted`;
    return (await runSql<{ count: number }>(url, text, [EXAMINATION_LOCK]))[0]!.count;
  };

  /** Does `work` while nobody can examine a node. */
  async function whileHeld(work: () => Promise<void>): Promise<void> {
    const holder = await connect(own.current.database.url);
    try {
      await holder.query('select pg_advisory_lock($1)', [EXAMINATION_LOCK]);
      await work();
    } finally {
      await holder.end();
    }
  }

  const serving = (client: TestClient) =>
    eventually(async () => expect((await client.get('/wallets/w')).status).toBe(200));

  it('goes on where requests do not wait for it any more, once for all of them, and other nodes serve', {
    timeout: 120_000,
  }, async () => {
    await whileHeld(async () => {
      own.current.stop(1);
      own.current.start(1);
      await eventually(async () => expect(await waiting()).toBe(1));
      const requests = Array.from({ length: 20 }, () => one.get('/wallets/w'));
      for (const { status, text } of await Promise.all(requests)) expect(status, text).toBe(503);
      // A list tells of no node. Where anybody may read, nothing else is asked.
      ok(await one.get('/wallets'));
      expect((await one.get('/wallets', bearer(one.key))).status).toBe(503);
      ok(await other.get('/wallets/w'));
      await stored(other, 'wallet', { handle: 'meanwhile' });
      expect(await waiting()).toBe(1);
    });
    await serving(one);
  });

  it('asks the node once it holds the lock: what it said before may be of an earlier start', async () => {
    const { database, ports } = own.current;
    const pool = createPool({ connectionString: database.url, max: 1 }, () => {});
    const [stored] = (await runSql<{ start: string; name: string; position: number }>(
      database.url,
      'select start, name, passed::float8 as position from cluster.node_start where node = 1 order by number desc limit 1',
    )) as [{ start: string; name: string; position: number }];
    let asked = 0;
    const readState = async () => {
      asked += 1;
      return { ...stored, isStandby: false, isAdmitted: true, prepared: 0 };
    };
    let settled: Promise<{ moved: unknown }> | undefined;
    await whileHeld(async () => {
      const before = { start: stored.start, passed: stored.position };
      const at = { node: 1, host: '127.0.0.1', port: ports[1]! };
      settled = transaction(pool, (client) => settleStart(client, at, before, readState));
      await eventually(async () => expect(await waiting()).toBe(1));
      expect(asked).toBe(0);
    });
    expect([(await settled!).moved, asked]).toEqual([undefined, 1]);
    await pool.end();
  });

  it('gives up on a node that falls silent meanwhile, and lets others be examined', async () => {
    const { database, ports } = own.current;
    const pool = createPool({ connectionString: database.url, max: 1 }, () => {});
    const at = { node: 1, host: '127.0.0.1', port: ports[1]! };
    const silent = `select master_run_on_worker(array['127.0.0.1'], array[$1::int], array['select pg_sleep(600)'], false)`;
    const asked = transaction(pool, (client) =>
      settleStart(client, at, { start: undefined, passed: 0 }, async () => {
        await client.query(silent, [at.port]);
        throw new Error('It has answered.');
      }),
    );
    await expect(asked).rejects.toMatchObject({ code: '57014' });
    await whileHeld(async () => {});
    await pool.end();
  });

  it('tells of a loss though the node is not admitted, and once', { timeout: 120_000 }, async () => {
    const worker = urlOf(own.current, 1);
    const [{ text: admit }] = (await runSql<{ text: string }>(
      worker,
      `select pg_get_functiondef('cluster.admit(text)'::regprocedure) as text`,
    )) as [{ text: string }];
    const define = async (text: string) => {
      const client = await connect(worker);
      await client.query(`set citus.enable_ddl_propagation = off; ${text}`);
      await client.end();
      await closeSql(worker);
    };
    // Until it is seen as down, what is told of it may not be told again.
    const stopSeen = async () => {
      own.current.stop(1);
      await eventually(async () => {
        const health = await fetch(new URL('/health', server.url));
        expect(await health.json()).toHaveProperty('nodesDown');
      });
      lines.length = 0;
    };
    const refused = () => told('a node of the cluster could not be examined');
    await define(
      admit.replace(/AS \$function\$[\s\S]*\$function\$/, `AS $function$ begin raise 'refused'; end $function$`),
    );
    await stopSeen();
    own.current.copy(1);
    own.current.start(1);
    await eventually(() => expect(refused()).toHaveLength(1));
    await define(admit);
    await serving(one);
    expect(told('a node of the cluster has gone on from an earlier point')).toEqual([]);

    await stored(one, 'wallet', { handle: 'lost' });
    ok(await one.get('/wallets/lost'));
    await stopSeen();
    own.current.putBack(1);
    own.current.start(1);
    // It may be refused first for transactions that are open, or for taking long.
    await eventually(() => expect(told('a node of the cluster has gone on from an earlier point')).toHaveLength(1));
    await eventually(() => expect(refused()).toHaveLength(1));
    expect((await one.get('/wallets/w')).status).toBe(503);
    await define(admit);
    await serving(one);
    expect((await one.get('/wallets/lost')).status).toBe(404);
    expect(told('a node of the cluster has gone on from an earlier point')).toHaveLength(1);
  });
});
