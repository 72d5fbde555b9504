import type { RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';

/** Of each ledger. */
const WRITERS = 3;

/** What a writer was told is stored of its wallet. */
interface Told {
  readonly client: TestClient;
  readonly handle: string;
  record: RecordEnvelope;
  changes: number;
}

/** Changes wallets of each ledger, one change after the other, until it is stopped. No write may fail. */
export async function startWriting(clients: readonly TestClient[]) {
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
    /** Stops, and compares what is stored with what was answered. @returns how many changes there are */
    async verify(): Promise<number> {
      isOver = true;
      await failed;
      for (const { client, handle, record, changes } of told) {
        expect((await client.get(`/wallets/${handle}`)).body).toEqual(record);
        expect((await client.get(`/wallets/${handle}/changes`)).body.page.total).toBe(changes);
      }
      return told.reduce((sum, { changes }) => sum + changes, 0);
    },
    /** Milliseconds that the slowest change took. */
    longest: () => Math.round(longest),
  };
}
