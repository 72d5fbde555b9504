import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { EventPlan } from '../../src/events/event.js';
import { newLedger, OPEN, proofOver, signed, type TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

const running = withOwnServer();

interface Row {
  readonly effect_handle: string;
  readonly target: string;
  readonly bridge: string | null;
  readonly linked: string | null;
  readonly plan: EventPlan;
}

/** The deliveries of a ledger, in the order in which they were queued. */
async function queued(client: TestClient): Promise<Row[]> {
  const text = 'select d.* from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 order by d.seq';
  const rows = await runSql<Omit<Row, 'plan'> & { event: string }>(running.current.database.url, text, [client.ledger]);
  return rows.map((row) => ({ ...row, plan: JSON.parse(row.event) }));
}

function subscribe(client: TestClient, handle: string, signal: string, more: JsonObject = {}) {
  const action = { schema: 'webhook', endpoint: 'https://receiver.example/hook?a=b' };
  return stored(client, 'effect', { handle, signal, action, ...more });
}

describe('the outbox', () => {
  it('has one event for an occurrence, and a delivery for each effect that it reaches', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    await subscribe(client, 'first', 'wallet-created');
    await subscribe(client, 'second', 'wallet-created', { filter: { 'wallet.data.handle': 'ann' } });
    await subscribe(client, 'third', 'wallet-created', { filter: { 'wallet.data.handle': 'bob' } });
    await subscribe(client, 'fourth', 'wallet-proofs-added', { action: { bridge: 'post' } });
    const wallet = await stored(client, 'wallet', { handle: 'ann' });
    const rows = await queued(client);
    expect(rows.map((row) => row.effect_handle)).toEqual(['first', 'second', 'fourth']);
    expect(rows.map((row) => row.target)).toEqual([
      'https://receiver.example',
      'https://receiver.example',
      'bridge:post',
    ]);
    expect(rows[0]!.plan).toEqual(rows[1]!.plan);
    expect(rows[0]!.plan).toEqual({
      handle: expect.stringMatching(/^evt_[0-9A-Za-z_-]{17}$/),
      signal: 'wallet-created',
      members: { wallet: { record: ['wallet', wallet.luid, 1] } },
    });
    expect(rows[2]!.plan.members).toEqual({
      wallet: { value: 'ann' },
      proofs: { proof: ['wallet', wallet.luid, 1, 1] },
    });
  });

  it('has nothing of a write that was refused, and takes an update of an effect for what comes later', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    const effect = await subscribe(client, 'hook', 'wallet-updated', {
      filter: { 'wallet.data.custom.n': { $gt: 1 } },
    });
    const wallet = await stored(client, 'wallet', { handle: 'ann', custom: { n: 1 } });
    const body = updateOf(wallet, { handle: 'ann', custom: { n: 2 } }, client.key);
    const updated = ok(await client.call('PUT', '/wallets/ann', body)).body;
    expect(
      (await client.call('PUT', '/wallets/ann', updateOf(wallet, { handle: 'ann', custom: { n: 3 } }, client.key)))
        .status,
    ).toBe(422);
    expect((await client.call('POST', '/wallets', signed({ handle: 'ann' }, client.key))).status).toBe(409);
    expect(await queued(client)).toHaveLength(1);
    const { filter: _, ...data } = effect.data;
    ok(await client.call('PUT', '/effects/hook', updateOf(effect, data, client.key)));
    const last = updateOf(updated, { handle: 'ann', custom: { n: 0 } }, client.key);
    ok(await client.call('PUT', '/wallets/ann', last));
    ok(await client.call('POST', '/wallets/ann/proofs', proofOver(last.hash, client.key)));
    expect(await queued(client)).toHaveLength(2);
  });
});
