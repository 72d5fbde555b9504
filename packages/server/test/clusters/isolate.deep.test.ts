import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, withFolder } from '../../../cli/test/support/cli.js';
import { auditLogs } from '../log/audit.js';
import { newLedger } from '../support/client.js';
import { blockOf, filledIn, wordsOf } from '../support/page.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HAS_CITUS, withOwnCluster } from './own-cluster.js';
import { startWriting } from './writing.js';

const LEDGERS = 4;

describe.runIf(HAS_CITUS)('a ledger that gets a shard to itself while all write', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 2']);
  const folder = withFolder();
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({ database: own.current.database });
  });

  afterAll(() => server?.stop());

  /** Gives one of some more ledgers a shard to itself while all write. @returns how many ledgers the nodes have */
  async function isolateOne(): Promise<number> {
    const { url: connectionString } = own.current.database;
    const clients = await Promise.all(Array.from({ length: LEDGERS }, () => newLedger(server.url)));
    const writing = await startWriting(clients);
    await writing.more();
    const cli = new Cli(folder.path, { DATABASE_URL: connectionString });
    const isolate = clients[0]!.ledger!;
    // As docs/operations/cluster.md prints it.
    const line = filledIn(blockOf('cluster', 'countersign admin cluster --isolate').trim(), [['acme', isolate]]);
    const call = [...wordsOf(line).slice(1), '--json'];
    const { json } = await cli.done(call);
    expect(json.isolated).toBe(isolate);
    const again = await cli.call(call);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('has a shard to itself already')]);
    await writing.more();
    await writing.verify();
    await auditLogs(connectionString);
    return json.nodes.reduce((sum: number, { ledgers }: { ledgers: number }) => sum + ledgers, 0);
  }

  it('has all its changes, and goes on', async () => {
    expect(await isolateOne()).toBe(LEDGERS);
  });

  it('has them where no other node may take it, too', async () => {
    await runSql(
      own.current.database.url,
      `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node where shouldhaveshards`,
    );
    expect(await isolateOne()).toBe(2 * LEDGERS);
  });
});
