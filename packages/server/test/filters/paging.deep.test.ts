import { randomBytes } from 'node:crypto';
import type { RecordEnvelope } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';

let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const LIMIT = 7;

/** Writes that are under way at once, and may have one moment. */
const SAME_MOMENT = 20;

/** A ledger with wallets, made a few at a time. */
async function withWallets(count: number, now: () => number): Promise<TestClient> {
  server = await startServer({ runtime: { now, random: randomBytes } });
  const client = await newLedger(server.url);
  await createMany(client, 'w', count);
  return client;
}

async function createMany(client: TestClient, name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += SAME_MOMENT) {
    const indexes = Array.from({ length: Math.min(SAME_MOMENT, count - at) }, (_, index) => at + index);
    await Promise.all(
      indexes.map((index) =>
        stored(client, 'wallet', { handle: `${name}-${index}`, custom: { even: index % 2 === 0 } }),
      ),
    );
  }
}

async function read(client: TestClient, query: string, limit = LIMIT): Promise<RecordEnvelope[]> {
  return ok(await client.get(`/wallets?page.limit=${limit}&${query}`)).body.data;
}

/** Writes without a pause until it is stopped: new wallets, and changes of those there are. */
function writing(client: TestClient, change: (round: number) => string[]): { stop(): Promise<Set<string>> } {
  const changed = new Set<string>();
  let stopped = false;
  const all = (async () => {
    for (let round = 0; !stopped; round += 1) {
      await createMany(client, `new-${round}`, 3);
      for (const handle of change(round)) {
        const wallet = ok(await client.get(`/wallets/${handle}`)).body;
        ok(await client.prove(`/wallets/${handle}`, wallet, { status: `s-${round}` }));
        changed.add(handle);
      }
    }
    return changed;
  })();
  return {
    stop() {
      stopped = true;
      return all;
    },
  };
}

describe('a list read page by page while others write', () => {
  it.each(['', 'data.custom.even=true&'])(
    'shows none twice and leaves none out when all moments are equal: %s',
    async (filter) => {
      const client = await withWallets(90, () => Date.parse('2030-01-02T03:04:05.678Z'));
      const before = (
        await Promise.all([0, 1].map((index) => client.get(`/wallets?${filter}page.limit=50&page.index=${index}`)))
      ).flatMap((answer) => ok(answer).body.data as RecordEnvelope[]);
      const writers = writing(client, (round) => [`w-${(round * 13) % 90}`, `w-${(round * 29) % 90}`]);
      const shown: string[] = [];
      for (let index = 0; ; index += 1) {
        const page = await read(client, `${filter}page.index=${index}`);
        shown.push(...page.map(({ luid }) => luid));
        if (shown.length >= before.length && index > before.length / LIMIT + 2) break;
      }
      expect((await writers.stop()).size).toBeGreaterThan(0);
      expect(new Set(shown).size).toBe(shown.length);
      // New ones come last, changed ones stay where they were.
      expect(shown.slice(0, before.length)).toEqual(before.map(({ luid }) => luid));
    },
  );

  it('by the moment of the last one shown: none twice, and all that did not change', async () => {
    const client = await withWallets(80, Date.now);
    const writers = writing(client, (round) => [`w-${(round * 17) % 40}`]);
    const shown = new Map<string, string>();
    let last = '9999-12-31';
    for (;;) {
      const page = await read(client, `meta.moment.$lte=${last}`, SAME_MOMENT + 1);
      const fresh = page.filter(({ luid, meta }) => shown.get(luid) !== meta.moment);
      for (const { luid, meta } of fresh) {
        expect(shown.has(luid)).toBe(false);
        shown.set(luid, meta.moment);
      }
      if (fresh.length === 0) break;
      last = page.at(-1)?.meta.moment ?? last;
    }
    const changed = await writers.stop();
    expect(changed.size).toBeGreaterThan(0);
    const still = ok(await client.get('/wallets?page.limit=1000')).body.data as RecordEnvelope[];
    const unchanged = still.filter(({ data }) => /^w-/.test(String(data.handle)) && !changed.has(String(data.handle)));
    expect(unchanged.length).toBeGreaterThan(40);
    for (const { luid } of unchanged) expect(shown.has(luid)).toBe(true);
  });

  it('a change moves a record to the front, and what was before it one place on', async () => {
    let now = Date.parse('2030-01-01T00:00:00.000Z');
    server = await startServer({ runtime: { now: () => now, random: randomBytes } });
    const client = await newLedger(server.url);
    for (const handle of ['a', 'b', 'c', 'd']) {
      now += 1;
      await stored(client, 'wallet', { handle });
    }
    const page = async (index: number) =>
      ok(await client.get(`/wallets?page.limit=2&page.index=${index}`)).body.data.map(
        ({ data }: RecordEnvelope) => data.handle,
      );
    expect(await page(0)).toEqual(['d', 'c']);
    now += 1;
    ok(await client.prove('/wallets/a', ok(await client.get('/wallets/a')).body, { status: 'active' }));
    expect(await page(1)).toEqual(['c', 'b']);
    expect(await page(0)).toEqual(['a', 'd']);
    expect(await page(2)).toEqual([]);
  });
});
