import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { miscounted } from '../support/counted.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { REFUSED, reportWell, verbOf, verifiedData, withBridges } from './bridge.js';
import { bridgedScene, entryOf, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { type MoneyScene, transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

beforeEach(() => {
  bank.reset();
  other.reset();
});
afterEach(async () => {
  await checkBooks(server.current.database.url);
  // Calls of bridges and what attempts add to them count for the quota.
  expect(await miscounted(server.current.database.url)).toEqual([]);
});

const scene = () => bridgedScene(server.current.url, bridges);
const HANDLE = expect.stringMatching(/^(deb|cre)_[A-Za-z0-9]{17}$/);
const LUID = expect.stringMatching(/^\$ben\.[\w-]{17}$/);

/** The versions of an intent in their order, without `meta.domains` unless asked for. */
async function versions(money: MoneyScene, handle: string, hasDomains: boolean): Promise<JsonObject[]> {
  const { luid } = await money.read(handle);
  const text = 'select body from version where luid = $1 order by change';
  const rows = await runSql<{ body: string }>(server.current.database.url, text, [luid]);
  return rows.map(({ body }) => {
    const version = JSON.parse(body);
    if (!hasDomains) delete version.meta.domains;
    return version;
  });
}

describe('an intent with a bridged credit', () => {
  it('has trail C', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'account:105@acc', 40)]);
    await money.ends(handle, 'completed');
    const trail = await money.trail(handle);
    expect(trail).toEqual([
      [
        'system',
        {
          ...{ amount: 40, handle: HANDLE, inputs: [0], schema: 'debit', status: 'resolved', symbol: 'usd' },
          wallet: 'alice',
        },
      ],
      [
        'system',
        {
          ...{ amount: 40, bridge: 'bank', handle: HANDLE, inputs: [0], schema: 'credit', status: 'resolved' },
          ...{ symbol: 'usd', wallet: 'acc' },
        },
      ],
      ['core', { handle: trail[0]![1].handle, schema: 'debit', status: 'prepared' }],
      ['core', { handle: trail[1]![1].handle, schema: 'credit', status: 'prepared' }],
      ['bank', { handle: trail[1]![1].handle, status: 'prepared', coreId: 'tx-1' }],
      ['system', { status: 'prepared' }],
      ['system', { status: 'committed', detail: 'awaiting-clearance' }],
      ['bare', { detail: 'cleared', handle: trail[0]![1].handle, schema: 'debit', status: 'committed' }],
      ['bare', { detail: 'cleared', handle: trail[1]![1].handle, schema: 'credit', status: 'committed' }],
      ['bank', { handle: trail[1]![1].handle, status: 'committed', coreId: 'tx-1' }],
      ['system', { status: 'completed' }],
    ]);
    expect(await money.balance('alice')).toEqual([960, 0]);
    expect(await money.balance('acc')).toEqual([1_040, 0]);
  });

  it('asks with the bodies of the interface, signed, and tells of two statuses', async () => {
    const money = await scene();
    const address = { handle: 'account:105@acc', custom: { name: 'Ann' } };
    const claim = { ...transfer('alice', 'x', 40), target: address };
    const handle = await money.intend([claim]);
    await money.ends(handle, 'completed');
    const entry = await entryOf(money, handle, 'credit');
    await bank.until('prepare credits', 'status', 'commit credits', 'status');
    const all = await versions(money, handle, false);

    const prepare = bank.only('prepare credits');
    expect([prepare.method, prepare.path]).toEqual(['POST', '/credits']);
    expect(prepare.headers).toMatchObject({
      accept: 'application/json, text/plain, */*',
      'content-type': 'application/json',
    });
    for (const name of ['authorization', 'x-ledger']) expect(prepare.headers).not.toHaveProperty(name);
    const data = verifiedData(money.client, prepare);
    expect(Object.keys(data)).toEqual('handle luid schema source target symbol amount inputs intent'.split(' '));
    expect(data).toEqual({
      ...{ handle: entry, luid: LUID, schema: 'credit', source: { handle: 'alice' }, target: address },
      // As it was resolved, before the core has prepared.
      ...{ symbol: { handle: 'usd' }, amount: 40, inputs: [0], intent: all[1] },
    });

    const commit = bank.only('commit credits');
    expect([commit.method, commit.path]).toEqual(['POST', `/credits/${entry}/commit`]);
    const committed = all.find(({ meta }) => (meta as JsonObject).status === 'committed');
    expect(verifiedData(money.client, commit)).toEqual({ handle: entry, action: 'commit', intent: committed });
    expect(committed!.meta).toMatchObject({ routed: true });

    const told = bank.calls.filter((call) => verbOf(call) === 'status');
    expect(told.map(({ method, path }) => [method, path])).toEqual(Array(2).fill(['PUT', `/intents/${handle}`]));
    const statuses = told.map(({ body }) => body.meta.status).sort();
    expect(statuses).toEqual(['completed', 'prepared']);
    expect(told.find(({ body }) => body.meta.status === 'completed')!.body).toEqual(all.at(-1));
    const early = told.find(({ body }) => body.meta.status === 'prepared')!.body;
    expect(all).toContainEqual(early);
    expect([early.meta.routed, all.at(-1)!.meta]).toEqual([undefined, expect.objectContaining({ routed: true })]);
  });

  it('needs no call of a bridge for an issue or a destroy, and names it all the same', async () => {
    const money = await scene();
    const handle = await money.issue('acc', 5);
    expect((await money.trail(handle))[0]![1]).toMatchObject({ bridge: 'bank' });
    await money.done([{ action: 'destroy', source: { handle: 'acc' }, symbol: { handle: 'usd' }, amount: 5 }]);
    expect(bank.calls).toEqual([]);
  });

  it('is checked against the balance before any call', async () => {
    const money = await scene();
    await money.rejected([transfer('far', 'acc', 1_001)]);
    expect([...bank.calls, ...other.calls]).toEqual([]);
  });
});

