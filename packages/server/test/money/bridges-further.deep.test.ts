import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MovedClock } from '../deliveries/scene.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { verbOf, withBridges } from './bridge.js';
import { bridgedScene } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { type MoneyScene, transfer } from './scene.js';

const clock = new MovedClock();
const server = withOwnServer({ deliveryAllowPrivate: true, runtime: clock.runtime, deliveries: { every: 100 } });
const bridges = withBridges('bank', 'other');
const { bank } = bridges;

beforeEach(() => {
  // Clients sign with the time as it is.
  clock.ahead = 0;
  bank.reset();
});
afterEach(() => checkBooks(server.current.database.url));

/** What is shown of the calls of the bridge, the newest first. */
async function callsOf(
  money: MoneyScene,
): Promise<{ meta: { status: string; replay: number; proofs: JsonObject[] } }[]> {
  return (await money.client.get('/bridges/bank/events')).body.data;
}

/** Has the prepare of a new intent refused as often as its schedule says. */
async function refused(money: MoneyScene): Promise<string> {
  bank.instead = (_, response) => response.writeHead(503).end('closed');
  const handle = await money.intend([transfer('alice', 'acc', 1)]);
  await eventually(async () => {
    clock.ahead += 2_500;
    const [one] = await callsOf(money);
    expect(one!.meta.replay).toBeGreaterThanOrEqual(6);
  });
  return handle;
}

describe('a prepare that was refused as often as its schedule says', () => {
  it('is noted once, shows what was answered once, and carries the intent on when it is taken', async () => {
    const money = await bridgedScene(server.current.url, bridges, {});
    const handle = await refused(money);
    const errors = async () => (await money.trail(handle)).filter(([, { status }]) => status === 'error');
    await eventually(async () => expect(await errors()).toHaveLength(1));
    await eventually(async () => {
      clock.ahead += 20_000;
      const [{ meta }] = (await callsOf(money)) as [Awaited<ReturnType<typeof callsOf>>[0]];
      expect(meta.replay).toBeGreaterThanOrEqual(8);
      expect(meta.status).toBe('failed');
      const bodies = meta.proofs.filter(({ custom }) => ((custom as JsonObject).detail as JsonObject)?.body);
      expect(bodies).toHaveLength(1);
    });
    bank.reset();
    await eventually(async () => {
      clock.ahead += 20_000;
      expect((await money.read(handle)).meta.status).toBe('completed');
    });
    expect(await errors()).toHaveLength(1);
  });

  it('is not made any more once its intent has expired', async () => {
    const money = await bridgedScene(server.current.url, bridges, {});
    const handle = await refused(money);
    await eventually(async () => {
      clock.ahead += 600_000;
      expect((await money.read(handle)).meta.status).not.toBe('pending');
    });
    bank.reset();
    await eventually(async () => {
      clock.ahead += 3_600_000;
      const states = (await callsOf(money)).map(({ meta }) => meta.status);
      expect(states).toContain('cancelled');
      expect(states).not.toContain('failed');
    });
    expect(bank.calls.map(verbOf).filter((verb) => verb.startsWith('prepare'))).toEqual([]);
  });
});
