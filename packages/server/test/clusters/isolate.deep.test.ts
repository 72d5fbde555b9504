import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster as operation } from '../../src/admin/cluster.js';
import type { OperationDeps } from '../../src/admin/operation.js';
import { createPool } from '../../src/store/pool.js';
import { auditLogs } from '../log/audit.js';
import { newLedger } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { HAS_CITUS, withOwnCluster } from './own-cluster.js';
import { startWriting } from './writing.js';

const LEDGERS = 4;

describe.runIf(HAS_CITUS)('a ledger that gets a shard to itself while all write', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 2']);
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({ database: own.current.database });
  });

  afterAll(() => server?.stop());

  it('has all its changes, and goes on', async () => {
    const { url: connectionString } = own.current.database;
    const clients = await Promise.all(Array.from({ length: LEDGERS }, () => newLedger(server.url)));
    const writing = await startWriting(clients);
    await writing.more();
    const pool = createPool({ connectionString, max: 1 }, () => {});
    try {
      const onDatabase = (work: (deps: { pool: typeof pool }) => unknown) => work({ pool });
      const deps = { onDatabase } as unknown as OperationDeps;
      const isolate = clients[0]!.ledger!;
      const view = await operation.run(deps, { isolate });
      expect(view.isolated).toBe(isolate);
      expect(view.nodes.reduce((sum, { ledgers }) => sum + ledgers, 0)).toBe(LEDGERS);
      await expect(operation.run(deps, { isolate })).rejects.toThrow(/has a shard to itself already/);
    } finally {
      await pool.end();
    }
    await writing.more();
    await writing.verify();
    await auditLogs(connectionString);
  });
});