describe('an intent between two bridges', () => {
  it('asks for credits when every debit is prepared, and shows them the intent as it is then', async () => {
    const money = await scene();
    other.report = (call) => (verbOf(call) === 'prepare debits' ? undefined : reportWell(call));
    const handle = await money.intend([transfer('far', 'acc', 7)]);
    const [debit] = await other.until('prepare debits');
    expect(verifiedData(money.client, debit!)).toMatchObject({ schema: 'debit', source: { handle: 'far' } });
    expect(await money.balance('far')).toEqual([993, 7]);
    expect(bank.calls).toEqual([]);
    await other.say(debit!, { status: 'prepared' });
    await money.ends(handle, 'completed');
    await bank.until('prepare credits', 'status', 'commit credits', 'status');
    const { intent } = verifiedData(money.client, bank.only('prepare credits'));
    const all = await versions(money, handle, true);
    expect(all).toContainEqual(intent);
    const { proofs } = (intent as unknown as { meta: { proofs: { custom: JsonObject; signer: string }[] } }).meta;
    expect(proofs.slice(-3).map(({ signer, custom }) => [signer, custom.status])).toEqual([
      ['core', 'prepared'],
      ['core', 'prepared'],
      ['other', 'prepared'],
    ]);
    expect(intent).toMatchObject({ meta: { domains: [], status: 'pending' } });
    const trail = await shortTrail(money, handle);
    // What bridges commit is in the order in which they say so.
    expect([...trail.slice(2, 10), ...trail.slice(10, 12).sort(), ...trail.slice(12)]).toEqual([
      ...['core prepared debit', 'core prepared credit', 'other prepared', 'bank prepared', 'system prepared'],
      ...['system committed', 'bare committed debit', 'bare committed credit'],
      ...['bank committed', 'other committed', 'system completed'],
    ]);
  });

  it('asks all debits at once', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([
      transfer('acc', 'bob', 1),
      transfer('acc2', 'bob', 2),
      transfer('far', 'bob', 3),
    ]);
    const asked = await bank.until('prepare debits', 'prepare debits');
    for (const call of asked) await bank.say(call, { status: 'prepared' });
    await money.ends(handle, 'completed');
    expect(await money.balance('bob')).toEqual([6, 0]);
  });
});

