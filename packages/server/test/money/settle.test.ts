import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { newKey } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';

const server = withOwnServer();

afterEach(() => checkBooks(server.current.database.url));

const scene = (wallets?: readonly string[]) => MoneyScene.make(server.current.url, wallets);
const HANDLE = expect.stringMatching(/^(deb|cre)_[A-Za-z0-9]{17}$/);

describe('an intent that the ledger settles alone', () => {
  it('is answered as it was accepted, and is final at once', async () => {
    const money = await scene();
    const { answer, handle } = await money.send([issue('alice', 100)]);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.meta).toMatchObject({ status: 'pending', domains: [] });
    expect(answer.body.meta.proofs).toHaveLength(3);
    const stored = await money.read(handle);
    expect(stored.meta).toMatchObject({ status: 'completed', routed: true, moment: answer.body.meta.moment });
    expect(Object.keys(stored.meta)).toEqual(['proofs', 'routed', 'status', 'thread', 'domains', 'moment', 'owners']);
  });

  it('has the trail of an issue, and seven versions', async () => {
    const money = await scene();
    const handle = await money.issue('alice', 100);
    expect(await money.trail(handle)).toEqual([
      [
        'system',
        {
          amount: 100,
          handle: HANDLE,
          inputs: [0],
          schema: 'credit',
          status: 'resolved',
          symbol: 'usd',
          wallet: 'alice',
        },
      ],
      ['system', { status: 'prepared' }],
      ['system', { status: 'committed', detail: 'awaiting-clearance' }],
      ['system', { coreId: handle, detail: 'cleared', status: 'committed' }],
      ['system', { status: 'completed' }],
    ]);
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    expect(body.data).toHaveLength(7);
  });

  it('has the trail of a transfer, and eight versions', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    const handle = await money.done([transfer('alice', 'bob', 40)]);
    const trail = await money.trail(handle);
    expect(trail.map(([signer, said]) => [signer, said.status, said.schema])).toEqual([
      ['system', 'resolved', 'debit'],
      ['system', 'resolved', 'credit'],
      ['core', 'prepared', 'debit'],
      ['core', 'prepared', 'credit'],
      ['system', 'prepared', undefined],
      ['system', 'committed', undefined],
      ['bare', 'committed', 'debit'],
      ['bare', 'committed', 'credit'],
      ['system', 'completed', undefined],
    ]);
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    expect(body.data.map(({ meta }: any) => [meta.change, meta.action, meta.status, meta.routed])).toEqual([
      [8, 'update', 'completed', true],
      [7, 'update', 'committed', true],
      [6, 'update', 'committed', true],
      [5, 'update', 'prepared', true],
      [4, 'update', 'prepared', undefined],
      [3, 'update', 'pending', undefined],
      [2, 'update', 'pending', undefined],
      [1, 'create', 'pending', undefined],
    ]);
  });

  it.each([
    { said: 'é€', of: 'one to three bytes' },
    { said: '😀\u{10ffff}', of: 'four bytes' },
  ])('has versions that say what it was at each, with characters of $of in it', async ({ said }) => {
    const money = await scene();
    await money.issue('alice', 100);
    const handle = await money.done([transfer('alice', 'bob', 40)], { custom: { said } });
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const versions: any[] = body.data.toReversed();
    const last = versions.at(-1);
    expect(last.data.custom).toEqual({ said });
    expect(versions.map(({ meta }) => meta.proofs.length)).toEqual([3, 5, 7, 8, 8, 9, 11, 12]);
    for (const { data, meta } of versions) {
      expect(data).toEqual(last.data);
      expect(meta.proofs).toEqual(last.meta.proofs.slice(0, meta.proofs.length));
      expect(meta.owners).toEqual(last.meta.owners);
    }
  });

  it('has nine proofs when it destroys', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    const { meta } = await money.read(await money.done([destroy('alice', 100)]));
    expect(meta.proofs).toHaveLength(9);
  });

  it('is rejected when it overdraws, and changes nothing', async () => {
    const money = await scene();
    await money.issue('alice', 100);
    expect(await money.rejected([transfer('alice', 'bob', 101)])).toEqual({
      detail: 'Amount -1 is less than minimum allowed amount 0 for wallet alice, symbol usd, schema available',
      reason: 'core.limit-exceeded',
      status: 'failed',
    });
    await money.done([transfer('alice', 'bob', 100)]);
  });

  it('is rejected when a wallet is unknown, without a resolved entry', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'carol', 1)]);
    expect(await money.trail(handle)).toEqual([
      [
        'system',
        {
          detail:
            'Target wallet not resolved for the address carol - does not resolve to any existing wallet. Parent wallet: carol',
          reason: 'core.routing-failed',
          status: 'failed',
        },
      ],
      ['system', { status: 'aborted' }],
      ['system', { status: 'rejected' }],
    ]);
  });

  it('moves all of its claims or none', async () => {
    const money = await scene(['alice', 'bob', 'carol']);
    await money.issue('alice', 10);
    await money.rejected([transfer('alice', 'bob', 5), transfer('carol', 'bob', 1)]);
    await money.done([transfer('alice', 'bob', 5), transfer('alice', 'carol', 5)]);
    // What the same intent credits does not help.
    await money.rejected([issue('alice', 5), transfer('alice', 'bob', 5)]);
  });

  it('sets limits', async () => {
    const money = await scene();
    await money.done([limit('alice', 'minBalance', -50)]);
    await money.done([transfer('alice', 'bob', 50)]);
    await money.rejected([transfer('alice', 'bob', 1)]);
    await money.done([limit('bob', 'maxBalance', 60)]);
    expect(await money.rejected([issue('bob', 11)])).toMatchObject({
      detail: 'Amount 61 is greater than maximum allowed amount 60 for wallet bob, symbol usd, schema available',
    });
    await money.done([issue('bob', 10)]);
  });

  it('is the same one when it is sent again, and another under its handle is a duplicate', async () => {
    const money = await scene();
    await money.issue('alice', 10);
    const again = await money.client.create('/intents', { handle: 'i-1', claims: [issue('alice', 10)] });
    expect(again.status, again.text).toBe(409);
    await money.done([transfer('alice', 'bob', 10)]);
  });

  it('settles many at once', async () => {
    const money = await scene();
    await money.issue('alice', 50);
    const sent = await Promise.all(Array.from({ length: 80 }, () => money.send([transfer('alice', 'bob', 1)])));
    const read = await Promise.all(sent.map(({ handle }) => money.read(handle)));
    const statuses = read.map(({ meta }) => meta.status).sort();
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(50);
    expect(statuses.filter((status) => status === 'rejected')).toHaveLength(30);
  });
});

describe('an intent that is not permitted', () => {
  it('waits, resolved, and reserves nothing', async () => {
    const key = newKey();
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], {
      access: [
        { action: 'any', record: 'any', signer: { public: key.public } },
        { action: 'access', record: 'ledger' },
        { action: 'create', record: 'intent' },
        { action: 'read', record: 'any' },
      ] as JsonObject[],
      key,
    });
    await money.issue('alice', 10);
    const stranger = money.client.as(newKey());
    const answer = await stranger.create('/intents', { handle: 'theirs', claims: [transfer('alice', 'bob', 1)] });
    expect(answer.status, answer.text).toBe(201);
    const { meta } = await money.read('theirs');
    expect([meta.status, meta.routed, meta.proofs.length]).toEqual(['pending', undefined, 5]);
    await money.done([transfer('alice', 'bob', 10)]);
  });
});
