import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createIn } from '../domains/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed, TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer, withTwoServers } from '../support/server.js';

const server = withServer();

const REASON = 'record.labels-policy-violation';
const unnamed = (label: string, kind = 'wallet') =>
  `Cannot set ${kind} label to ${label}. No values correspond to the target label.`;
const taken = (label: string, kind = 'wallet') => `Cannot set ${kind} label to ${label}. Another ${kind} has it.`;

const labelsPolicy = (values: JsonObject[], more: JsonObject = {}): JsonObject => ({
  handle: 'labels',
  schema: 'labels',
  record: 'wallet',
  values,
  ...more,
});

/** An open ledger with that policy. */
async function ledgerWith(values: JsonObject[], more: JsonObject = {}): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  await stored(client, 'policy', labelsPolicy(values, more));
  return client;
}

const created = (client: TestClient, handle: string, labels: string[] | JsonObject, data: JsonObject = {}) =>
  client.create('/wallets', { handle, ...data }, { status: 'created', labels });

const labelsOf = async (client: TestClient, path: string) => (await client.get(path)).body.meta?.labels;

describe('a labels policy refuses a label that no value names, with `record.labels-policy-violation`', () => {
  it('on create', async () => {
    const client = await ledgerWith([{ label: { $in: ['vip', 'new'] } }]);
    expectRefusal(await created(client, 'w', ['vip', 'odd']), client, REASON, unnamed('odd'));
    expect((await client.get('/wallets/w')).status).toBe(404);
    expect(ok(await created(client, 'w', ['vip', 'new'])).body.meta.labels).toEqual(['vip', 'new']);
  });

  it('on update', async () => {
    const client = await ledgerWith([{ label: 'vip' }]);
    const wallet = ok(await created(client, 'w', ['vip'])).body;
    const update = (labels: JsonObject | string[]) => client.call('PUT', '/wallets/w', labeled(client, wallet, labels));
    expectRefusal(await update({ $push: 'odd' }), client, REASON, unnamed('odd'));
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
    expect(ok(await update({ $push: 'vip' })).body.meta.labels).toEqual(['vip']);
  });

  it('on proof', async () => {
    const client = await ledgerWith([{ label: 'vip' }]);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    for (const labels of [['odd'], { $push: ['vip', 'odd'] }]) {
      expectRefusal(await client.prove('/wallets/w', wallet, { labels }), client, REASON, unnamed('odd'));
    }
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
    expect(ok(await client.prove('/wallets/w', wallet, { labels: ['vip'] })).body.meta.labels).toEqual(['vip']);
  });
});

/** The body of an update that changes nothing but labels. */
function labeled(client: TestClient, record: RecordEnvelope, labels: JsonObject | string[]) {
  const data = { ...record.data, parent: record.hash };
  return signed(data, client.key, { labels }, { luid: record.luid });
}

