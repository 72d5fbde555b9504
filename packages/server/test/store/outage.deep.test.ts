import type { RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type Cable, layCable } from './cable.js';
import { atOnce, expectIntact, tally } from './intact.js';

/** Of a kind that may be renamed. */
const effect = (handle: string) => ({
  handle,
  signal: 'wallet-created',
  action: { endpoint: 'https://example.com' },
});

const UNAVAILABLE = '503 api.unexpected-error';

describe('a database that goes away and comes back', () => {
  let database: TestDatabase;
  let cable: Cable;
  let server: RunningServer;
  let client: TestClient;

  beforeAll(async () => {
    database = await createDatabase();
    cable = await layCable(database.url);
    server = await startServer({ database: { url: cable.url, drop: async () => {} } });
    client = await newLedger(server.url);
  });

  afterAll(async () => {
    await cable.mend();
    await server.stop();
    await cable.close();
    await database.drop();
  });

  const root = () => new URL(server.url).origin;
  const health = async (probe: string) => (await fetch(`${root()}/health/${probe}`)).status;

  async function untilReady(status = 200): Promise<void> {
    await eventually(async () => expect(await health('ready')).toBe(status));
  }

  /** Works on the ledger with creates and with writes that take a transaction of their own, until told to stop. */
  function load(prefix: string): {
    acknowledged: Map<string, string>;
    answers: TestAnswer[];
    stop(): Promise<TestAnswer[]>;
  } {
    const acknowledged = new Map<string, string>();
    const answers: TestAnswer[] = [];
    let stopped = false;
    const working = atOnce(12, async (worker) => {
      for (let number = 0; !stopped; number += 1) {
        const handle = `${prefix}-${worker}-${number}`;
        const made = await client.create('/effects', effect(handle));
        answers.push(made);
        if (made.status === 201) acknowledged.set(made.body.luid, handle);
        if (made.status !== 201 || worker % 2 === 0) continue;
        const renamed = await client.update(`/effects/${handle}`, made.body, effect(`${handle}-renamed`));
        answers.push(renamed);
        if (renamed.status === 200) acknowledged.set(made.body.luid, `${handle}-renamed`);
      }
    });
    return {
      acknowledged,
      answers,
      async stop() {
        stopped = true;
        await working;
        return answers;
      },
    };
  }

  async function expectKept(acknowledged: Map<string, string>): Promise<void> {
    expect(acknowledged.size).toBeGreaterThan(0);
    for (const [luid, handle] of acknowledged) {
      const history = await expectIntact(client, '/effects', luid);
      expect(history.map(({ data }) => data.handle)).toContain(handle);
    }
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('is noticed, and nothing that was acknowledged is lost, when every connection is cut under load', async () => {
    const { acknowledged, answers, stop } = load('cut');
    await eventually(() => expect(Object.keys(tally(answers))).toEqual(expect.arrayContaining(['200', '201'])));
    await cable.cut();
    await eventually(() => expect(tally(answers)).toHaveProperty([UNAVAILABLE]));
    await stop();
    expect(Object.keys(tally(answers)).sort()).toEqual(['200', '201', UNAVAILABLE]);
    expect(await health('live')).toBe(200);
    await untilReady(503);
    await cable.mend();
    await untilReady();
    await expectKept(acknowledged);
  });

  it('makes every request fail clearly and before its time is over, and a repeated one succeed afterwards', async () => {
    const wallet: RecordEnvelope = await stored(client, 'wallet', { handle: 'w' });
    const body = signed({ handle: 'once' }, client.key);
    await cable.cut();
    const answers = await Promise.all([
      client.call('POST', '/wallets', body),
      client.update('/wallets/w', wallet, { handle: 'w', custom: { a: 1 } }),
      client.update('/wallets/w', wallet, { handle: 'other' }),
      client.drop('/wallets/w', wallet),
      client.prove('/wallets/w', wallet, {}),
      client.get('/wallets/w'),
      client.get('/wallets'),
      client.get(`/wallets/${wallet.luid}/changes`),
      client.get('/ledger'),
    ]);
    expect(tally(answers)).toEqual({ [UNAVAILABLE]: answers.length });
    for (const { body: error, headers } of answers) {
      expect(error.data.detail).toBe('The service is not available at the moment. Retry later.');
      expect(error.meta.proofs).toHaveLength(1);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
    }
    // A ledger this server has not seen yet cannot even sign.
    const unseen = await client.in('never-seen').get('/ledger');
    expect([unseen.status, unseen.body.meta.proofs]).toEqual([503, []]);
    await cable.mend();
    await untilReady();
    const again = await client.call('POST', '/wallets', body);
    expect([200, 201]).toContain(again.status);
    expect((await client.call('POST', '/wallets', body)).text).toBe(again.text);
    expect(await expectIntact(client, '/wallets', wallet.luid)).toHaveLength(1);
    expect((await client.in('never-seen').get('/ledger')).status).toBe(404);
  });

  it('is told of in time when it only falls silent', async () => {
    cable.stall();
    // Left to the statement's own time, it would take longer than this test may.
    await untilReady(503);
    expect(await health('live')).toBe(200);
    await cable.mend();
    await untilReady();
    expect((await client.create('/wallets', { handle: 'after-silence' })).status).toBe(201);
  });

  it('may end every session, as on a restart: the next requests go through', async () => {
    const { acknowledged, answers, stop } = load('restart');
    const operator = new pg.Client({ connectionString: database.url });
    await operator.connect();
    for (let round = 0; round < 5; round += 1) {
      await pause(60);
      await operator.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    }
    await operator.end();
    await pause(60);
    await stop();
    for (const outcome of Object.keys(tally(answers))) expect(['200', '201', UNAVAILABLE]).toContain(outcome);
    await untilReady();
    ok(await client.create('/wallets', { handle: 'after-restart' }));
    await expectKept(acknowledged);
  });
});
