import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { Intruder } from '../integrity/altered-rows.js';
import { newKey, proofOver } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { reportWell, verbOf, withBridges } from './bridge.js';
import { MoneyScene, transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true, runtime: { now: () => Date.now(), random: randomBytes } });
const { bank } = withBridges('bank');
beforeEach(() => bank.reset());

const MANUAL = { config: { commit: 'manual' } };

describe('an attacker', () => {
  it('who may add proofs cannot keep an intent under way by filling its record', async () => {
    const key = newKey();
    const mallory = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', signer: { public: bank.key.public } },
      { action: 'access', record: 'ledger' },
      { action: 'read', record: 'any' },
      { action: 'create', record: 'intent-proof', signer: { public: mallory.public } },
    ] as JsonObject[];
    const money = await MoneyScene.make(server.current.url, ['alice'], { access, key });
    await bank.join(money.client, 'bank');
    await money.add([{ handle: 'acc', bridge: 'bank' }]);
    await money.issue('alice', 10);
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    const [call] = await bank.until('prepare credits');
    const { hash } = await money.read(handle);
    const client = money.client.as(mallory);
    for (let size = 900_000; size >= 1; size >>= 1) {
      const proof = () => proofOver(hash, mallory, { status: 'pending', note: 'x'.repeat(size) });
      let status = 200;
      while (status === 200) ({ status } = await client.call('POST', `/intents/${handle}/proofs`, proof()));
      expect(status).toBe(422);
    }
    await bank.say(call!, { status: 'prepared' });
    await money.ends(handle, 'completed');
  });

  it('cannot keep a held intent from its decision by many proofs', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    const handle = await money.intend([transfer('alice', 'bob', 5)], MANUAL);
    const { hash } = await money.read(handle);
    const { key } = money.client;
    const send = (custom: JsonObject) =>
      money.client.call('POST', `/intents/${handle}/proofs`, proofOver(hash, key, custom));
    for (let note = 0; (await send({ note })).status === 200; note += 1) expect(note).toBeLessThan(200);
    expect((await send({ action: 'commit' })).status).toBe(200);
    await money.ends(handle, 'completed');
  });

  it('with the database alone cannot have a settled intent settle again', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100);
    const handle = await money.intend([transfer('alice', 'bob', 10)], MANUAL);
    await money.intend([transfer('alice', 'bob', 10)], MANUAL);
    const { luid, hash } = await money.read(handle);
    const intruder = await Intruder.at(server.current.database.url);
    const corrupt = async () =>
      (await server.current.server.metrics.registry.metrics()).match(/corrupt_versions_total\S* (\d+)/)?.[1];
    try {
      await intruder.run('create table kept_rows as select * from open_intent where luid = $1', luid);
      const proof = proofOver(hash, money.client.key, { action: 'commit' });
      expect((await money.client.call('POST', `/intents/${handle}/proofs`, proof)).status).toBe(200);
      await money.ends(handle, 'completed');
      await intruder.run('insert into open_intent select * from kept_rows');
      await intruder.run("update open_intent set due = now() - interval '1 second' where luid = $1", luid);
      await expect.poll(corrupt).not.toBe('0');
      expect(await money.balance('bob')).toEqual([10, 0]);
    } finally {
      await intruder.leave();
    }
  });
});