describe('the values of a labels policy', () => {
  it.each<[title: string, values: JsonObject[], taken: string[], refused: string[]]>([
    ['one label', [{ label: 'a' }], ['a'], ['b', 'A']],
    ['$in', [{ label: { $in: ['a', 'b'] } }], ['a', 'b'], ['c']],
    ['an empty $in', [{ label: { $in: [] } }], [], ['a']],
    ['$nin', [{ label: { $nin: ['a'] } }], ['b'], ['a']],
    ['$regex', [{ label: { $regex: 'tier-.*' } }], ['tier-1', 'tier-'], ['tier']],
    ['any label', [{}], ['a', 'b'], []],
    ['several', [{ label: 'a' }, { label: 'b' }], ['a', 'b'], ['c']],
    ['with a filter that fits', [{ label: 'a', filter: { 'custom.rank': 1 } }], ['a'], ['b']],
    ['with a filter that does not fit', [{ label: 'a', filter: { 'custom.rank': 2 } }], [], ['a']],
    ['none, which asks for nothing', [], ['a', 'b'], []],
  ])('%s', async (_, values, named, others) => {
    const client = await ledgerWith(values);
    const wallet = await stored(client, 'wallet', { handle: 'w', custom: { rank: 1 } });
    for (const label of named) ok(await client.prove('/wallets/w', wallet, { labels: { $push: label } }));
    for (const label of others) {
      const answer = await client.prove('/wallets/w', wallet, { labels: { $push: label } });
      expectRefusal(answer, client, REASON, unnamed(label));
    }
    expect((await labelsOf(client, '/wallets/w')) ?? []).toEqual(named);
  });

  it.each<[title: string, policy: JsonObject, refused: boolean]>([
    ['of the record’s kind', {}, true],
    ['of every kind', { record: 'any' }, true],
    ['of another kind', { record: 'symbol' }, false],
    ['whose filter fits', { filter: { 'custom.rank': { $gte: 1 }, handle: 'w' } }, false],
    ['whose filter fits the record', { filter: { handle: 'w' } }, true],
    ['whose filter fits another record', { filter: { handle: 'x' } }, false],
  ])('of a policy %s', async (_, more, refused) => {
    const client = await ledgerWith([{ label: 'a' }], more);
    const answer = await created(client, 'w', ['b'], { custom: { rank: 1 } });
    expect(answer.status).toBe(refused ? 422 : 201);
  });

  it('of several policies are enough one by one', async () => {
    const client = await ledgerWith([{ label: 'a' }]);
    await stored(client, 'policy', labelsPolicy([{ label: 'b' }], { handle: 'more' }));
    ok(await created(client, 'w', ['a', 'b']));
    expectRefusal(await created(client, 'x', ['c']), client, REASON, unnamed('c'));
  });

  it('count whatever the status of the policy, but `inactive`', async () => {
    const client = await ledgerWith([{ label: 'a' }]);
    const policy = (await client.get('/policies/labels')).body;
    for (const [status, expected] of [
      ['active', 422],
      ['inactive', 201],
      ['odd', 422],
    ] as const) {
      ok(await client.prove('/policies/labels', policy, { status }));
      expect((await created(client, `w-${status}`, ['b'])).status, status).toBe(expected);
    }
    ok(await client.drop('/policies/labels', policy));
    ok(await created(client, 'w', ['b']));
  });

  it('do not judge what a record has already, nor what is taken away', async () => {
    const client = await newLedger(server.current.url);
    const wallet = ok(await created(client, 'w', ['old', 'older'])).body;
    await stored(client, 'policy', labelsPolicy([{ label: 'new' }]));
    ok(await client.prove('/wallets/w', wallet, { note: 'without labels' }));
    ok(await client.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w' }, client.key)));
    const updated = (await client.get('/wallets/w')).body;
    expect(updated.meta.labels).toEqual(['old', 'older']);
    ok(await client.prove('/wallets/w', updated, { labels: { $push: ['old', 'new'], $pull: 'older' } }));
    expect(await labelsOf(client, '/wallets/w')).toEqual(['old', 'new']);
    const back = await client.prove('/wallets/w', updated, { labels: { $push: 'older' } });
    expectRefusal(back, client, REASON, unnamed('older'));
  });

  it('see a record as it is to be', async () => {
    const client = await ledgerWith([{ label: 'a', filter: { 'custom.rank': 2, 'meta.labels': 'a' } }]);
    const wallet = await stored(client, 'wallet', { handle: 'w', custom: { rank: 1 } });
    expectRefusal(await client.prove('/wallets/w', wallet, { labels: ['a'] }), client, REASON, unnamed('a'));
    const data = { handle: 'w', custom: { rank: 2 }, parent: wallet.hash };
    ok(await client.call('PUT', '/wallets/w', signed(data, client.key, { labels: ['a'] }, { luid: wallet.luid })));
  });

  it('of a policy in a domain are for records there and below', async () => {
    const client = await newLedger(server.current.url);
    for (const handle of ['sales', 'eu@sales', 'bank']) await stored(client, 'domain', { handle });
    await stored(client, 'policy', labelsPolicy([{ label: 'a' }], { handle: 'labels@sales' }));
    for (const [domain, refused] of [
      ['sales', true],
      ['eu@sales', true],
      ['bank', false],
    ] as const) {
      const custom = { status: 'created', domain, labels: ['b'] };
      const answer = await client.create('/wallets', { handle: `w-${domain.replace('@', '-')}` }, custom);
      expect(answer.status, domain).toBe(refused ? 422 : 201);
    }
    ok(await created(client, 'outside', ['b']));
    ok(await createIn(client, '/wallets', 'sales', { handle: 'inside' }));
  });

  it('of another form are refused', async () => {
    const client = await newLedger(server.current.url);
    for (const value of [{ any: 1 }, { label: 1 }, { label: { $gt: 'a' } }, { label: 'a', unique: 'yes' }, 'a']) {
      const answer = await client.create('/policies', labelsPolicy([value as JsonObject]));
      expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
    }
  });
});

describe('a label that must be unique', () => {
  it('is one record’s at a time', async () => {
    const client = await ledgerWith([{ label: 'main', unique: true }, { label: 'other' }]);
    const first = ok(await created(client, 'first', ['main', 'other'])).body;
    expectRefusal(await created(client, 'second', ['main']), client, REASON, taken('main'));
    const second = ok(await created(client, 'second', ['other'])).body;
    expectRefusal(
      await client.prove('/wallets/second', second, { labels: { $push: 'main' } }),
      client,
      REASON,
      taken('main'),
    );
    // The one that has it may be given it again.
    ok(await client.prove('/wallets/first', first, { labels: ['main'] }));
    ok(await client.prove('/wallets/first', first, { labels: { $pull: 'main' } }));
    ok(await client.prove('/wallets/second', second, { labels: { $push: 'main' } }));
    expectRefusal(
      await client.prove('/wallets/first', first, { labels: { $push: 'main' } }),
      client,
      REASON,
      taken('main'),
    );
    ok(await client.drop('/wallets/second', (await client.get('/wallets/second')).body));
    ok(await client.prove('/wallets/first', first, { labels: { $push: 'main' } }));
    // Records of other kinds are not asked, nor those of other ledgers.
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    const other = await ledgerWith([{ label: 'main', unique: true }]);
    ok(await created(other, 'first', ['main']));
  });

  it('does not keep a create from being sent again', async () => {
    const client = await ledgerWith([{ unique: true }]);
    const body = signed({ handle: 'w' }, client.key, { status: 'created', labels: ['main'] });
    const first = await client.call('POST', '/wallets', body);
    const again = await client.call('POST', '/wallets', body);
    expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
  });

  it('is unique in the domain of its policy and below, where that is in one', async () => {
    const client = await newLedger(server.current.url);
    for (const handle of ['sales', 'eu@sales', 'bank']) await stored(client, 'domain', { handle });
    await stored(client, 'policy', labelsPolicy([{ unique: true }], { handle: 'labels@sales' }));
    const create = (handle: string, domain?: string) =>
      client.create('/wallets', { handle }, { status: 'created', labels: ['main'], ...(domain && { domain }) });
    ok(await create('a', 'bank'));
    ok(await create('b'));
    ok(await create('c', 'sales'));
    expectRefusal(await create('d', 'eu@sales'), client, REASON, taken('main'));
    ok(await create('e', 'bank'));
  });
});

describe('a label that must be unique, at two processes', () => {
  const both = withTwoServers();

  it('is given once, however many ask for it at once', async () => {
    const [one, other] = both.current;
    const client = await newLedger(one.url);
    await stored(client, 'policy', labelsPolicy([{ unique: true }]));
    const count = 8;
    const wallets = await Promise.all(
      Array.from({ length: count }, (_, at) => stored(client, 'wallet', { handle: `w-${at}` })),
    );
    for (const label of ['a', 'b', 'c']) {
      const answers = await Promise.all(
        wallets.map((wallet, at) => {
          const asking = new TestClient((at % 2 ? one : other).url, client.key, client.ledger);
          return asking.prove(`/wallets/w-${at}`, wallet, { labels: { $push: label } });
        }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(count - 1).fill(422)]);
    }
    const list = await client.get('/wallets?meta.labels=a');
    expect(list.body.data).toHaveLength(1);
  });
});
