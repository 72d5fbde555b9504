import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { newLedger, type TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();
let other: TestClient;

beforeAll(async () => {
  other = await newLedger(server.current.url);
  for (const handle of ['w1', 'w2', 'w3']) await stored(other, 'wallet', { handle, custom: { tier: 'gold' } });
  for (let times = 0; times < 5; times += 1) ok(await other.get('/wallets?data.custom.tier=gold'));
});

/** A pattern of one letter and hundreds of any, which takes seconds to look for in so long a text. */
const SLOW = `/wallets?data.custom.text.$regex=${encodeURIComponent(`a${'.'.repeat(900)}z`)}`;

/** A ledger with one record in which the pattern is looked for in vain: its first letter is everywhere, its last nowhere. */
async function slowLedger(): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  const text = randomBytes(480_000).toString('hex');
  await stored(client, 'wallet', { handle: 'w', custom: { text } });
  return client;
}

/** One after the other. */
const LISTS = process.env.LONG_TESTS ? 8 : 4;

it.each(process.env.LONG_TESTS ? [3, 10] : [3])(
  'slow lists of %i ledgers leave the lists of another served',
  async (count) => {
    const slow = await Promise.all(Array.from({ length: count }, slowLedger));
    let running = true;
    const statuses: number[] = [];
    const attacks = slow.flatMap((client) =>
      [1, 2].map(async () => {
        while (running) statuses.push((await client.get(SLOW)).status);
      }),
    );
    const began = performance.now();
    let longest = 0;
    for (let times = 0; times < LISTS; times += 1) {
      const asked = performance.now();
      const answer = await other.get('/wallets?data.custom.tier=gold');
      longest = Math.max(longest, performance.now() - asked);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toHaveLength(3);
    }
    const took = performance.now() - began;
    running = false;
    await Promise.all(attacks);
    console.log(`lists: ${LISTS} in ${took.toFixed(0)} ms, the longest ${longest.toFixed(0)}; attacks ${statuses}`);
    // Where the slow ones hold every connection for five seconds at a time, this takes minutes.
    expect(took).toBeLessThan(30_000);
  },
  180_000,
);

it('histories of large versions leave another ledger served', async () => {
  const client = await newLedger(server.current.url);
  const text = randomBytes(495_000).toString('hex');
  let wallet = await stored(client, 'wallet', { handle: 'w', custom: { text } });
  for (let version = 0; version < 7; version += 1) {
    const data = { handle: 'w', custom: { text, version } };
    wallet = ok(await client.call('PUT', '/wallets/w', updateOf(wallet, data, client.key))).body;
  }
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 20);
  const histories = Array.from({ length: 16 }, () => client.get('/wallets/w/changes?page.limit=8'));
  for (let times = 0; times < 10; times += 1) {
    expect((await other.get('/wallets?data.custom.tier=gold')).status).toBe(200);
    expect((await other.get('/wallets/w1')).status).toBe(200);
  }
  const answers = await Promise.all(histories);
  // They are made one after the other, and none waits longer than anybody would.
  for (const { status, body } of answers) expect(body.data.length ?? status).toBe(status === 200 ? 8 : 408);
  // Of requests on several connections none need be the first.
  expect(answers.map(({ status }) => status)).toContain(200);
  clearInterval(watch);
  console.log(`histories: ${Math.round(most / 1_048_576)} MiB more at most, client included`);
}, 120_000);
