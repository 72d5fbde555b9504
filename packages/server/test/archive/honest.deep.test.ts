import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { type Dropped, erase, erasureOf, MAY_ERASE } from '../erasure/support.js';
import { withBridges } from '../money/bridge.js';
import { bridgedScene } from '../money/bridge-scene.js';
import { destroy, issue, limit, type MoneyScene, transfer } from '../money/scene.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { exported, verified } from './support.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');

async function dropAndErase({ client }: MoneyScene, handle: string): Promise<void> {
  const at = `/wallets/${encodeURIComponent(handle)}`;
  const record = ok(await client.get(at)).body as RecordEnvelope;
  ok(await eventually(async () => ok(await client.drop(at, record))));
  const path = `/wallets/${record.luid}`;
  const changes = ok(await client.get(`${path}/changes`)).body.data.reverse();
  const one: Dropped = { kind: 'wallet', record, collection: '/wallets', path, made: {}, changes };
  await eventually(async () => ok(await erase(client, one)));
}

async function eraseIntent({ client }: MoneyScene, luid: string): Promise<void> {
  const changes = ok(await client.get(`/intents/${luid}/changes`)).body.page.total as number;
  await eventually(async () =>
    ok(await client.call('POST', `/intents/${luid}/erase`, erasureOf(luid, changes, client.key))),
  );
}

/** Forwards that start at, pass and end at bridges; limits; intents that fail, and one that is held. */
async function busyScene(): Promise<MoneyScene> {
  const money = await bridgedScene(server.current.url, bridges, {
    access: MAY_ERASE,
    config: { 'limits.aggregated.enabled': true },
  });
  await money.add([
    { handle: 'mid', routes: [{ action: 'forward', target: 'fwd' }] },
    { handle: 'sends', routes: [{ action: 'forward', target: 'mid' }] },
    { handle: 'jar', routes: [{ action: 'forward', target: 'bob' }] },
  ]);
  const completes = async (...claims: JsonObject[]) => {
    await money.ends(await money.intend(claims), 'completed');
  };
  await completes(transfer('alice', 'fwd', 5));
  await completes(transfer('alice', 'sends', 7), transfer('acc', 'sends', 2), destroy('alice', 1));
  await completes(issue('sends', 9));
  await completes(transfer('alice', 'bob', 40));
  await completes(transfer('bob', 'jar', 11));
  await completes(transfer('acc', 'jar', 6), transfer('bob', 'jar', 2));
  await completes(transfer('alice', 'alice', 6), transfer('bob', 'alice', 2), transfer('alice', 'bob', 2));
  await money.intend([transfer('alice', 'jar', 6)], { config: { commit: 'manual' } });
  await completes(limit('bob', 'minBalance', -20), limit('far', 'maxBalance', 4000), limit('bob', 'dailyCount', 90));
  await completes(limit('till@bob', 'minBalance', -30), transfer('bob', 'jar', 3));
  await money.rejected([transfer('bob', 'alice', 9_999)]);
  bridges.bank.report = () => ({ status: 'failed', detail: 'closed' });
  await money.ends(await money.intend([transfer('alice', 'fwd', 5)]), 'rejected');
  bridges.bank.reset();
  return money;
}

/** Erases every other intent that has ended. */
async function eraseSome(money: MoneyScene): Promise<void> {
  const { data } = ok(await money.client.get('/intents?page.limit=100')).body as { data: RecordEnvelope[] };
  const ended = data.filter(({ data, meta }) => data && /^(completed|rejected)$/.test(String(meta.status)));
  for (const { luid } of ended.filter((_, at) => at % 2 === 0)) await eraseIntent(money, luid);
}

async function told({ client }: MoneyScene): Promise<string[]> {
  return verified(await exported(server.current, client.ledger!, { passphrase: 'a long passphrase' })).told;
}

describe('an honest ledger (export#verify)', () => {
  it('has nothing found in forwards over bridges, of which some intents and a wallet on the way are erased', async () => {
    const money = await busyScene();
    expect(await told(money)).toEqual([]);
    await eraseSome(money);
    expect(await told(money)).toEqual([]);
    await dropAndErase(money, 'mid');
    expect(await told(money)).toEqual([]);
    await money.add(['mid']);
    await money.issue('mid', 5);
    await eraseSome(money);
    expect(await told(money)).toEqual([]);
  });

  it('has nothing found in limits of an erased wallet whose parent has some', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    await money.add(['till@bob']);
    await money.done([limit('bob', 'minBalance', -20)]);
    await money.done([limit('bob', 'maxBalance', 900)]);
    await money.done([limit('till@bob', 'minBalance', 0), limit('till@bob', 'maxBalance', 300)]);
    await money.done([transfer('bob', 'alice', 10)]);
    expect(await told(money)).toEqual([]);
    await dropAndErase(money, 'till@bob');
    expect(await told(money)).toEqual([]);
  });

  it('has nothing found in limits of wallets of one handle, of which one is erased', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    for (let round = 0; round < 3; round += 1) {
      await money.add(['till']);
      await money.done([limit('till', 'minBalance', -20 - round)]);
      await money.done([transfer('till', 'alice', 10), limit('till', 'maxBalance', 900)]);
      await money.done([transfer('alice', 'till', 10)]);
      const record = ok(await money.client.get('/wallets/till')).body as RecordEnvelope;
      if (round === 1) await dropAndErase(money, 'till');
      else ok(await money.client.drop('/wallets/till', record));
      expect(await told(money)).toEqual([]);
    }
  });

  it('has no movement of an erased wallet judged by the minimum of another one of its handle', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    await money.add(['till']);
    await money.done([limit('till', 'minBalance', 5)]);
    ok(await money.client.drop('/wallets/till', ok(await money.client.get('/wallets/till')).body));
    await money.add(['till']);
    await money.done([transfer('alice', 'till', 10)]);
    await money.done([transfer('till', 'alice', 10)]);
    await dropAndErase(money, 'till');
    expect(await told(money)).toEqual([]);
  });

  it('has nothing found in limits at addresses that lead to another wallet later, be it before the intent is committed', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    const held = await money.intend([limit('till@bob', 'minBalance', -30)], { config: { commit: 'manual' } });
    await money.done([limit('shop@bob', 'maxBalance', 70)]);
    await money.add(['till@bob', 'shop@bob']);
    ok(await money.client.prove(`/intents/${held}`, await money.read(held), { action: 'commit' }));
    await money.ends(held, 'completed');
    const { body } = ok(await money.client.get('/wallets/bob/limits'));
    expect(body.data.length).toBe(2);
    expect(await told(money)).toEqual([]);
  });
});
