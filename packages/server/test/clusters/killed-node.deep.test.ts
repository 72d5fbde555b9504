import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { signed, type TestAnswer, updateOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { sendHttp } from '../support/http.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { HAS_CITUS, withOwnCluster } from './own-cluster.js';

const LEDGERS = 8;
const KILLS = process.env.LONG_TESTS ? 20 : 2;
const ISSUED = 1_000_000;

describe.runIf(HAS_CITUS)('a worker node that is killed', () => {
  // What a node has confirmed outlasts it.
  const cluster = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4']);
  let server: RunningServer;
  let writers: Writer[];

  beforeAll(async () => {
    server = await startServer({ database: cluster.current.database });
    writers = [];
    for (let made = 0; made < LEDGERS; made += 1)
      writers.push(await Writer.make(server.url, cluster.current.database.url));
  });

  afterAll(async () => {
    for (const writer of writers) writer.stop();
    await server?.stop();
  });

  const down = async () => {
    const { status, text } = await sendHttp(`${new URL(server.url).origin}/health`, 'GET', {});
    return [status, JSON.parse(text)] as const;
  };

  it('stops its own ledgers alone, and loses nothing and does nothing twice', async () => {
    const { ports, database } = cluster.current;
    for (const writer of writers) writer.start();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const node = 1 + (kill % 2);
      const [lost, others] = [
        writers.filter(({ port }) => port === ports[node]),
        writers.filter(({ port }) => port !== ports[node]),
      ];
      expect(lost.length * others.length).toBeGreaterThan(0);
      await grow(writers);
      cluster.current.stop(node);
      await eventually(async () =>
        expect(await down()).toEqual([200, { status: 'UP', nodesDown: [`127.0.0.1:${ports[node]}`] }]),
      );
      for (const { scene } of lost) expect((await scene.client.get('/wallets')).status).toBe(503);
      const refused = others.map((one) => [...one.refused]);
      const sealed = await Promise.all(others.map((one) => one.sealed()));
      await grow(others);
      await eventually(async () => {
        for (const [at, one] of others.entries()) expect(await one.sealed()).toBeGreaterThan(sealed[at]!);
      });
      expect(others.map((one) => one.refused)).toEqual(refused);
      cluster.current.start(node);
      await grow(writers);
      await eventually(async () => expect(await down()).toEqual([200, { status: 'UP' }]));
    }
    for (const writer of writers) await writer.end();
    await auditLogs(database.url);
  });
});

/** Waits until each has stored more. */
async function grow(writers: readonly Writer[]): Promise<void> {
  const before = writers.map(({ stored }) => stored);
  await eventually(() =>
    expect(writers.map((one, at) => one.stored > before[at]! + 3)).toEqual(writers.map(() => true)),
  );
}

/** Writes records and money into a ledger of its own, each write again until it is stored. */
class Writer {
  stored = 0;
  /** What was answered 503. */
  readonly refused: string[] = [];
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  #wallet: RecordEnvelope;
  #paid = 0;

  private constructor(
    readonly scene: MoneyScene,
    /** Of the node that has the ledger. */
    readonly port: number,
    wallet: RecordEnvelope,
  ) {
    this.#wallet = wallet;
  }

  static async make(url: string, database: string): Promise<Writer> {
    const scene = await MoneyScene.make(url);
    await scene.issue('alice', ISSUED);
    const [node] = await runSql<{ port: number }>(
      database,
      `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
       where shardid = get_shard_id_for_distribution_column('change', (select id from ledger where handle = $1))`,
      [scene.client.ledger],
    );
    return new Writer(scene, node!.port, await stored(scene.client, 'wallet', { handle: 'changing' }));
  }

  start(): void {
    this.#running = Promise.all([this.#change(), this.#pay()]);
    this.#running.catch(() => {});
  }

  stop(): void {
    this.#isOver = true;
  }

  async sealed(): Promise<number> {
    return (await this.scene.client.get('/ledger/log')).body.data.size;
  }

  /** Stops, and compares what is stored with what was answered. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    const { client } = this.scene;
    expect((await client.get('/wallets/changing')).body).toEqual(this.#wallet);
    expect((await client.get('/wallets/changing/changes')).body.page.total).toBe(this.#changes);
    await eventually(async () => expect(await this.scene.balance('bob')).toEqual([this.#paid, 0]));
    expect(await this.scene.balance('alice')).toEqual([ISSUED - this.#paid, 0]);
  }

  #changes = 1;

  async #change(): Promise<void> {
    while (!this.#isOver) {
      const body = updateOf(this.#wallet, { handle: 'changing', custom: { at: this.#changes } }, this.scene.client.key);
      this.#wallet = (await this.#send('PUT', '/wallets/changing', body)).body;
      this.#changes += 1;
    }
  }

  async #pay(): Promise<void> {
    while (!this.#isOver) {
      const data = { handle: `pay-${this.#paid}`, claims: [transfer('alice', 'bob', 1)] };
      await this.#send('POST', '/intents', signed(data as unknown as JsonObject, this.scene.client.key));
      this.#paid += 1;
    }
  }

  /** The same body until it is taken: sent twice, it is stored once. */
  async #send(method: string, path: string, body: JsonObject): Promise<TestAnswer> {
    for (;;) {
      const answer = await this.scene.client.call(method, path, body);
      if (answer.status < 300) {
        this.stored += 1;
        return answer;
      }
      if (answer.status !== 503) ok(answer);
      this.refused.push(answer.text);
      await pause(20);
    }
  }
}
