import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { query } from '../events/support.js';
import { type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { type RunningServer, startServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { MoneyScene } from './scene.js';

/** Two servers on one database that meet in a folder, as two processes of one machine. */
export class TwoSiblings {
  readonly lines: string[] = [];
  #started: { database: TestDatabase; folder: string; first: RunningServer; second: RunningServer } | undefined;

  constructor() {
    beforeAll(async () => {
      const database = await createMigratedDatabase();
      const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
      const first = await this.start(database, folder);
      this.#started = { database, folder, first, second: await this.start(database, folder) };
    });
    afterEach(() => checkBooks(this.database.url));
    afterAll(async () => {
      const { first, second, database, folder } = this.#running;
      await first.stop();
      await second.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  get #running() {
    if (!this.#started) throw new Error('The servers are started before the tests, not before the file is read.');
    return this.#started;
  }

  get database(): TestDatabase {
    return this.#running.database;
  }

  get folder(): string {
    return this.#running.folder;
  }

  get first(): RunningServer {
    return this.#running.first;
  }

  get second(): RunningServer {
    return this.#running.second;
  }

  start(database = this.database, siblings = this.folder): Promise<RunningServer> {
    const logger = pino({ level: 'warn' }, { write: (line: string) => void this.lines.push(line) });
    return startServer({ database, siblings, logger });
  }

  /** A ledger that the first server (or `home`) is the home of, and its client at the second. */
  async makeLedger(
    options: Parameters<typeof MoneyScene.make>[2] = {},
    home = this.first,
  ): Promise<{ money: MoneyScene; other: TestClient }> {
    const money = await MoneyScene.make(home.url, ['alice', 'bob'], options);
    await money.issue('alice', 1_000);
    return { money, other: new TestClient(this.second.url, money.client.key, money.client.ledger) };
  }

  /** The name of the home of a ledger. */
  async homeOf({ client }: MoneyScene): Promise<string> {
    const [row] = await query<{ holder: string }>(
      this.first,
      'select h.holder from home h join ledger l on l.id = h.ledger_id where l.handle = $1',
      [client.ledger],
    );
    return row!.holder;
  }

  /** The path at which the home of a ledger listens. */
  async pathOfHome(money: MoneyScene): Promise<string> {
    return join(this.folder, (await this.homeOf(money)).split('/').at(-1)!);
  }

  /** How many intents the second server has handed over, with that result. */
  async handed(result: 'answered' | 'back'): Promise<number> {
    const { registry } = this.second.server.metrics;
    const metric = await registry.getSingleMetric('countersign_intents_handed_over_total')!.get();
    return metric.values.find(({ labels }) => labels.result === result)?.value ?? 0;
  }
}

let sent = 0;

/** Sends an intent under a new handle. */
export async function send(
  client: TestClient,
  claims: readonly JsonObject[],
): Promise<{ handle: string; answer: TestAnswer }> {
  sent += 1;
  const handle = `h-${sent}`;
  return { handle, answer: await client.create('/intents', { handle, claims: [...claims] }) };
}
