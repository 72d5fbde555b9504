import { appendFile, chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCitus, makeNode, PLAIN, startNode, startPlain, stopNode } from '../../../../scripts/citus.mjs';
import { differenceOf, exported, imported, linesIn, verified } from '../archive/support.js';
import { auditLogs } from '../log/audit.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { TestClient } from '../support/client.js';
import { root } from '../support/documents.js';
import { freePort } from '../support/free-port.js';
import { blockOf, filledIn, inlineOf } from '../support/page.js';
import { runBeside } from '../support/program.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../support/server.js';
import { closeSql, runSql } from '../support/sql.js';
import { sealedLog } from '../support/witness.js';
import { HAS_CITUS } from './own-cluster.js';

const LEDGERS = 4;
const PASSPHRASE = 'correct horse';

/** The lines of an export, without when it was made, which its end depends on. */
const contentOf = (text: string) => linesIn(text.replace(/"moment":"[^"]*"/, '')).slice(0, -1);

describe.runIf(HAS_CITUS)('docs/operations/cluster.md, from one PostgreSQL to Citus and back', () => {
  const bin = findCitus() ?? '';
  const nodes: number[] = [];
  let folder: string;
  let ports: { plain: number; workers: number[] };
  let url: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-runbook-')));
    await chmod(folder, 0o755);
    ports = { plain: await freePort(), workers: [await freePort(), await freePort()] };
    url = await startPlain(bin, folder, ports.plain);
    nodes.push(PLAIN);
  });

  afterAll(async () => {
    for (const node of nodes) stopNode(bin, folder, node);
    await rm(folder, { recursive: true, force: true });
  });

  /** A server on the database of that connection string, which outlasts it. */
  const serve = (on: string) => startServer({ database: { url: on, drop: async () => {} } });

  /** Moves money of a ledger by another server. @returns what the target then has */
  async function paid(on: RunningServer, { key, ledger }: TestClient, handle: string, amount: number) {
    const client = new TestClient(on.url, key, ledger);
    ok(await client.create('/intents', { handle, claims: [transfer('alice', 'bob', amount)] }));
    const scene = MoneyScene.of(client);
    await scene.ends(handle, 'completed');
    return scene.balance('bob');
  }

  async function addCitus(): Promise<void> {
    await closeSql(url);
    stopNode(bin, folder, PLAIN);
    const settings = blockOf('cluster', 'shared_preload_libraries');
    await appendFile(join(folder, `node${PLAIN}`, 'postgresql.conf'), settings);
    startNode(bin, folder, PLAIN);
    await runSql(url, 'create extension citus');
    for (const [at, port] of ports.workers.entries()) {
      makeNode(bin, folder, 1 + at, port);
      nodes.push(1 + at);
    }
    const text = filledIn(blockOf('cluster', 'select citus_set_coordinator_host'), [
      ["'10.0.0.1', 5432", `'127.0.0.1', ${ports.plain}`],
      ["'10.0.0.2', 5432", `'127.0.0.1', ${ports.workers[0]}`],
      ["'10.0.0.3', 5432", `'127.0.0.1', ${ports.workers[1]}`],
      ['database countersign', 'database postgres'],
      // Fewer take less time.
      ['= 32', '= 4'],
    ]);
    for (const line of text.trim().split('\n')) await runSql(url, line);
  }

  it('keeps every byte of every ledger, which go on', async () => {
    const before = await serve(url);
    const scenes: MoneyScene[] = [];
    for (let made = 0; made < LEDGERS; made += 1) {
      const scene = await MoneyScene.make(before.url, ['alice', 'bob']);
      await scene.issue('alice', 100);
      await scene.done([transfer('alice', 'bob', 30)]);
      await sealedLog(url, scene.client.ledger!);
      scenes.push(scene);
    }
    const texts = await Promise.all(scenes.map(({ client }) => exported(before, client.ledger!)));
    await before.stop();

    await addCitus();
    const [call] = inlineOf('cluster', 'countersign-server --migrate');
    const settings = {
      DATABASE_URL: url,
      MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
      DATA_DIR: join(folder, 'data'),
    };
    const migrate = [join(root, 'packages/server/test/.bundle/main.js'), call!.split(' ')[1]!];
    expect(await runBeside(process.execPath, migrate, settings)).toMatchObject({ status: 0, err: '' });
    const held = await runSql<{ name: string }>(
      url,
      'select distinct nodename || nodeport as name from pg_dist_placement join pg_dist_node using (groupid) where groupid > 0',
    );
    expect(held).toHaveLength(2);
    await closeSql(url);

    const after = await serve(url);
    for (const [at, { client }] of scenes.entries())
      expect(differenceOf(contentOf(await exported(after, client.ledger!)), contentOf(texts[at]!))).toBeUndefined();
    for (const { client } of scenes) {
      expect(await paid(after, client, 'on-cluster', 5)).toEqual([35, 0]);
      await sealedLog(url, client.ledger!);
    }
    await auditLogs(url);

    // Back: the database of a PostgreSQL that has no ledger yet, and no extension.
    const worker = Object.assign(new URL(url), { port: String(ports.workers[0]) });
    await runSql(worker.href, 'create database back');
    await closeSql(worker.href);
    const back = await serve(Object.assign(new URL(worker), { pathname: '/back' }).href);
    for (const { client } of scenes) {
      const text = await exported(after, client.ledger!, { passphrase: PASSPHRASE });
      expect(verified(text).told).toEqual([]);
      expect(await imported(back, text, { passphrase: PASSPHRASE })).toEqual([]);
      expect(await paid(back, client, 'back', 1)).toEqual([36, 0]);
    }
    await back.stop();
    await after.stop();
  });
});
