import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { workLimits } from '../../src/metering/work-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

/** A slice's budget is gone before it is known whether this is found in `TEXT`. */
const DEAR = `${'a_'.repeat(500)}z`;
const TEXT = `z${'a'.repeat(900_000)}`;
const TOO_MUCH = `The rules and records of the ledger take more work to judge than the ${workLimits.slice} steps that there may be at a time.`;

/** A ledger that strangers may read wallets of as its one policy says. */
async function readableAs(values: JsonObject[]): Promise<TestClient> {
  const access = [{ action: 'any', record: 'any', signer: { $ledger: 'owner' } }, { policy: 'readers' }];
  const client = await newLedger(server.current.url, { access });
  await stored(client, 'policy', { handle: 'readers', schema: 'access', values });
  return client;
}

const reading = (filter: JsonObject) => ({ action: 'read', record: 'wallet', filter });

describe('what rules cost is bounded', () => {
  it('a pattern that can be looked for in time says what it always said', async () => {
    const client = await readableAs([reading({ 'custom.t': { $regex: `${'a%'.repeat(500)}z` } })]);
    await stored(client, 'wallet', { handle: 'w', custom: { t: TEXT } });
    await stored(client, 'wallet', { handle: 'v', custom: { t: `${TEXT}z` } });
    expectRefusal(
      await client.get('/wallets/w'),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    ok(await client.get('/wallets/v'));
  });

  it('one that cannot grants nothing, and the limit is named', async () => {
    const client = await readableAs([reading({ 'custom.t': { $regex: DEAR } }), reading({ handle: 'w' })]);
    const made = await stored(client, 'wallet', { handle: 'w', custom: { t: TEXT } });
    expectRefusal(await client.get('/wallets/w'), client, 'auth.forbidden', TOO_MUCH);
    ok(await client.update('/wallets/w', made, { handle: 'w' }));
    ok(await client.get('/wallets/w'));
  });

  it('where it is not known whether a status policy is about the record, the status is refused', async () => {
    const client = await newLedger(server.current.url);
    const filter = { 'custom.t': { $regex: DEAR } };
    const value = { status: 'paid', quorum: [{ handle: 'treasurer' }], filter };
    const made = await stored(client, 'wallet', { handle: 'w', custom: { t: TEXT } });
    await stored(client, 'policy', { handle: 'st', schema: 'status', record: 'wallet', values: [value], filter });
    expectRefusal(await client.prove('/wallets/w', made, { status: 'paid' }), client, 'auth.forbidden', TOO_MUCH);
    expect((await client.get('/wallets/w')).body.meta.status).toBe('created');
  });

  it('a list is refused one of whose records 10,000 values take too long to judge', { timeout: 60_000 }, async () => {
    const values = Array.from({ length: 1_000 }, (_, i) =>
      reading({ 'custom.t': { $in: Array.from({ length: 20 }, (_, j) => `${i} ${j}`) } }),
    );
    const access = [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: 'access', record: 'ledger' },
      ...Array.from({ length: 10 }, (_, i) => ({ policy: `p-${i}` })),
    ];
    const client = await newLedger(server.current.url, { access });
    for (let i = 0; i < 10; i += 1) await stored(client, 'policy', { handle: `p-${i}`, schema: 'access', values });
    await stored(client, 'wallet', { handle: 'one', custom: { t: 'x' } });
    expectRefusal(await client.get('/wallets'), client, 'auth.forbidden', TOO_MUCH);
  });
});

describe('work that nobody waits for', () => {
  it('is given up when its connections are closed', { timeout: 60_000 }, async () => {
    const { url, server: running } = server.current;
    const access = [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: 'access', record: 'ledger' },
      { policy: 'p' },
    ];
    const client = await newLedger(url, { access });
    const values = Array.from({ length: 1_000 }, (_, i) => reading({ 'custom.t': `a${i}` }));
    await stored(client, 'policy', { handle: 'p', schema: 'access', values });
    for (let i = 0; i < 60; i += 1) await stored(client, 'wallet', { handle: `w-${i}`, custom: { t: 'x' } });
    const controller = new AbortController();
    const asked = Array.from({ length: 30 }, () =>
      fetch(`${url}/wallets`, { headers: { 'x-ledger': client.ledger ?? '' }, signal: controller.signal }).catch(
        () => {},
      ),
    );
    await until(() => running.service.scheduler.waiting > 10);
    controller.abort();
    await Promise.all(asked);
    // Of 30 lists of 60 records each at some thousand steps, a few were judged before; to judge all takes long.
    await until(() => running.service.scheduler.waiting === 0);
    ok(await (await newLedger(url, { access: OPEN })).get('/wallets'));
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (const late = performance.now() + 20_000; !condition(); await pause(1)) {
    if (performance.now() > late) throw new Error('It did not come to that in 20 seconds.');
  }
}
