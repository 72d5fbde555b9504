import { mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '../money/invariants.js';
import { checkReplay } from '../money/replay.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { signed, type TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { leaveNothingBehind, startService } from './service.js';

const FAILING = fileURLToPath(new URL('../support/failing-thread.cjs', import.meta.url));
const LANES = 12;

/** Transfers that are acknowledged before a thread fails, and after. */
const STRETCH = 60;

let dataDir: string;
let database: TestDatabase;

beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-thread-')));
  database = await createMigratedDatabase();
});

afterEach(async () => {
  await leaveNothingBehind(dataDir);
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Transfers one unit at a time. What is not answered, or with an error of the server, is sent again as it was. */
function load(client: TestClient) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const settle = async (handle: string) => {
    const body = signed({ handle, claims: [transfer('alice', 'bob', 1)] }, client.key);
    for (;;) {
      const answer = await client.call('POST', '/intents', body).catch(() => undefined);
      if (answer && answer.status < 500) return expect([200, 201], answer.text).toContain(answer.status);
      await pause(20);
    }
  };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let number = 0; !isStopped; number += 1) {
      const handle = `t-${lane}-${number}`;
      await settle(handle);
      acknowledged.push(handle);
    }
  });
  return {
    acknowledged,
    async more() {
      const enough = acknowledged.length + STRETCH;
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(enough));
    },
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
    },
  };
}

const THROWS = ['throws', 'the thread cannot go on'] as const;
const EXITS = ['exits', 'The signing thread has ended with 3.'] as const;
/** Processes that serve, how the thread fails, and what is said of it. */
const WAYS: [number, string, string][] = [
  [1, ...THROWS],
  [2, ...EXITS],
];
if (process.env.LONG_TESTS) WAYS.push([2, ...THROWS], [1, ...EXITS]);

describe.skipIf(process.platform === 'win32')('a process whose signing thread fails', () => {
  // Each way of its failing, where nobody else serves or where somebody does; both ways in both where there is time.
  it.each(WAYS)(
    'is replaced, and every acknowledged transfer is stored once (%i processes, it %s)',
    async (workers, way, message) => {
      const file = join(dataDir, 'fail');
      const service = await startService(dataDir, workers, {
        DATABASE_URL: database.url,
        NODE_OPTIONS: `--require ${FAILING}`,
        FAIL_THREAD: file,
        BACKGROUND_LEASE: '3000',
      });
      const money = await MoneyScene.make(service.url);
      await money.issue('alice', 1_000_000);
      const { acknowledged, more, stop } = load(money.client);
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into lines of the log
      const lines = (message: string): any[] =>
        service
          .errors()
          .split('\n')
          .filter((line) => line.includes(message))
          .map((line) => JSON.parse(line));
      const died = () => lines('a worker has died and is replaced');
      const ended = () => lines('the signing thread has ended: the process ends');
      const fail = async (way: string) => {
        const before = died().length;
        await more();
        await writeFile(`${file}.new`, way);
        await rename(`${file}.new`, file);
        await eventually(() => expect(died()).toHaveLength(before + 1));
      };
      await fail(way);
      const fatal = 60;
      expect(ended().map(({ level, err }) => [level, err.message])).toEqual([[fatal, message]]);
      expect(died().map(({ code }) => code)).toEqual([1]);
      // Where V8 has no room left to end the thread alone, it ends the process.
      await fail('takes all memory');
      await more();
      await stop();
      await eventually(() => expect(service.workers()).toHaveLength(workers));
      // Some were only accepted, while the leader of the ledger was still the process that has died.
      for (const handle of acknowledged) await money.ends(handle, 'completed');
      expect(await money.balance('bob')).toEqual([acknowledged.length, 0]);
      const said = service.errors();
      expect(await service.stop()).toBe(0);
      expect(service.errors()).toBe(said);
      await checkBooks(database.url);
      await checkReplay(database.url);
    },
  );
});
