import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signed, type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { checkReplay } from './replay.js';
import { issue, MoneyScene, transfer } from './scene.js';
import { balanceOf } from './under-way.js';

let database: TestDatabase;
let server: RunningServer;
let money: MoneyScene;
/** Straight to the database. */
let holder: pg.Client;
let watcher: pg.Client;

beforeAll(async () => {
  database = await createMigratedDatabase();
  server = await start();
  money = await MoneyScene.make(server.url, ['alice', 'bob', 'carol', 'spoilt']);
  await stored(money.client, 'symbol', { handle: 'eur', factor: 1 });
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  watcher = new pg.Client({ connectionString: database.url });
  await watcher.connect();
});

function start(): Promise<RunningServer> {
  return startServer({ database, requestTimeout: 5_000 });
}

/** Another server in place of the one that has stopped. */
async function startAgain(): Promise<void> {
  const { key, ledger } = money.client;
  server = await start();
  Object.assign(money, { client: new TestClient(server.url, key, ledger) });
}

afterAll(async () => {
  await holder.end();
  await watcher.end();
  await server.stop();
  await database.drop();
});

afterEach(async () => {
  await holder.query('rollback');
  await checkBooks(database.url);
  await checkReplay(database.url);
});

let rounds = 0;

/** Transfers of one unit each from alice to bob, as they are sent. */
async function makeTransfers(count: number): Promise<object[]> {
  rounds += 1;
  await money.done([issue('alice', count)], { custom: { rounds } });
  return Array.from({ length: count }, (_, n) =>
    signed({ handle: `f-${rounds}-${n}`, claims: [transfer('alice', 'bob', 1)] }, money.client.key),
  );
}

const sendAll = (bodies: readonly object[]): Promise<TestAnswer[]> =>
  Promise.all(bodies.map((body) => money.client.call('POST', '/intents', body)));

async function available(wallet: string): Promise<number> {
  return (await balanceOf(money, wallet))[0] ?? 0;
}

/** Sends intents while the leader's row is locked, and waits until the statement that settles waits for it. */
async function sendInto(bodies: readonly object[]): Promise<readonly Promise<TestAnswer[]>[]> {
  await holder.query('begin; select from home for update');
  const answers = sendAll(bodies);
  await eventually(async () => {
    // Not by the holder: within a transaction it sees the same all the time.
    const { rows } = await watcher.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%settle_batch%'`,
    );
    expect(rows.length).toBeGreaterThan(0);
  });
  return [answers];
}

/** Sent again, each is found or made, and all have moved their unit once. */
async function expectOnce(bodies: readonly object[], before: number, statuses: readonly number[]): Promise<void> {
  const again = await sendAll(bodies);
  for (const { status, text } of again) expect(statuses, text).toContain(status);
  expect(await available('bob')).toBe(before + bodies.length);
  expect(await balanceOf(money, 'alice')).toEqual([0, 0]);
}

describe('intents that wait too long', () => {
  it('are answered so, and are stored once or not at all', async () => {
    // More than a batch: some are under way, the others wait for it.
    const bodies = await makeTransfers(40);
    const before = await available('bob');
    const [answers] = await sendInto(bodies);
    for (const { status } of await answers!) expect(status).toBe(408);
    await holder.query('rollback');
    await expectOnce(bodies, before, [200, 201]);
  });

  it('are all answered by a server that stops, and the next one goes on at once', async () => {
    const bodies = await makeTransfers(40);
    const before = await available('bob');
    const [answers] = await sendInto(bodies);
    const stopped = server.stop();
    await holder.query('rollback');
    for (const { status, text } of await answers!) expect(status, text).toBe(201);
    await stopped;
    await startAgain();
    await money.done([transfer('bob', 'alice', 1)]);
    await money.done([transfer('alice', 'bob', 1)]);
    await expectOnce(bodies, before, [200]);
  });
});

/** Has the database refuse movements in a symbol. @param when a condition on how often it has, `n` */
async function refuse(symbol: string, code: string, when: string): Promise<() => Promise<unknown>> {
  await holder.query(`
    create sequence refused;
    create function refuse() returns trigger language plpgsql as $$ declare n bigint; begin
      if new.symbol = '${symbol}' then
        n := nextval('refused');
        if ${when} then raise exception 'refused' using errcode = '${code}'; end if;
      end if;
      return new;
    end $$;
    create trigger refuse before insert on entry for each row execute function refuse();`);
  return () => holder.query('drop trigger refuse on entry; drop function refuse(); drop sequence refused;');
}

const among = async (spoilt: JsonObject): Promise<{ answers: TestAnswer[]; spoilt: Promise<TestAnswer> }> => {
  const bodies = await makeTransfers(40);
  const one = money.client.create('/intents', { handle: `spoilt-${rounds}`, claims: [spoilt] });
  return { answers: await sendAll(bodies), spoilt: one };
};

describe('a database that refuses', () => {
  const allow = (requestTimeout: number) => void Object.assign(server.server.service, { requestTimeout });
  // On a busy machine, those that are stored take more than what is waited for above.
  beforeAll(() => allow(60_000));

  it('some commits for now: they are decided anew, and nobody hears of it', async () => {
    const before = await available('bob');
    const bodies = await makeTransfers(40);
    const mend = await refuse('usd', 'serialization_failure', 'n % 3 = 1 and n < 40');
    for (const { status, text } of await sendAll(bodies)) expect(status, text).toBe(201);
    await mend();
    expect(await available('bob')).toBe(before + 40);
  });

  it('one intent as such: its neighbours are stored', async () => {
    const mend = await refuse('eur', 'check_violation', 'true');
    try {
      const [first, ...others] = await makeTransfers(21);
      // While a first one is held up, it and its neighbours come into one batch.
      const held = await sendInto([first!]);
      const spoilt = money.client.create('/intents', {
        handle: `spoilt-${rounds}`,
        claims: [issue('spoilt', 1, 'eur')],
      });
      const answers = sendAll(others);
      await pause(500);
      await holder.query('rollback');
      for (const { status, text } of [...(await answers), ...(await Promise.all(held)).flat()])
        expect(status, text).toBe(201);
      expect((await spoilt).status).toBe(500);
    } finally {
      await holder.query('rollback');
      await mend();
    }
    ok(await money.client.create('/intents', { handle: `spoilt-${rounds}`, claims: [issue('spoilt', 1, 'eur')] }));
    expect(await balanceOf(money, 'spoilt', 'eur')).toEqual([1]);
  });

  it('one intent again and again: it ends with its time, and others have their turns', async () => {
    allow(5_000);
    const mend = await refuse('eur', 'serialization_failure', 'true');
    const { answers, spoilt } = await among(issue('spoilt', 1, 'eur'));
    for (const { status, text } of answers) expect(status, text).toBe(201);
    const late = await sendAll(await makeTransfers(20));
    for (const { status, text } of late) expect(status, text).toBe(201);
    expect([408, 503]).toContain((await spoilt).status);
    await mend();
  });
});
