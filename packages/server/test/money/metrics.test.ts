import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { newKey, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { type RunningServer, startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { issue, MoneyScene, transfer } from './scene.js';

/** The clock of the ledger, which the tests move on by hours. */
const start = Date.now();
let hours = 0;
const server = withOwnServer({ runtime: { now: () => start + hours * 3_600_000, random: randomBytes } });

/** The value of a metric with this label, 0 where it was never counted. */
async function metricOf({ server: { metrics } }: RunningServer, name: string, label?: string): Promise<number> {
  const metric = await metrics.registry.getSingleMetric(`countersign_${name}`)!.get();
  const found = metric.values.find(({ labels }) => label === undefined || Object.values(labels).includes(label));
  return found?.value ?? 0;
}

const total = (outcome: string) => metricOf(server.current, 'intents_total', outcome);
const open = (stage: string) => metricOf(server.current, 'intents_open', stage);
const age = (stage: string) => metricOf(server.current, 'intents_oldest_open_seconds', stage);

/** Where anybody may create intents, which wait for their signers then. */
function sceneOfStrangers(): Promise<MoneyScene> {
  const key = newKey();
  const rules = [
    { action: 'any', record: 'any', signer: { public: key.public } },
    { action: 'access' },
    { action: 'create', record: 'intent' },
  ];
  return MoneyScene.make(server.current.url, ['alice', 'bob'], { key, access: rules as JsonObject[] });
}

describe('the metrics of intents', () => {
  it('count what was decided, by outcome', async () => {
    const before = [await total('completed'), await total('rejected'), await total('waiting')];
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    await money.done([transfer('alice', 'bob', 10)]);
    await money.rejected([transfer('alice', 'bob', 1)]);
    const after = [await total('completed'), await total('rejected'), await total('waiting')];
    expect(after.map((count, index) => count - before[index]!)).toEqual([2, 1, 0]);
  });

  it('tell what is under way by what it waits for, and the age of the oldest', async () => {
    const money = await sceneOfStrangers();
    const before = await total('waiting');
    const stranger = money.client.as(newKey());
    for (const handle of ['first', 'second']) {
      const answer = await stranger.create('/intents', { handle, claims: [transfer('alice', 'bob', 1)] });
      expect(answer.status, answer.text).toBe(201);
      hours += 0.25;
    }
    expect((await total('waiting')) - before).toBe(2);
    expect([await open('waiting'), await age('waiting')]).toEqual([2, 1_800]);
    expect([await open('credits'), await age('credits')]).toEqual([0, 0]);
    hours += 1;
    await eventually(async () => expect(await open('waiting')).toBe(0));
    expect(await age('waiting')).toBe(0);
  });

  it('tell what a suspension keeps waiting apart from what is to go on', async () => {
    const money = await sceneOfStrangers();
    const stranger = money.client.as(newKey());
    for (const handle of ['first', 'second'])
      expect((await stranger.create('/intents', { handle, claims: [transfer('alice', 'bob', 1)] })).status).toBe(201);
    const { url } = server.current.database;
    const suspend = (level: string | null) =>
      runSql(
        url,
        `update ledger set suspended = $2, suspended_why = case when $2::text is not null then 'x' end,
          suspended_since = case when $2::text is not null then now() end where handle = $1`,
        [money.client.ledger, level],
      );
    const setStage = (from: string, to: string) =>
      runSql(
        url,
        `update open_intent o set stage = $1 where (o.ledger_id, o.luid) in (
           select ledger_id, luid from open_intent where stage = $2 order by luid limit 1)`,
        [to, from],
      );
    await setStage('waiting', 'committing');
    hours += 0.25;
    const counts = async () => [await open('waiting'), await open('committing'), await open('suspended')];
    expect(await counts()).toEqual([1, 1, 0]);
    await suspend('writes');
    expect(await counts()).toEqual([0, 1, 1]);
    expect([await age('waiting'), await age('committing'), await age('suspended')]).toEqual([0, 900, 900]);
    // Its bridges cannot report.
    await suspend('all');
    expect(await counts()).toEqual([0, 0, 2]);
    expect(await age('committing')).toBe(0);
    await setStage('committing', 'waiting');
    await suspend(null);
    hours += 1;
    await eventually(async () => expect(await counts()).toEqual([0, 0, 0]));
  });

  it('count groups that were decided anew', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    const before = await metricOf(server.current, 'intent_batches_redone_total');
    const database = new pg.Client({ connectionString: server.current.database.url });
    await database.connect();
    await database.query('update balance set version = version + 1');
    await database.end();
    await money.done([transfer('alice', 'bob', 10)]);
    expect(await metricOf(server.current, 'intent_batches_redone_total')).toBe(before + 1);
  });

  it('stay low while many claim one handle at once', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 1_000);
    const before = await metricOf(server.current, 'intent_batches_redone_total');
    const create = (handle: string, amount: number) =>
      money.client.create('/intents', { handle, claims: [transfer('alice', 'bob', amount)] });
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    const sent = await Promise.all(
      numbers.map((number) => (number % 2 ? create(`own-${number}`, 1) : create('shared', number + 1))),
    );
    const statuses = sent.filter((_, number) => number % 2 === 0).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(29).fill(409)]);
    expect(sent.every(({ status }, number) => number % 2 === 0 || status === 201)).toBe(true);
    expect((await metricOf(server.current, 'intent_batches_redone_total')) - before).toBeLessThan(3);
  });

  it('count ledgers that another process had', async () => {
    const { database } = server.current;
    const first = await startServer({ database });
    const second = await startServer({ database });
    try {
      const money = await MoneyScene.make(first.url);
      await money.issue('alice', 10);
      await first.stop();
      const elsewhere = new TestClient(second.url, money.client.key, money.client.ledger);
      const intent = { handle: 'moved', claims: [issue('alice', 1)] };
      expect((await elsewhere.create('/intents', intent)).status).toBe(201);
      expect(await metricOf(second, 'intent_homes_moved_total')).toBe(1);
    } finally {
      await second.stop();
    }
  });
});
