import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readMigrations } from '../../src/store/sql.js';
import { withReceiver } from '../deliveries/receiver.js';
import { addWebhook } from '../deliveries/scene.js';
import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { asServingRole, ROLE } from '../support/serving-role.js';
import { runSql } from '../support/sql.js';
import { makeNextRelease, type NextRelease } from './next-release.js';

const newest = readMigrations().at(-1)!.number;
const BESIDE = `-- Servers that know ${newest} may serve beside it.\n`;

const receiver = withReceiver();
let database: TestDatabase;
/** By the role that serves, and owns nothing. */
let serving: TestDatabase;
let next: NextRelease;
const servers: RunningServer[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  serving = { url: await asServingRole(database.url), drop: async () => {} };
  next = await makeNextRelease(await additions());
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await next.remove();
  await database.drop();
});

/** A release that adds to every table: a column to each, a table, a function, and an index of the largest one. */
async function additions(): Promise<Record<string, string>> {
  const tables = await runSql<{ name: string }>(
    database.url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const columns = tables.map(
    ({ name }) => `${BESIDE}alter table ${name} add column of_next text not null default 'none';`,
  );
  const others = [
    `${BESIDE}create table of_next (ledger_id bigint primary key);
     create function of_next_1() returns int language sql as 'select 1';`,
    `${BESIDE}create index concurrently change_of_next on change (ledger_id, of_next);`,
  ];
  return Object.fromEntries([...columns, ...others].map((text, index) => [`${9001 + index}-of-next`, text]));
}

async function start(open?: NextRelease['openServer']): Promise<RunningServer> {
  const server = await startServer({ database: serving, deliveryAllowPrivate: true }, open);
  servers.push(server);
  return server;
}

/** Clients that use a ledger without a pause, until they are stopped. Whatever is refused ends them with an error. */
class Load {
  #isOver = false;
  #left: Promise<unknown>;
  done = 0;

  constructor(client: TestClient, name: string) {
    this.#left = Promise.all(['a', 'b', 'c'].map((one) => this.#use(client, `${name}-${one}`)));
    this.#left.catch(() => {});
  }

  async #use(client: TestClient, name: string): Promise<void> {
    const money = MoneyScene.of(client);
    for (let round = 0; !this.#isOver; round += 1) {
      const handle = `${name}-${round}`;
      const made = await stored(client, 'wallet', { handle });
      const changed = ok(await client.update(`/wallets/${handle}`, made, { handle, custom: { round } })).body;
      ok(await client.prove(`/wallets/${handle}`, changed, { seen: true }));
      ok(await client.create('/intents', { handle, claims: [transfer('alice', 'bob', 1)] }));
      for (const path of [
        `/wallets?data.custom.round=${round}`,
        `/wallets/${handle}/changes`,
        '/intents?meta.status=completed&page.limit=3',
        '/effects/hook/events?page.limit=3',
        '/system/requests?page.limit=3',
        '/wallets/alice/balances',
      ])
        ok(await client.get(path));
      await money.ends(handle, 'completed');
      this.done += 1;
    }
  }

  /** Resolves when so many more rounds are done. @throws what has ended it */
  async more(rounds: number): Promise<void> {
    const until = this.done + rounds;
    await Promise.race([eventually(async () => expect(this.done).toBeGreaterThanOrEqual(until)), this.#left]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#left;
  }
}

it('an earlier release and the next one serve together on the schema of the next, from before its migrations until it is alone', async () => {
  const old = await start();
  const client = await newLedger(old.url, {
    access: OPEN as JsonObject[],
    config: { 'request.journalingEnabled': true },
  });
  await stored(client, 'symbol', { handle: 'usd', factor: 1 });
  const money = MoneyScene.of(client);
  await money.add(['alice', 'bob']);
  await money.issue('alice', 1_000_000);
  await addWebhook(client, 'hook', receiver.url);
  const before = new Load(client, 'old');
  await before.more(5);

  const ran = await next.migrate(database.url, ROLE);
  expect(ran.length).toBeGreaterThan(30);
  await before.more(10);

  const later = await start(next.openServer);
  const beside = new Load(client.at(later.url), 'next');
  // A process of the earlier release that is replaced meanwhile.
  const again = await start();
  const replaced = new Load(client.at(again.url), 'again');
  await Promise.all([before.more(10), beside.more(10), replaced.more(5)]);
  await Promise.all([before.stop(), replaced.stop()]);
  await old.stop();
  await again.stop();
  servers.splice(0, servers.length, later);
  await beside.more(10);
  await beside.stop();

  const done = before.done + replaced.done + beside.done;
  expect(await MoneyScene.of(client.at(later.url)).balance('bob')).toEqual([done, 0]);
  await checkBooks(database.url);
  const there = client.at(later.url);
  for (const prefix of ['old', 'again', 'next']) {
    const { data } = ok(await there.get(`/wallets?data.handle.$regex=^${prefix}-&page.limit=1000`)).body;
    for (const { data: of, luid } of data as RecordEnvelope[])
      expect(ok(await there.get(`/wallets/${luid}/changes`)).body.page.total, String(of.handle)).toBe(3);
  }
  await eventually(async () => {
    expect(new Set(receiver.received.map(({ body }) => body.data.wallet.data.handle)).size).toBe(done);
    expect(await runSql(database.url, 'select from unsealed')).toEqual([]);
  });
});
