import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runLogRestart } from '../../src/archive/operator.js';
import { logLimits } from '../../src/log/log-limits.js';
import { type ErasedLedger, erasedLedger } from '../archive/erased-ledger.js';
import { exported, imported, verified } from '../archive/support.js';
import { Draft } from '../archive/tree/draft.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { auditLogs } from './audit.js';

const WITH_KEYS = { passphrase: 'a long passphrase' };

let from: RunningServer;
let source: ErasedLedger;
let text: string;
let dataDir: string;
/** The ledger where its log has some of the erased changes, and lacks others. */
let database: TestDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-imported-'));
  from = await startServer();
  source = await erasedLedger(from.url);
  text = await exported(from, source.scene.client.ledger!, WITH_KEYS);
  database = await createMigratedDatabase();
  await imported({ database } as RunningServer, text, WITH_KEYS);
  await partly();
}, 600_000);
afterAll(async () => {
  await from.stop();
  await database.drop();
  await rm(dataDir, { recursive: true });
});

/** Has a server make leaves of a part of the changes, few at a time, so that records are parted. */
async function partly(): Promise<void> {
  const { backfill } = logLimits;
  Object.assign(logLimits, { backfill: 7 });
  const running = await startServer({ database, dataDir });
  try {
    await eventually(async () => {
      const [row] = await runSql<{ left: number; done: number }>(
        database.url,
        `select (select count(*) from erased_leaf)::int as left,
          (select count(*) from log_leaf where salts is null)::int as done`,
      );
      expect(row!.done).toBeGreaterThan(3);
      expect(row!.left).toBeGreaterThan(0);
    });
  } finally {
    await running.stop();
    Object.assign(logLimits, { backfill });
  }
}

/** What each erased change was committed to, by place. */
const commitments = (text: string) =>
  Draft.of(text).changes.flatMap(({ luid, change, text, leaf }) =>
    text === null ? [[luid, change, leaf.commitment]] : [],
  );

it('is exported while it is being made: the rest of the erased changes by their commitments alone', async () => {
  const early = await exported({ database } as RunningServer, source.scene.client.ledger!, WITH_KEYS);
  const { told, summary } = verified(early);
  expect(told).toEqual([]);
  const draft = Draft.of(early);
  const erased = draft.changes.filter((line) => line.text === null);
  const named = erased.filter(({ leaf }) => leaf.index === undefined);
  expect(draft.header.log.behind).toBe(true);
  expect([named.length > 0, named.length < erased.length]).toEqual([true, true]);
  expect(summary.unchecked.join()).toContain(`${named.length} changes whose text was erased before an import`);
  expect(summary.unchecked.join()).toContain(`${erased.length - named.length} changes whose text was erased: that`);
  expect(commitments(early)).toEqual(commitments(text));
  draft.header.log.behind = undefined;
  expect(verified(draft.text()).findings.map(({ detail }) => detail)).toContain("has no index in 'leaf'");

  const next = await startServer({ masterKey: Buffer.alloc(32, 9) });
  try {
    expect(await imported(next, early, WITH_KEYS, Buffer.alloc(32, 9))).toEqual([]);
    await auditLogs(next.database.url);
  } finally {
    await next.stop();
  }
});

it('has a leaf of each erased change once it has begun anew in the middle', async () => {
  await runSql(database.url, `update log set stopped = 'by hand'`);
  const settings = { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64'), DATA_DIR: dataDir };
  await runLogRestart({ settings, now: Date.now, ledger: source.scene.client.ledger! });
  const running = await startServer({ database, dataDir });
  try {
    await auditLogs(database.url);
    expect(await runSql(database.url, 'select from erased_leaf')).toEqual([]);
    const later = await exported(running, source.scene.client.ledger!, WITH_KEYS);
    expect(verified(later).told).toEqual([]);
    expect(Draft.of(later).header.log.generation).toBe(2);
    expect(commitments(later)).toEqual(commitments(text));
  } finally {
    await running.stop();
  }
});
