import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, proofOver, signed, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';
import { balanceOf } from './under-way.js';

const server = withOwnServer();

afterEach(() => checkBooks(server.current.database.url));

const [founder, alice, bank, stranger] = [newKey(), newKey(), newKey(), newKey()];
const by = (action: string, { public: key }: TestKey): JsonObject => ({ action, signer: { public: key } });

/** A ledger where alice spends from her wallets, and the bank issues and destroys dollars. */
async function makeBank(): Promise<MoneyScene> {
  const access = [
    { action: 'any', record: 'any', signer: { public: founder.public } },
    { action: { $in: ['access', 'create', 'read', 'query'] }, record: 'any' },
  ];
  const hers = [by('spend', alice), by('limit', alice)];
  const wallets = [
    { handle: 'alice', access: hers },
    { handle: 'bob' },
    { handle: 'via', access: hers, routes: [{ action: 'debit', target: 'bob' }] },
    { handle: 'fwd', routes: [{ action: 'forward', target: 'bob' }] },
  ];
  const money = await MoneyScene.make(server.current.url, wallets, { access, key: founder });
  await stored(money.client, 'symbol', { handle: 'eur', factor: 1, access: [by('issue', bank), by('destroy', bank)] });
  await money.issue('alice', 100);
  await money.issue('alice', 100, 'eur');
  await money.issue('bob', 100);
  return money;
}

let made = 0;

/** Sends an intent with the proofs of these keys. @returns its status and the number of its proofs */
async function tryAs(money: MoneyScene, keys: readonly TestKey[], claims: JsonObject[]): Promise<[string, number]> {
  made += 1;
  const handle = `try-${made}`;
  const bodies = keys.map((key) => signed({ handle, claims }, key));
  const [body] = bodies;
  const proofs = bodies.flatMap(({ meta }) => meta.proofs);
  ok(await money.client.call('POST', '/intents', { ...body, meta: { proofs } }));
  const { meta } = await money.read(handle);
  return [meta.status, meta.proofs.length];
}

describe('what the keys of an intent may do', () => {
  it.each<[string, readonly TestKey[], JsonObject[], boolean]>([
    ['issue of the symbol', [bank], [issue('bob', 1, 'eur')], true],
    ['issue by another', [alice], [issue('bob', 1, 'eur')], false],
    ['spend from the source', [alice], [transfer('alice', 'bob', 1)], true],
    ['spend by another', [bank], [transfer('alice', 'bob', 1)], false],
    ['spend by the target', [stranger], [transfer('alice', 'bob', 1)], false],
    ['destroy with spend alone', [alice], [destroy('alice', 1, 'eur')], false],
    ['destroy without spend', [bank], [destroy('alice', 1, 'eur')], false],
    ['destroy by both', [alice, bank], [destroy('alice', 1, 'eur')], true],
    ['one claim of two', [alice], [transfer('alice', 'bob', 1), transfer('bob', 'alice', 1)], false],
    ['a limit on the wallet', [alice], [limit('alice', 'minBalance', -1)], true],
    ['a limit by another', [bank], [limit('alice', 'minBalance', -1)], false],
    ['a debit route to the wallet of another', [alice], [transfer('via', 'alice', 1)], false],
    ['a debit route with both', [alice, founder], [transfer('via', 'alice', 1)], true],
    ['a forward, which the route permits', [alice], [transfer('alice', 'fwd', 1)], true],
  ])('%s', async (_, keys, claims, isPermitted) => {
    const money = await makeBank();
    const [status] = await tryAs(money, keys, claims);
    expect(status).toBe(isPermitted ? 'completed' : 'pending');
  });
});

describe('an intent that waits', () => {
  it('is resolved and pending, reserves nothing, and goes before limits', async () => {
    const money = await makeBank();
    expect(await tryAs(money, [stranger], [transfer('alice', 'bob', 100_000)])).toEqual(['pending', 5]);
    expect(await balanceOf(money, 'alice')).toEqual([100]);
    // One that leads nowhere fails: resolution comes first.
    expect((await tryAs(money, [stranger], [transfer('alice', 'nobody', 1)]))[0]).toBe('rejected');
  });

  it('is not carried on by a later proof, and its handle stays taken', async () => {
    const money = await makeBank();
    await tryAs(money, [stranger], [transfer('alice', 'bob', 1)]);
    const handle = `try-${made}`;
    const record = await money.read(handle);
    const hers = money.client.as(alice);
    for (const custom of [{}, { status: 'created' }, { status: 'pending' }]) {
      const answer = ok(await hers.prove(`/intents/${handle}`, record, custom));
      expect(answer.body.meta).toMatchObject({ status: 'pending', owners: record.meta.owners });
    }
    const { body } = ok(await hers.call('POST', `/intents/${handle}/sign`, proofOver(record.hash, alice, { n: 4 })));
    expect(body.meta.proofs).toHaveLength(9);
    const again = await hers.create('/intents', record.data);
    expectRefusal(again, hers, 'record.duplicated', `Intent with handle ${handle} already exists.`);
    expect(await balanceOf(money, 'alice')).toEqual([100]);
  });

  it('keeps neither others from moving the money, nor the wallet from being updated', async () => {
    const money = await makeBank();
    await tryAs(money, [stranger], [transfer('alice', 'bob', 1)]);
    expect((await tryAs(money, [alice], [transfer('alice', 'bob', 100)]))[0]).toBe('completed');
    const wallet = ok(await money.client.get('/wallets/alice')).body;
    ok(await money.client.update('/wallets/alice', wallet, { handle: 'alice', custom: { n: 1 } }));
  });
});
