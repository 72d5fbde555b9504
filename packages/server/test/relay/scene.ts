import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { query } from '../events/support.js';
import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { type RunningServer, startServer } from '../support/server.js';
import { listenAs, type Told, type ToldLeader } from './told-leader.js';

/** Two servers on one database that meet in a folder, as two processes of one machine. */
export class TwoSiblings {
  readonly lines: string[] = [];
  readonly #told: ToldLeader[] = [];
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
      for (const told of this.#told) await told.stop();
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

  /** A ledger that the first server (or `leader`) is the leader of, and its client at the second. */
  async makeLedger(
    options: Parameters<typeof MoneyScene.make>[2] = {},
    leader = this.first,
  ): Promise<{ money: MoneyScene; other: TestClient }> {
    const money = await MoneyScene.make(leader.url, ['alice', 'bob'], options);
    await money.issue('alice', 1_000);
    return { money, other: new TestClient(this.second.url, money.client.key, money.client.ledger) };
  }

  /** The name of the leader of a ledger. */
  async leaderOf({ client }: MoneyScene): Promise<string> {
    const [row] = await query<{ holder: string }>(
      this.first,
      'select h.holder from home h join ledger l on l.id = h.ledger_id where l.handle = $1',
      [client.ledger],
    );
    return row!.holder;
  }

  /** Makes another process the leader of a ledger for a while, unasked. */
  async moveLeader({ client }: MoneyScene, holder: string): Promise<void> {
    const text = `update home set holder = $1, until = clock_timestamp() + interval '10 seconds'
      where ledger_id = (select id from ledger where handle = $2)`;
    await query(this.first, text, [holder, client.ledger]);
  }

  /** The path at which the leader of a ledger listens. */
  async pathOfLeader(money: MoneyScene): Promise<string> {
    return join(this.folder, (await this.leaderOf(money)).split('/').at(-1)!);
  }

  /**
   * A ledger whose leader the first server is, while the second takes a process for it that does as it is told.
   *
   * @param does what it does with a request that it is sent; that it is there it says by itself
   * @param second which server takes it for the leader
   */
  async makeTold(
    does: (told: Told) => void,
    second = this.second,
  ): Promise<{ money: MoneyScene; other: TestClient; told: ToldLeader }> {
    const { money } = await this.makeLedger();
    const other = money.client.at(second.url);
    const real = await this.leaderOf(money);
    const name = randomBytes(8).toString('hex');
    const told = await listenAs(join(this.folder, name), await this.pathOfLeader(money), does);
    this.#told.push(told);
    await this.moveLeader(money, `9/9/${name}`);
    told.teach();
    expect((await send(other, [transfer('alice', 'bob', 1)])).answer.text).toBe('taught');
    await this.moveLeader(money, real);
    return { money, other, told };
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
