import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { momentLimits } from '../src/base/ledger-clock.js';
import { addWebhook, loadDeliveries } from './deliveries/scene.js';
import { issue, MoneyScene } from './money/scene.js';
import { type MovedClock, movedClock } from './money/under-way.js';
import { newLedger, OPEN, TestClient } from './support/client.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { ok, stored } from './support/scene.js';
import { type RunningServer, startServer } from './support/server.js';

const HOUR = 3_600_000;

let database: TestDatabase;
/** Two processes over one database, each with a clock of its own. */
let clocks: readonly [MovedClock, MovedClock];
let servers: readonly [RunningServer, RunningServer];
beforeAll(async () => {
  database = await createDatabase();
  clocks = [movedClock(), movedClock()];
  servers = [await startServer({ database, runtime: clocks[0] }), await startServer({ database, runtime: clocks[1] })];
});
afterAll(async () => {
  for (const server of servers ?? []) await server.stop();
  await database?.drop();
});

/** A ledger of its own, by a client at each server. */
async function makeLedger(): Promise<[here: TestClient, there: TestClient]> {
  const here = await newLedger(servers[0].url, { access: OPEN });
  return [here, new TestClient(servers[1].url, here.key, here.ledger)];
}

const momentsOf = async (client: TestClient, path: string): Promise<string[]> =>
  ok(await client.get(`${path}/changes`))
    .body.data.map(({ meta }: { meta: { moment: string } }) => meta.moment)
    .reverse();

describe('the moments of a ledger never decrease (interface/envelope#meta)', () => {
  it('while the clock goes back', async () => {
    const [client] = await makeLedger();
    const made = await stored(client, 'wallet', { handle: 'w' });
    clocks[0].move(-HOUR);
    try {
      const proved = ok(await client.prove('/wallets/w', made, { status: 'active' })).body;
      ok(await client.update('/wallets/w', proved, { handle: 'w', custom: { a: 1 } }));
      ok(await client.drop('/wallets/w', ok(await client.get('/wallets/w')).body));
      const other = await stored(client, 'symbol', { handle: 'usd', factor: 1 });
      const moments = [...(await momentsOf(client, `/wallets/${made.luid}`)), other.meta.moment];
      expect(moments).toHaveLength(5);
      expect(moments).toEqual([...moments].sort());
      // What the ledger signs says so as well.
      expect(other.meta.proofs.at(-1)!.custom!.moment).toBe(other.meta.moment);
    } finally {
      clocks[0].move(HOUR);
    }
  });

  it('from one process to another whose clock is behind, whatever the records are', async () => {
    const [here, there] = await makeLedger();
    await stored(there, 'wallet', { handle: 'before' });
    clocks[0].move(HOUR);
    try {
      const first = await stored(here, 'wallet', { handle: 'first' });
      const second = await stored(there, 'wallet', { handle: 'second' });
      expect(second.meta.moment >= first.meta.moment).toBe(true);
      clocks[0].move(HOUR);
      const ahead = await stored(here, 'wallet', { handle: 'ahead' });
      // Other kinds are asked for after a while.
      clocks[1].move(momentLimits.asked);
      const after = await stored(there, 'symbol', { handle: 'usd', factor: 1 });
      expect(after.meta.moment >= ahead.meta.moment).toBe(true);
      const proved = ok(await there.prove('/wallets/ahead', ahead, { status: 'active' })).body;
      expect(proved.meta.moment >= after.meta.moment).toBe(true);
    } finally {
      clocks[0].move(-2 * HOUR);
    }
  });

  it('from intents to other records', async () => {
    const money = await MoneyScene.make(servers[0].url);
    const there = new TestClient(servers[1].url, money.client.key, money.client.ledger);
    clocks[0].move(HOUR);
    try {
      const { meta: issued } = await money.read(await money.issue('alice', 5));
      const wallet = await stored(there, 'wallet', { handle: 'carol' });
      expect(wallet.meta.moment >= issued.proofs.at(-1).custom.moment).toBe(true);
    } finally {
      clocks[0].move(-HOUR);
    }
  });

  it('and hold up no delivery while they are ahead of the clock', async () => {
    const [client] = await makeLedger();
    clocks[0].move(HOUR);
    try {
      await addWebhook(client, 'hook', 'https://hooks.invalid/x');
    } finally {
      clocks[0].move(-HOUR);
    }
    const { meta } = await stored(client, 'wallet', { handle: 'w' });
    expect(Date.parse(meta.moment)).toBeGreaterThan(Date.now() + HOUR / 2);
    await eventually(async () => {
      const [delivery] = await loadDeliveries(database.url, client);
      expect(delivery!.attempts).toBeGreaterThan(0);
    });
  });

  it('and hold up no intent that a proof has woken', async () => {
    const money = await MoneyScene.make(servers[0].url, ['alice']);
    clocks[0].move(HOUR);
    try {
      await stored(money.client, 'wallet', { handle: 'ahead' });
    } finally {
      clocks[0].move(-HOUR);
    }
    const handle = await money.intend([issue('alice', 5)], { config: { commit: 'manual' } });
    const waiting = await money.read(handle);
    expect(Date.parse(waiting.meta.moment)).toBeGreaterThan(Date.now() + HOUR / 2);
    ok(await money.client.prove(`/intents/${handle}`, waiting, { action: 'commit' }));
    await money.ends(handle, 'completed');
  });
});
