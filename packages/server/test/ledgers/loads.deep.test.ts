import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { createLedgers } from '../../src/ledgers/ledgers.js';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { Scheduler } from '../../src/metering/scheduler.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

/** Characters of one policy. */
const POLICY = 900_000;

/** A ledger whose state takes a little less than half of the room there is for loads. */
async function large(): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  for (let i = 0; i < 4; i += 1) {
    const data = { handle: `p-${i}`, schema: 'access', values: [], custom: { t: 'x'.repeat(POLICY) } };
    await stored(client, 'policy', data);
  }
  return client;
}

describe('states of ledgers that one process reads', () => {
  it('take a bounded room together, and small ones go by those that wait', async () => {
    const clients = [await large(), await large(), await large(), await large(), await large()];
    const small = await newLedger(server.current.url);
    const { store, integrity, keys } = server.current.server.service;
    let underWay = 0;
    let most = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const load = async (id: string, fitting?: number) => {
      const loaded = await (fitting === undefined ? store.ledgers.find(id) : store.ledgers.find(id, fitting));
      if (!loaded || 'size' in loaded || id === small.ledger) return loaded;
      underWay += 1;
      most = Math.max(most, underWay);
      await released;
      underWay -= 1;
      return loaded;
    };
    const means = { keys, suite: native, integrity, scheduler: new Scheduler() };
    const ledgers = createLedgers({ ...store.ledgers, find: load as typeof store.ledgers.find }, means);
    const all = clients.map(({ ledger }) => ledgers.resolve(ledger!));
    expect((await ledgers.resolve(small.ledger!)).handle).toBe(small.ledger);
    const fitting = Math.floor(stateLimits.loads.size / (4 * POLICY));
    await eventually(() => expect(most).toBe(fitting));
    release();
    expect((await Promise.all(all)).map(({ handle }) => handle)).toEqual(clients.map(({ ledger }) => ledger));
    expect(most).toBe(fitting);
  });
});
