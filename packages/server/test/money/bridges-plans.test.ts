import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signed } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { REFUSED, reportWell, verbOf, verifiedData, withBridges } from './bridge.js';
import { bridgedScene, entryOf, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

beforeEach(() => {
  bank.reset();
  other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

const scene = (more: { bank?: JsonObject; bankConfig?: JsonObject } = {}) =>
  bridgedScene(server.current.url, bridges, more);

const COMMON = {
  luid: expect.stringMatching(/^\$ben\./),
  symbol: { handle: 'usd' },
  intent: expect.anything(),
};

describe('grouping', () => {
  it('makes one call of credits at one address', async () => {
    const money = await scene({ bankConfig: { 'credits.claims.groupBy': 'address' } });
    const claims = [
      transfer('alice', 'account:1@acc', 3),
      transfer('far', 'account:1@acc', 4),
      transfer('alice', 'account:2@acc', 5),
    ];
    const handle = await money.intend(claims);
    await money.ends(handle, 'completed');
    const asked = bank.calls.filter((call) => verbOf(call) === 'prepare credits');
    const bodies = asked.map((call) => verifiedData(money.client, call)) as { handle: string; inputs: number[] }[];
    const [group, plain] = bodies.sort((one, another) => another.inputs.length - one.inputs.length);
    expect(group).toEqual({
      ...{ ...COMMON, handle: expect.stringMatching(/^cre_[A-Za-z0-9]{17}$/), schema: 'credit', source: null },
      ...{ target: { handle: 'account:1@acc' }, amount: 7, inputs: [0, 1] },
    });
    expect(plain).toEqual({
      ...{ ...COMMON, handle: await entryOf(money, handle, 'credit', 2), schema: 'credit' },
      ...{ source: { handle: 'alice' }, target: { handle: 'account:2@acc' }, amount: 5, inputs: [2] },
    });
    const trail = await money.trail(handle);
    const own = trail.filter(([signer]) => signer === 'core').map(([, said]) => said.handle);
    // Resolution and the core stay per claim; the bridge reports of the group.
    expect(own).toHaveLength(6);
    expect(own).not.toContain(group!.handle);
    const reported = trail.filter(([signer]) => signer === 'bank').map(([, said]) => said.handle);
    expect(reported.sort()).toEqual([group!.handle, group!.handle, plain!.handle, plain!.handle].sort());
    const paths = bank.calls.filter((call) => verbOf(call) === 'commit credits').map(({ path }) => path);
    expect(paths.sort()).toEqual([group!, plain!].map((one) => `/credits/${one.handle}/commit`).sort());
  });

  it('makes one call of debits of one wallet, whatever the address', async () => {
    const money = await scene({ bankConfig: { 'debits.claims.groupBy': 'wallet' } });
    const claims = [
      transfer('account:1@acc', 'bob', 3),
      transfer('account:2@acc', 'bob', 4),
      transfer('acc2', 'bob', 5),
    ];
    const handle = await money.intend(claims);
    await money.ends(handle, 'completed');
    const asked = bank.calls.filter((call) => verbOf(call) === 'prepare debits');
    const bodies = asked.map((call) => verifiedData(money.client, call)).sort((one) => (one.target === null ? -1 : 1));
    expect(bodies).toEqual([
      {
        ...{ ...COMMON, handle: expect.stringMatching(/^deb_/), schema: 'debit', source: { handle: 'acc' } },
        ...{ target: null, amount: 7, inputs: [0, 1] },
      },
      {
        ...{ ...COMMON, handle: await entryOf(money, handle, 'debit', 2), schema: 'debit' },
        ...{ source: { handle: 'acc2' }, target: { handle: 'bob' }, amount: 5, inputs: [2] },
      },
    ]);
  });

  it('leaves symbols apart, and sides that it does not name', async () => {
    const money = await scene({ bankConfig: { 'credits.claims.groupBy': 'wallet' } });
    await money.client.create('/symbols', { handle: 'eur', factor: 100 });
    await money.issue('alice', 10, 'eur');
    const handle = await money.intend([transfer('alice', 'acc', 1), transfer('alice', 'acc', 2, 'eur')]);
    await money.ends(handle, 'completed');
    expect(bank.calls.filter((call) => verbOf(call) === 'prepare credits')).toHaveLength(2);
    bank.calls.length = 0;
    const out = await money.intend([transfer('acc', 'bob', 1), transfer('acc', 'bob', 2)]);
    await money.ends(out, 'completed');
    expect(bank.calls.filter((call) => verbOf(call) === 'prepare debits')).toHaveLength(2);
  });

  it('fails as one', async () => {
    const money = await scene({ bankConfig: { 'credits.claims.groupBy': 'wallet' } });
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('alice', 'acc', 1), transfer('alice', 'acc', 2)]);
    await money.ends(handle, 'rejected');
    await bank.until('prepare credits', 'abort credits', 'status');
    expect(await money.balance('alice')).toEqual([1_000, 0]);
  });
});

describe('traits', () => {
  it('leave out calls that they do not name: the ledger applies the entry alone, and the trail names the bridge', async () => {
    const money = await scene({ bank: { traits: ['credits', 'ping'] } });
    const out = await money.done([transfer('acc', 'bob', 1)]);
    expect(bank.calls).toEqual([]);
    expect((await money.trail(out))[0]![1]).toMatchObject({ bridge: 'bank', schema: 'debit' });
    expect((await shortTrail(money, out)).slice(2)).toEqual([
      ...['core prepared debit', 'core prepared credit', 'system prepared', 'system committed'],
      ...['bare committed debit', 'bare committed credit', 'system completed'],
    ]);
    const into = await money.intend([transfer('alice', 'acc', 1)]);
    await money.ends(into, 'completed');
    // It is not told of statuses either.
    await bank.until('prepare credits', 'commit credits');
  });

  it('filter by the data of the entry', async () => {
    const traits = ['statuses', { method: 'credits', filter: { amount: { $gte: 100 } } }];
    const money = await scene({ bank: { traits } });
    await money.done([transfer('alice', 'acc', 99)]);
    expect(bank.calls).toEqual([]);
    const handle = await money.intend([transfer('alice', 'acc', 100)]);
    await money.ends(handle, 'completed');
    await bank.until('prepare credits', 'status', 'commit credits', 'status');
  });

  it('decide of each call of an intent on its own', async () => {
    const traits = [{ method: 'credits', filter: { 'target.handle': 'account:1@acc' } }];
    const money = await scene({ bank: { traits } });
    const handle = await money.intend([transfer('alice', 'account:1@acc', 1), transfer('alice', 'account:2@acc', 2)]);
    await money.ends(handle, 'completed');
    await bank.until('prepare credits', 'commit credits');
    expect(bank.only('prepare credits').body.data.inputs).toEqual([0]);
  });
});

describe('claims in string form', () => {
  it('are told to bridges in object form', async () => {
    const money = await scene();
    const claim = { action: 'transfer', source: 'alice', target: 'acc', symbol: 'usd', amount: 1 };
    const handle = await money.intend([claim]);
    await money.ends(handle, 'completed');
    const { source, target, symbol, intent } = verifiedData(money.client, bank.only('prepare credits'));
    expect({ source, target, symbol }).toEqual({
      source: { handle: 'alice' },
      target: { handle: 'acc' },
      symbol: { handle: 'usd' },
    });
    // The intent is as it was signed: its hash holds.
    expect(intent).toMatchObject({ data: { claims: [claim] } });
  });
});

describe('security rules', () => {
  it('are applied to every call for an intent', async () => {
    const money = await scene();
    const record = (await money.client.get('/bridges/bank')).body;
    const { parent: _, ...data } = record.data;
    const secure = [{ schema: 'header', key: 'X-Api-Key', value: '{{ secret.key }}' }];
    const body = signed({ ...data, secure, parent: record.hash }, money.client.key, {}, { luid: record.luid });
    const update = { ...body, meta: { ...body.meta, secret: { key: 'k-1' } } };
    expect((await money.client.call('PUT', '/bridges/bank', update)).status).toBe(200);
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    await money.ends(handle, 'completed');
    await bank.until('prepare credits', 'status', 'commit credits', 'status');
    expect(bank.calls.map(({ headers }) => headers['x-api-key'])).toEqual(Array(4).fill('k-1'));
  });
});
