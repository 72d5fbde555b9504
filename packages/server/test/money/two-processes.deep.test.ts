import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { query } from '../events/support.js';
import { TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startServer, withTwoServers } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf, settled } from './under-way.js';

const servers = withTwoServers();

afterEach(() => checkBooks(servers.databaseUrl));

/** A ledger that the first server is the home of, and its client at both servers. */
async function makeScene(config: JsonObject = {}): Promise<{ money: MoneyScene; other: TestClient }> {
  const [one, two] = servers.current;
  const money = await MoneyScene.make(one.url, ['alice', 'bob'], { config });
  await money.issue('alice', 1_000);
  return { money, other: new TestClient(two.url, money.client.key, money.client.ledger) };
}

const home = async ({ client }: MoneyScene): Promise<string> => {
  const [row] = await query<{ holder: string }>(
    servers.current[0],
    'select h.holder from home h join ledger l on l.id = h.ledger_id where l.handle = $1',
    [client.ledger],
  );
  return row!.holder;
};

let sent = 0;
async function send(client: TestClient, claims: JsonObject[]): Promise<string> {
  sent += 1;
  const handle = `t-${sent}`;
  const answer = await client.create('/intents', { handle, claims });
  expect(answer.status, answer.text).toBe(201);
  return handle;
}

describe('two processes', () => {
  it('settle what either is sent; the one that is not the home only accepts', async () => {
    const { money, other } = await makeScene();
    const holder = await home(money);
    const handles: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        for (let m = 0; m < 5; m += 1)
          handles.push(await send(n % 2 === 0 ? money.client : other, [transfer('alice', 'bob', 1)]));
      }),
    );
    for (const handle of handles) expect(await settled(money, handle)).toBe('completed');
    expect(await balanceOf(money, 'bob')).toEqual([40]);
    expect(await home(money)).toBe(holder);
  });

  it('answer an intent that is only accepted as it is, and settle it with the same trail', async () => {
    const { money, other } = await makeScene();
    const handle = await send(other, [transfer('alice', 'bob', 1)]);
    expect(await settled(money, handle)).toBe('completed');
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    expect(body.data).toHaveLength(8);
    expect(await money.trail(handle)).toHaveLength(9);
  });

  it.each(['leaves', 'is killed'])('go on as one when the home %s', async (how) => {
    const [one] = servers.current;
    const { database } = one;
    const third = await startServer({ database });
    const { money, other } = await makeScene();
    const at = new TestClient(third.url, money.client.key, money.client.ledger);
    await query(one, "update home set until = '-infinity'");
    await eventually(async () => {
      await settled(money, await send(at, [transfer('alice', 'bob', 1)]));
      expect(await home(money)).not.toBe('');
    });
    if (how === 'is killed') {
      // A dead process leaves its name, and its time.
      await query(one, "update home set holder = 'dead', until = clock_timestamp() + interval '2 seconds'");
    }
    await third.stop();
    const handle = await send(other, [transfer('alice', 'bob', 1)]);
    expect(await settled(money, handle)).toBe('completed');
  });

  it('store nothing false when both take themselves for the home', async () => {
    const { money, other } = await makeScene({ 'limits.aggregated.enabled': true });
    await send(other, [limit('bob', 'minBalance', -1)]);
    let isOver = false;
    // Whoever decides is told that the other one is the home, or that nobody is.
    const forcing = (async () => {
      while (!isOver) {
        await query(servers.current[0], "update home set until = '-infinity', holder = 'nobody' where random() < 0.7");
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    })();
    const handles: string[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const client = n % 2 === 0 ? money.client : other;
        for (let m = 0; m < 12; m += 1) {
          const back = m % 4 === 3;
          handles.push(await send(client, [back ? transfer('bob', 'alice', 7) : transfer('alice', 'bob', 11)]));
        }
      }),
    );
    isOver = true;
    await forcing;
    let completed = 0;
    for (const handle of handles) if ((await settled(money, handle)) === 'completed') completed += 1;
    expect(completed).toBeGreaterThan(50);
    const [mine] = await balanceOf(money, 'alice');
    const [theirs] = await balanceOf(money, 'bob');
    expect(mine! + theirs!).toBe(1_000);
    expect(mine).toBeGreaterThanOrEqual(0);
  });

  it('keep a daily limit that the other has set, whoever they take for the home', async () => {
    const { money, other } = await makeScene({ 'limits.aggregated.enabled': true });
    const [one, two] = servers.current;
    const force = (holder: string) =>
      query(one, "update home set holder = $1, until = clock_timestamp() + interval '3 seconds'", [holder]);
    const mine = await home(money);
    await query(two, "update home set until = '-infinity', holder = 'nobody'");
    // The other becomes the home, and sets the limit.
    await eventually(async () => {
      await settled(money, await send(other, [issue('bob', 1)]));
      if ((await home(money)) === mine) {
        await query(two, "update home set until = '-infinity', holder = 'nobody'");
        throw new Error('not the other yet');
      }
    });
    await settled(money, await send(other, [limit('alice', 'dailyCount', 2)]));
    await force(mine);
    expect(await settled(money, await send(money.client, [transfer('alice', 'bob', 1)]))).toBe('completed');
    expect(await settled(money, await send(money.client, [transfer('alice', 'bob', 1)]))).toBe('rejected');
  });
});
