import { randomBytes } from 'node:crypto';
import { type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { Intruder } from '../integrity/altered-rows.js';
import { newKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { destroy, MoneyScene, transfer } from './scene.js';

const start = Date.now();
let hours = 0;
const server = withOwnServer({ runtime: { now: () => start + hours * 3_600_000, random: randomBytes } });

/** What wallets have, by the proofs of all intents alone, as anyone who may read them can find out. */
async function replay({ client }: MoneyScene): Promise<Record<string, number>> {
  const { body } = await client.get('/intents?page.limit=1000');
  const intents: RecordEnvelope[] = body.data;
  const held: Record<string, number> = {};
  for (const { hash, meta } of intents) {
    for (const proof of meta.proofs) expect(verifyProof(hash, proof, native)).toBe(true);
    const said = meta.proofs.map(({ custom = {} }) => custom);
    if (!said.some(({ detail }) => detail === 'cleared')) continue;
    for (const { status, schema, wallet, amount } of said as JsonObject[]) {
      if (status !== 'resolved') continue;
      const by = schema === 'credit' ? Number(amount) : -Number(amount);
      held[String(wallet)] = (held[String(wallet)] ?? 0) + by;
    }
  }
  return held;
}

/** What the ledger says that they have. */
async function listed({ client }: MoneyScene, wallets: readonly string[]): Promise<Record<string, number>> {
  const lists = wallets.map(async (wallet) => {
    const { body } = await client.get(`/wallets/${wallet}/balances`);
    return body.data.reduce((sum: number, { data }: { data: { amount: number } }) => sum + data.amount, 0);
  });
  const sums = await Promise.all(lists);
  return Object.fromEntries(wallets.map((wallet, index) => [wallet, sums[index]]));
}

describe('whoever writes to the tables of money', () => {
  it('is found out by the proofs of intents, though balance and movements agree', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100);
    await money.done([transfer('alice', 'bob', 30)]);
    await money.done([destroy('bob', 5)]);
    await money.rejected([transfer('alice', 'bob', 71)]);
    const honest = { alice: 70, bob: 25 };
    expect([await replay(money), await listed(money, ['alice', 'bob'])]).toEqual([honest, honest]);
    const intruder = await Intruder.at(server.current.database.url);
    try {
      const { luid } = (await money.client.get('/wallets/bob')).body;
      await intruder.run('update balance set available = available + 1000 where wallet = $1', luid);
      await intruder.run(
        'update entry set available_by = available_by + 1000, available = available + 1000 where wallet = $1 and version = 1',
        luid,
      );
    } finally {
      await intruder.leave();
    }
    expect(await replay(money)).toEqual(honest);
    expect(await listed(money, ['alice', 'bob'])).toEqual({ alice: 70, bob: 1025 });
  });

  it('cannot have an intent under way go on from another state', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'access' },
      { action: 'create', record: 'intent' },
      { action: 'read', record: 'any' },
    ];
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], { key, access: access as JsonObject[] });
    await money.issue('alice', 10);
    const claims = [transfer('alice', 'bob', 1)];
    const sent = await money.client.as(newKey()).create('/intents', { handle: 'theirs', claims });
    expect(sent.status, sent.text).toBe(201);
    const intruder = await Intruder.at(server.current.database.url);
    try {
      const alter = (from: string, to: string) =>
        intruder.run('update open_intent set state = replace(state, $2, $3) where luid = $1', sent.body.luid, from, to);
      await alter('"wallet":"alice"', '"wallet":"bob"');
      const corrupt = () =>
        server.current.server.metrics.registry.getSingleMetricAsString('countersign_corrupt_versions_total');
      const before = await corrupt();
      hours += 2;
      await eventually(async () => expect(await corrupt()).not.toBe(before));
      expect((await money.read('theirs')).meta.status).toBe('pending');
      await alter('"wallet":"bob"', '"wallet":"alice"');
    } finally {
      await intruder.leave();
    }
  });
});
