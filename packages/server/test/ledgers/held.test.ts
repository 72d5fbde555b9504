import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { createLedgers } from '../../src/ledgers/ledgers.js';
import { Scheduler } from '../../src/metering/scheduler.js';
import type { StoredLedger } from '../../src/store/queries/ledgers.js';
import { newLedger, type TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

/**
 * What a process of its own would hold of ledgers.
 *
 * @param held told of what the store has answered, before it is handed on
 */
function anotherProcess(held: (id: string) => Promise<void> = async () => {}) {
  const { store: all, integrity, keys } = server.current.server.service;
  const store = all.ledgers;
  const loads: string[] = [];
  const find = async (id: string): Promise<StoredLedger | undefined> => {
    loads.push(id);
    const loaded = await store.find(id);
    await held(id);
    return loaded;
  };
  const means = { keys, suite: native, integrity, scheduler: new Scheduler() };
  return { ledgers: createLedgers({ ...store, find }, means), loads };
}

/** Raises the version of the client's ledger. */
let domains = 0;
async function change(client: TestClient): Promise<void> {
  domains += 1;
  await stored(client, 'domain', { handle: `domain-${domains}` });
}

describe('the state of a ledger that a process holds', () => {
  it('is renewed under its handle and its luid alike, with one load', async () => {
    const client = await newLedger(server.current.url);
    const { ledgers, loads } = anotherProcess();
    const byHandle = await ledgers.resolve(client.ledger!);
    const { luid, handle, version } = byHandle;
    expect(await ledgers.resolve(luid)).toMatchObject({ handle, version });
    await change(client);
    loads.length = 0;
    const renewed = await ledgers.renew(byHandle, version + 1);
    expect(renewed.version).toBe(version + 1);
    expect(await ledgers.renew(byHandle, version + 1)).toBe(renewed);
    expect([await ledgers.resolve(handle), await ledgers.resolve(luid)]).toEqual([renewed, renewed]);
    expect(loads).toEqual([luid]);
  });

  it('is taken from the other name, where that has a newer one, and then held under both', async () => {
    const client = await newLedger(server.current.url);
    const { luid } = (await client.get('/ledger')).body;
    for (const [old, fresh] of [
      [luid, client.ledger!],
      [client.ledger!, luid],
    ]) {
      const { ledgers, loads } = anotherProcess();
      const first = await ledgers.resolve(old);
      await change(client);
      const newer = await ledgers.resolve(fresh);
      expect(await ledgers.renew(first, newer.version)).toBe(newer);
      expect(await ledgers.resolve(old)).toBe(newer);
      expect(loads).toEqual([old, fresh]);
    }
  });

  it('is not replaced by an older one whose load took longer', async () => {
    const client = await newLedger(server.current.url);
    const handle = client.ledger!;
    const loaded = deferred();
    const released = deferred();
    const { ledgers } = anotherProcess(async (id) => {
      if (id !== handle) return;
      loaded.resolve();
      await released.promise;
    });
    const first = await ledgers.resolve((await client.get('/ledger')).body.luid);
    const late = ledgers.resolve(handle);
    await loaded.promise;
    await change(client);
    const renewed = await ledgers.renew(first, first.version + 1);
    released.resolve();
    expect((await late).version).toBe(first.version + 1);
    expect(await ledgers.resolve(handle)).toBe(renewed);
  });

  it('is weighed by the memory it takes, not by the text of its records', async () => {
    const client = await newLedger(server.current.url);
    const { ledgers } = anotherProcess();
    const before = await ledgers.resolve(client.ledger!);
    const custom = { t: Array.from({ length: 45_000 }, () => ({})) };
    await stored(client, 'policy', { handle: 'p', schema: 'access', values: [], custom });
    const after = await ledgers.renew(before, before.version + 1);
    expect(after.weight - before.weight).toBeLessThan(150_000);
    expect(after.memory - before.memory).toBeGreaterThan(45_000 * 64);
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