describe('a bridge that refuses', () => {
  it('has trail F', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('alice', 'acc', 40)]);
    await money.ends(handle, 'rejected');
    const trail = await money.trail(handle);
    const [debit, credit] = [trail[0]![1].handle, trail[1]![1].handle];
    expect(trail.slice(4)).toEqual([
      ['bank', { handle: credit, ...REFUSED }],
      [
        'system',
        {
          detail: 'Bridge(s) failed to process intent: bank',
          reason: 'core.bridge-prepare-failed',
          status: 'failed',
        },
      ],
      ['system', { status: 'aborted' }],
      ['core', { handle: debit, schema: 'debit', status: 'aborted' }],
      ['core', { handle: credit, schema: 'credit', status: 'aborted' }],
      ['bank', { handle: credit, status: 'aborted', coreId: 'tx-1' }],
      ['system', { status: 'rejected' }],
    ]);
    expect(await money.balance('alice')).toEqual([1_000, 0]);
    // One that never prepared is told of its end alone.
    await bank.until('prepare credits', 'abort credits', 'status');
    const abort = verifiedData(money.client, bank.only('abort credits'));
    expect(bank.only('abort credits').path).toBe(`/credits/${credit}/abort`);
    expect(abort).toMatchObject({
      handle: credit,
      action: 'abort',
      intent: { meta: { status: 'aborted', domains: [] } },
    });
    expect(Object.keys(abort)).toEqual(['handle', 'action', 'intent']);
    expect(await versions(money, handle, true)).toContainEqual(abort.intent);
    expect(bank.only('status').body.meta.status).toBe('rejected');
    const changes = (await money.client.get(`/intents/${handle}/changes`)).body.data;
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    expect(changes.some(({ meta }: any) => 'routed' in meta)).toBe(false);
  });

  it('aborts a debit that is pending elsewhere, and asks for no credit', async () => {
    const money = await scene();
    other.report = (call) => (verbOf(call) === 'prepare debits' ? undefined : reportWell(call));
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('acc', 'bob', 1), transfer('far', 'acc2', 2)]);
    await money.ends(handle, 'rejected');
    await bank.until('prepare debits', 'abort debits', 'status');
    await other.until('prepare debits', 'abort debits', 'status');
  });

  it('hears nothing where its credit was not asked for', async () => {
    const money = await scene();
    other.report = (call) => (verbOf(call) === 'prepare debits' ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('far', 'acc', 2)]);
    await money.ends(handle, 'rejected');
    await other.until('prepare debits', 'abort debits', 'status');
    expect(bank.calls).toEqual([]);
  });

  it('aborts what is prepared when a credit fails', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call) === 'prepare credits' ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('far', 'acc', 2)]);
    await money.ends(handle, 'rejected');
    await other.until('prepare debits', 'abort debits', 'status');
    await bank.until('prepare credits', 'abort credits', 'status');
  });
});

describe('a bridge in use', () => {
  it('is not dropped while an intent waits for it', async () => {
    const money = await scene();
    bank.report = () => undefined;
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    const [call] = await bank.until('prepare credits');
    const record = (await money.client.get('/bridges/bank')).body;
    // Its wallets name it, too: that alone refuses a drop.
    const refused = await money.client.drop('/bridges/bank', record);
    expect(refused.status).toBe(422);
    bank.report = reportWell;
    await bank.say(call!, { status: 'prepared' });
    await money.ends(handle, 'completed');
  });

  it('shows its calls as deliveries, newest first', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    await money.ends(handle, 'completed');
    await eventually(async () => {
      const { body } = await money.client.get('/bridges/bank/events');
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
      expect(body.data.map(({ meta }: any) => [meta.status, meta.replay])).toEqual(Array(4).fill(['delivered', 1]));
      const [{ luid, hash, data, meta }] = body.data.slice(-1);
      expect(data).toEqual({ handle: luid.slice(5), bridge: 'bank', effect: null, record: 'intent', linked: handle });
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(meta.output).toEqual(bank.only('prepare credits').body);
      expect(meta.proofs.map(({ custom }: { custom: JsonObject }) => custom)).toEqual([
        { detail: { httpStatus: 202 }, moment: expect.any(String), status: 'delivered' },
      ]);
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
      const outputs = body.data.map(({ meta: { output } }: any) => JSON.stringify(output)).sort();
      expect(outputs).toEqual(bank.calls.map(({ text }) => text).sort());
    });
  });
});
