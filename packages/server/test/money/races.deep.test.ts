import { afterAll, describe, expect, it } from 'vitest';
import { TestClient } from '../support/client.js';
import { withTwoServers } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { checkReplay } from './replay.js';
import { issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf, settled } from './under-way.js';

const WORKERS = 20;
const ROUNDS = process.env.LONG_TESTS ? 500 : 10;

const servers = withTwoServers();

afterAll(async () => {
  await checkBooks(servers.databaseUrl);
  await checkReplay(servers.databaseUrl);
});

async function makeScene(wallets: readonly string[]) {
  const [one, two] = servers.current;
  const money = await MoneyScene.make(one.url, wallets, { config: { 'limits.aggregated.enabled': true } });
  const { client } = money;
  return { money, clients: [client, new TestClient(two.url, client.key, client.ledger)] };
}

let sent = 0;

/** Sends an intent for each of many workers at the same time, at both processes. @returns how many complete */
async function race(
  { money, clients }: Awaited<ReturnType<typeof makeScene>>,
  claims: (worker: number) => Parameters<MoneyScene['send']>[0],
  both: boolean,
): Promise<number> {
  const handles = await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      sent += 1;
      const handle = `r-${sent}`;
      const client = clients[both ? worker % 2 : 0]!;
      const answer = await client.create('/intents', { handle, claims: [...claims(worker)] });
      expect(answer.status, answer.text).toBe(201);
      return handle;
    }),
  );
  const statuses = await Promise.all(handles.map((handle) => settled(money, handle)));
  return statuses.filter((status) => status === 'completed').length;
}

describe('workers that spend the same unit', () => {
  it('spend it once, round after round', async () => {
    const wallets = Array.from({ length: WORKERS }, (_, worker) => `w${worker}`);
    const scene = await makeScene(['hot', ...wallets]);
    for (let round = 0; round < ROUNDS; round += 1) {
      await scene.money.issue('hot', 1);
      // The second process only accepts: each such round takes as long as a hint does.
      const isBoth = round % 5 === 0;
      expect(await race(scene, (worker) => [transfer('hot', `w${worker}`, 1)], isBoth)).toBe(1);
    }
    expect(await balanceOf(scene.money, 'hot')).toEqual([0, 0]);
  });

  it('empty a hot wallet to its last unit, and no further', async () => {
    const scene = await makeScene(['hot', 'sink']);
    await scene.money.issue('hot', 30);
    let completed = 0;
    for (let round = 0; round < 3; round += 1)
      completed += await race(scene, () => [transfer('hot', 'sink', 1)], round === 1);
    expect(completed).toBe(30);
    expect(await balanceOf(scene.money, 'hot')).toEqual([0, 0]);
  });
});

describe('limits under concurrency', () => {
  it.each([
    ['minBalance', -7, 'hot', 7],
    ['maxBalance', 7, 'sink', 7],
    ['dailyAmount', 7, 'hot', 7],
    // The intent that sets it counts.
    ['dailyCount', 8, 'sink', 7],
  ])('%s of %d holds at N, and not at N + 1', async (metric, amount, wallet, most) => {
    const scene = await makeScene(['hot', 'sink']);
    if (metric !== 'minBalance') await scene.money.done([issue('hot', 100)]);
    await scene.money.done([limit(wallet, metric, amount)]);
    expect(await race(scene, () => [transfer('hot', 'sink', 1)], true)).toBe(most);
    expect(await race(scene, () => [transfer('hot', 'sink', 1)], false)).toBe(0);
  });
});
