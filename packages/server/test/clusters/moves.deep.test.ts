import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { moveShard, shardsOf } from '../support/nodes.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const LEDGERS = 6;
const WRITERS = 3;

/** What a writer was told is stored of its wallet. */
interface Told {
  readonly client: TestClient;
  readonly handle: string;
  record: RecordEnvelope;
  changes: number;
}

describe.runIf(process.env.CITUS_TEST_URL)('shards that the engine moves while ledgers write', () => {
  const server = withOwnServer();

  it('lose no change, and none is sealed before the one it follows', async () => {
    const { url, database } = server.current;
    const clients = await Promise.all(Array.from({ length: LEDGERS }, () => newLedger(url)));
    const writing = await startWriting(clients);
    const shards = await shardsOf(database.url);
    // There and back: each node is the one with the lower number once.
    for (const { shard } of [...shards, ...shards]) {
      await writing.more();
      await moveShard(database.url, shard);
    }
    expect((await shardsOf(database.url)).map(({ port }) => port)).toEqual(shards.map(({ port }) => port));
    await writing.more();
    const told = await writing.stop();
    for (const { client, handle, record, changes } of told) {
      expect((await client.get(`/wallets/${handle}`)).body).toEqual(record);
      expect((await client.get(`/wallets/${handle}/changes`)).body.page.total).toBe(changes);
    }
    await auditLogs(database.url);
    console.info({
      moves: 2 * shards.length,
      changes: told.reduce((sum, { changes }) => sum + changes, 0),
      longest: writing.longest(),
    });
  });
});

/** Changes wallets of each ledger, one change after the other, until it is stopped. No write may fail. */
async function startWriting(clients: readonly TestClient[]) {
  const all = clients.flatMap((client) =>
    Array.from({ length: WRITERS }, (_, writer) => ({ client, handle: `w-${writer}` })),
  );
  const told = await Promise.all(
    all.map(async ({ client, handle }): Promise<Told> => {
      return { client, handle, record: await stored(client, 'wallet', { handle }), changes: 1 };
    }),
  );
  let isOver = false;
  let longest = 0;
  const writers = told.map(async (one) => {
    const { client, handle } = one;
    while (!isOver) {
      const began = performance.now();
      const data = { handle, custom: { at: one.changes } };
      one.record = ok(await client.update(`/wallets/${handle}`, one.record, data)).body;
      one.changes += 1;
      longest = Math.max(longest, performance.now() - began);
    }
  });
  const failed = Promise.all(writers);
  failed.catch(() => {});
  return {
    /** Waits until each writer has stored more. */
    async more(): Promise<void> {
      const before = told.map(({ changes }) => changes);
      const grown = eventually(() => expect(told.every(({ changes }, at) => changes > before[at]! + 2)).toBe(true));
      await Promise.race([grown, failed]);
    },
    async stop(): Promise<readonly Told[]> {
      isOver = true;
      await failed;
      return told;
    },
    /** Milliseconds that the slowest change took. */
    longest: () => Math.round(longest),
  };
}
