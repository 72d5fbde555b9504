import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTool } from '../deploy/tools.js';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { LogReader } from '../log/reading.js';
import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { atOnce } from '../store/intact.js';
import { signed, type TestAnswer, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { asked } from './cluster.js';
import { type PatroniCluster, POSTGRES, startPatroni } from './patroni.js';

const missing = ['patroni', 'etcd', join(POSTGRES, 'postgres')].filter((name) => !isThere(name));
if (missing.length > 0) {
  const text = `the drill with Patroni is left out: there is no ${missing.join(', ')}`;
  if (process.env.REQUIRE_PATRONI === '1') throw new Error(text);
  console.warn(text);
}

function isThere(program: string): boolean {
  return program.startsWith('/') ? existsSync(program) : findTool(program) !== undefined;
}

const PATIENCE = 300_000;
const WALLETS = ['a', 'b', 'c', 'd'];
const ISSUED = 1_000_000;
/** Writes that are acknowledged before the kill, and after it. */
const ENOUGH = process.env.LONG_TESTS ? 500 : 150;
/** Milliseconds after which writes must be back. */
const BACK_WITHIN = 10_000;

/** A signed body, sent until it is acknowledged. */
interface Sent {
  readonly path: '/wallets' | '/intents';
  readonly body: ReturnType<typeof signed>;
  /** From one wallet to another, for a transfer. */
  readonly moves?: readonly [string, string];
  /** The first answer that acknowledged it. */
  first?: TestAnswer;
}

interface Outcome {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  readonly status: number;
}

/** The longest time without a new write from a moment on. What was under way may still end just after it. */
function longestPause(from: number, outcomes: readonly Outcome[]): number {
  const written = outcomes.flatMap(({ at, status }) => (status === 201 && at > from ? [at] : []));
  return Math.max(...written.map((at, index) => at - (written[index - 1] ?? from)));
}

describe.skipIf(missing.length > 0)('the primary of two servers under Patroni is killed', () => {
  let folder: string;
  let cluster: PatroniCluster;
  let service: Service;
  let client: TestClient;
  let money: MoneyScene;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-patroni-')));
    // PostgreSQL runs as a user of its own.
    await chmod(folder, 0o755);
    cluster = await startPatroni(join(await mkdtemp(join(folder, 'cluster-'))));
    await cluster.inSync();
    service = await startService(join(folder, 'data'), 2, {
      DATABASE_URL: cluster.url,
      MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    });
    money = await MoneyScene.make(service.url, WALLETS, { config: { log: 'open' } });
    ({ client } = money);
    for (const wallet of WALLETS) await money.issue(wallet, ISSUED);
  }, PATIENCE);

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(join(folder, 'data'));
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }, PATIENCE);

  /** Creates wallets and moves money until told to stop. What fails is sent again, the same body, after a moment. */
  function load() {
    const all: Sent[] = [];
    const outcomes: Outcome[] = [];
    let stopped = false;
    const send = async (one: Sent): Promise<void> => {
      while (one.first === undefined) {
        const answer = await client.call('POST', one.path, one.body).catch(() => undefined);
        outcomes.push({ at: performance.now(), status: answer?.status ?? 0 });
        if (answer && answer.status < 300) one.first = answer;
        else if (stopped) return;
        else await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const working = atOnce(16, async (worker) => {
      for (let number = 0; !stopped; number += 1) {
        const handle = `${worker}-${number}`;
        const moves = [WALLETS[number % 4]!, WALLETS[(number + 1 + (worker % 3)) % 4]!] as const;
        const one: Sent =
          worker % 2 === 0
            ? { path: '/wallets', body: signed({ handle: `w-${handle}` }, client.key) }
            : {
                path: '/intents',
                body: signed({ handle: `t-${handle}`, claims: [transfer(...moves, 1)] }, client.key),
                moves,
              };
        all.push(one);
        await send(one);
      }
    });
    const stop = async () => {
      stopped = true;
      await working;
    };
    return { all, outcomes, stop };
  }

  /** Sends each body once more, and compares its record with the one that was acknowledged. */
  async function sendAgain(all: readonly Sent[]) {
    const found = { acknowledged: 0, lost: 0, different: 0 };
    await atOnce(8, async (worker) => {
      for (const { path, body, first } of all.filter((_, index) => index % 8 === worker)) {
        const again = await client.call('POST', path, body);
        expect([200, 201], again.text).toContain(again.status);
        if (first === undefined) continue;
        found.acknowledged += 1;
        if (again.status !== 200) found.lost += 1;
        else if (again.body.luid !== first.body.luid || again.body.hash !== first.body.hash) found.different += 1;
      }
    });
    return found;
  }

  /** Each body has one record, each transfer has moved its money once, and the books are right. */
  async function expectOnce(all: readonly Sent[], url: string): Promise<void> {
    const counted = `select count(*)::int as records, count(distinct (kind, handle))::int as names
      from record where handle ~ '^[wt]-\\d+-\\d+$'`;
    expect(await asked(url, counted)).toEqual([{ records: all.length, names: all.length }]);
    for (const wallet of WALLETS) {
      const count = (side: 0 | 1) => all.filter(({ moves }) => moves?.[side] === wallet).length;
      await eventually(async () => expect(await money.balance(wallet)).toEqual([ISSUED - count(0) + count(1), 0]));
    }
    await checkBooks(url);
  }

  it('and what was acknowledged is there once, as it was, when the standby has taken over', {
    timeout: PATIENCE,
  }, async () => {
    const reader = await LogReader.of(client);
    const { all, outcomes, stop } = load();
    const acknowledged = () => outcomes.filter(({ status }) => status === 201).length;
    await eventually(() => expect(acknowledged()).toBeGreaterThan(ENOUGH));
    const before = await cluster.primary();
    const { size } = await eventually(() => reader.checkpoint());
    expect(size).toBeGreaterThan(0);
    const killed = performance.now();
    await cluster.kill(before);
    await eventually(async () => expect((await cluster.primary()).name).not.toBe(before.name)).catch(async (error) => {
      console.error(await cluster.logs());
      throw error;
    });
    const count = acknowledged();
    await eventually(() => expect(acknowledged()).toBeGreaterThan(count + ENOUGH));
    await stop();
    const after = await cluster.primary();
    expect(after.name).not.toBe(before.name);
    expect([200, 201, 503]).toEqual(expect.arrayContaining([...new Set(outcomes.map(({ status }) => status))]));

    const repeated = await sendAgain(all);
    expect(repeated).toMatchObject({ lost: 0, different: 0 });
    await expectOnce(all, cluster.urlOf(after));
    // The log goes on from what was shown, and no loss is told.
    expect((await eventually(() => reader.checkpoint())).size).toBeGreaterThanOrEqual(size);
    expect(await (await fetch(new URL('/health', service.url))).json()).toEqual({ status: 'UP' });
    expect(service.errors()).not.toContain('writes are lost');
    const back = longestPause(killed, outcomes);
    console.info(
      `failover: writes back after ${Math.round(back)} ms; ${repeated.acknowledged} acknowledged, 0 lost, 0 different, 0 twice, ` +
        `${outcomes.filter(({ status }) => status === 503).length} answers of 503 meanwhile`,
    );
    expect(back).toBeLessThan(BACK_WITHIN);
  });

  it('and a client without its certificate, or one that expects another authority, is refused', async () => {
    const url = new URL(cluster.urlOf(await cluster.primary()));
    const refused = async (without: readonly string[]) => {
      const one = new URL(url);
      for (const name of without) one.searchParams.delete(name);
      const connection = new pg.Client({ connectionString: one.href });
      return connection.connect().then(
        () => connection.end().then(() => 'connected'),
        (error: Error) => error.message,
      );
    };
    expect(await refused(['sslcert', 'sslkey'])).toMatch(/valid client certificate/);
    expect(await refused(['sslrootcert'])).toMatch(/certificate/);
    expect(await refused([])).toBe('connected');
    // Another name of the same address, which the certificate lacks.
    url.hostname = '127.1';
    expect(await refused([])).toMatch(/does not match certificate's altnames/);
  });
});
