import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineTriggers } from '../../src/admin/examinations/triggers.js';
import { findLogsOf } from '../../src/store/log/losses.js';
import { ofReachable, readReachable } from '../../src/store/nodes/reachable.js';
import { createPool } from '../../src/store/pool.js';
import { allSealed } from '../log/reading.js';
import { newLedger } from '../support/client.js';
import { startServer } from '../support/server.js';
import { HAS_CITUS, withOwnCluster } from './own-cluster.js';

describe.runIf(HAS_CITUS)('while a node is down', () => {
  const cluster = withOwnCluster(['citus.shard_count = 4']);
  let pool: ReturnType<typeof createPool>;

  beforeAll(async () => {
    const server = await startServer({ database: cluster.current.database });
    for (let made = 0; made < 8; made += 1) await allSealed(await newLedger(server.url));
    await server.stop();
    pool = createPool({ connectionString: cluster.current.database.url, max: 1 }, () => {});
    cluster.current.stop(1);
  });

  afterAll(async () => {
    await pool?.end();
    cluster.current.start(1);
  });

  it('reads over all ledgers are of those on the other nodes, and what is about no ledger is read as ever', async () => {
    const ofLedgers = { text: `select distinct ledger_id from log where ${ofReachable('ledger_id')}`, values: [] };
    // What it has found out is remembered for a while.
    for (let read = 0; read < 2; read += 1) {
      const { length } = await readReachable(pool, ofLedgers);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThan(8);
      expect(await readReachable(pool, { text: 'select $1::int as one', values: [1] })).toEqual([{ one: 1 }]);
    }
  });

  it('the doctor names it, and no migration, for triggers that it cannot read', async () => {
    await expect(examineTriggers(pool)).rejects.toMatchObject({
      message: `the triggers of all nodes cannot be read: 127.0.0.1:${cluster.current.ports[1]} does not answer`,
      advice: expect.stringContaining('cluster.md#when-a-node-is-down'),
    });
  });

  it('logs of ledgers on it are told apart from those that are not there', async () => {
    const { rows } = await pool.query<{ luid: string }>('select luid from ledger');
    // By a pool that has not met the node that is down, and again by what it has found out.
    const own = createPool({ connectionString: cluster.current.database.url, max: 1 }, () => {});
    for (let read = 0; read < 2; read += 1) {
      const { logs, away } = await findLogsOf(own, ['$ldg.none', ...rows.map(({ luid }) => luid)]);
      expect([...logs.map(({ luid }) => luid), ...away].sort()).toEqual(rows.map(({ luid }) => luid).sort());
      expect(Math.min(logs.length, away.length)).toBeGreaterThan(0);
      expect(logs.every(({ origin, size }) => origin !== null && size > 0)).toBe(true);
    }
    await own.end();
  });
});
