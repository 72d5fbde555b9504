import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import {
  activated,
  everythingFor,
  founded,
  GATE,
  outcome,
  readBy,
  registered,
  statusSet,
  underPolicies,
} from './support.js';

const server = withServer();

const access = (handle: string, values: JsonObject[], more: JsonObject = {}): JsonObject => ({
  handle,
  schema: 'access',
  record: 'wallet',
  values,
  ...more,
});
const READ = [{ action: 'read' }];
const OPEN_GATE = { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] };

describe('policies that rules refer to (interface/policies#access-policies, record-based)', () => {
  it.each<[title: string, reference: JsonObject, policies: JsonObject[], granted: boolean]>([
    ['one', { policy: 'p' }, [access('p', READ)], true],
    ['several', { policy: { $in: ['x', 'p'] } }, [access('p', READ)], true],
    ['an unknown one is accepted, and grants nothing', { policy: 'x' }, [access('p', READ)], false],
    ['for another kind', { policy: 'p' }, [access('p', READ, { record: 'symbol' })], false],
    [
      'whose value names the kind',
      { policy: 'p' },
      [access('p', [{ ...READ[0], record: 'wallet' }], { record: 'symbol' })],
      true,
    ],
    ['of another schema', { policy: 'p' }, [access('p', READ, { schema: 'dtc' })], false],
    ['of a schema of its own', { policy: 'p' }, [access('p', READ, { schema: 'mine' })], false],
    ['extended', { policy: 'p' }, [access('p', [], { extend: 'base' }), access('base', READ)], true],
    [
      'extended twice',
      { policy: 'p' },
      [access('p', [], { extend: 'q' }), access('q', [], { extend: 'base' }), access('base', READ)],
      true,
    ],
    [
      'extended by several',
      { policy: 'p' },
      [access('p', [], { extend: ['ghost', 'base'] }), access('base', READ)],
      true,
    ],
    [
      'extended, each about its own record',
      { policy: 'p' },
      [access('p', [], { extend: 'base' }), access('base', READ, { record: 'symbol' })],
      false,
    ],
    ['in a cycle', { policy: 'p' }, [access('p', [], { extend: 'q' }), access('q', READ, { extend: 'p' })], true],
    ['extending itself', { policy: 'p' }, [access('p', [], { extend: 'p' })], false],
    [
      'a filter that fits',
      { policy: 'p' },
      [access('p', [{ action: 'read', filter: { 'custom.tier': 'gold' } }])],
      true,
    ],
    [
      'a filter that does not',
      { policy: 'p' },
      [access('p', [{ action: 'read', filter: { 'custom.tier': { $ne: 'gold' } } }])],
      false,
    ],
    [
      'filters all must fit',
      { policy: 'p' },
      [access('p', [{ action: 'read', filter: { 'custom.tier': 'gold', handle: 'x' } }])],
      false,
    ],
    [
      'a condition nobody knows',
      { policy: 'p' },
      [access('p', [{ action: 'read', invoke: 'wallet.isPretty' }])],
      false,
    ],
    [
      'a condition every object has',
      { policy: 'p' },
      [access('p', [{ action: 'read', invoke: 'constructor' }])],
      false,
    ],
  ])('%s', async (_, reference, policies, granted) => {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'schema', { handle: 'mine', record: 'policy', format: 'json-schema', schema: {} });
    for (const policy of policies) await stored(founder, 'policy', policy);
    await stored(founder, 'wallet', { handle: 'w', custom: { tier: 'gold' }, access: [reference] });
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      granted ? '200' : '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('count whatever their status, on the ledger and on domains too, and no longer than they exist', async () => {
    const founder = await founded(server.current.url, [GATE, { policy: 'p' }]);
    await stored(founder, 'wallet', { handle: 'w' });
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    let policy = await stored(founder, 'policy', access('p', READ));
    for (const status of ['active', 'inactive']) {
      expect(outcome(await founder.get('/wallets/w'))).toBe('200');
      policy = await statusSet(founder, '/policies/p', policy, status);
    }
    expect(outcome(await founder.get('/wallets/w'))).toBe('200');
    const { body } = await founder.update('/policies/p', policy, access('p', []));
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    ok(await founder.update('/policies/p', body, access('p', READ)));
    const last = (await readBy(founder, founder.key, '/policies/p')).body;
    ok(await founder.drop('/policies/p', last));
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    expect(outcome(await readBy(founder, founder.key, '/policies/p'))).toBe('404 Policy not found');
  });
});

describe('the policy-based strategy (interface/policies#access-policies)', () => {
  it('ends what records, domains, the ledger and the server allowed', async () => {
    const founder = await founded(server.current.url, [GATE, { action: 'any', record: 'any' }]);
    const wallet = await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'any' }] });
    await stored(founder, 'domain', { handle: 'a', access: [{ action: 'any', record: 'any' }] });
    await stored(founder, 'wallet', { handle: 'w@a' });
    await activated(founder, { handle: 'operator', record: 'any', values: everythingFor(founder.key) });
    const { body } = await founder.get('/ledger');
    const { parent: _, ...data } = body.data;
    ok(await founder.update('/ledger', body, { ...data, config: { 'access.strategy': 'policy-based' } }));
    const stranger = founder.as(newKey());
    for (const path of ['/wallets/w', '/wallets/w@a', '/wallets', '/ledger', '/ledger/changes']) {
      expect((await stranger.get(path, bearer(stranger.key))).status, path).toBe(403);
      expect((await stranger.get(path)).status, path).toBe(401);
      expect((await readBy(founder, founder.key, path)).status, path).toBe(200);
    }
    expect(outcome(await stranger.create('/wallets', { handle: 'x' }))).toBe('403 Cannot create wallet.');
    expect(outcome(await stranger.drop('/wallets/w', wallet))).toBe('403 Cannot drop wallet.');
    // And back again: what was stored meanwhile counts as before.
    const now = (await readBy(founder, founder.key, '/ledger')).body;
    const { parent: __, ...later } = now.data;
    ok(await founder.update('/ledger', now, { ...later, config: { 'access.strategy': 'record-based' } }));
    expect(outcome(await stranger.drop('/wallets/w', wallet))).toBe('204');
  });

  it('counts active policies only, but of those they extend all', async () => {
    const founder = await underPolicies(server.current.url, [OPEN_GATE]);
    await stored(founder, 'wallet', { handle: 'w' });
    const read = async () => outcome(await founder.get('/wallets/w'));
    let policy = await stored(founder, 'policy', access('readers', READ));
    expect(await read()).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    policy = await statusSet(founder, '/policies/readers', policy, 'active');
    expect(await read()).toBe('200');
    policy = await statusSet(founder, '/policies/readers', policy, 'inactive');
    expect(await read()).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    const heir = await activated(founder, access('heir', [], { extend: 'readers' }));
    expect(await read()).toBe('200');
    await statusSet(founder, '/policies/heir', heir, 'created');
    expect(await read()).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('asks for the gate: an active value that grants access on the ledger', async () => {
    const founder = await underPolicies(server.current.url, [access('readers', READ)]);
    await stored(founder, 'wallet', { handle: 'w' });
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
    const gate = await activated(founder, OPEN_GATE);
    expect(outcome(await founder.get('/wallets/w'))).toBe('200');
    await statusSet(founder, '/policies/gate', gate, 'inactive');
    expect(outcome(await founder.get('/wallets/w'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('filters by data and meta, for reads and writes, as the record is stored', async () => {
    const filters: [JsonObject, string[]][] = [
      [{ handle: 'w-1' }, ['w-1']],
      [{ handle: { $in: ['w-1', 'w-2'] } }, ['w-1', 'w-2']],
      [{ 'custom.rank': 2 }, ['w-2']],
      [{ 'custom.deep.at': { $ne: 'x' } }, ['w-2', 'w-3']],
      [{ 'meta.status': 'active' }, ['w-2']],
      [{ 'meta.labels': 'vip' }, ['w-3']],
      [{ 'meta.domain': 'a' }, ['w-3']],
    ];
    const keys = filters.map(newKey);
    const values = filters.map(([filter], index) => ({
      ...{ action: 'read', bearer: { $signer: { public: keys[index]!.public } } },
      filter,
    }));
    const founder = await underPolicies(server.current.url, [OPEN_GATE, access('filtered', values)]);
    await stored(founder, 'domain', { handle: 'a' });
    await stored(founder, 'wallet', { handle: 'w-1', custom: { rank: 1, deep: { at: 'x' } } });
    const second = await stored(founder, 'wallet', { handle: 'w-2', custom: { rank: 2 } });
    await statusSet(founder, '/wallets/w-2', second, 'active');
    const third = ok(await founder.create('/wallets', { handle: 'w-3' }, { domain: 'a' })).body;
    ok(await founder.prove('/wallets/w-3', third, { labels: ['vip'] }));
    for (const [index, [filter, fitting]] of filters.entries()) {
      for (const handle of ['w-1', 'w-2', 'w-3']) {
        const answer = await readBy(founder, keys[index]!, `/wallets/${handle}`);
        expect(answer.status, `${JSON.stringify(filter)} ${handle}`).toBe(fitting.includes(handle) ? 200 : 403);
      }
    }
  });

  it("filters intents by their thread's id", async () => {
    const claims = [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }];
    const founder = await underPolicies(server.current.url, [OPEN_GATE]);
    const [one, two] = [
      await stored(founder, 'intent', { handle: 'i-1', claims }),
      await stored(founder, 'intent', { handle: 'i-2', claims }),
    ];
    const filter = { 'meta.thread': one.meta.thread as string };
    await activated(founder, access('thread', [{ action: 'read', filter }], { record: 'intent' }));
    expect(two.meta.thread).not.toBe(one.meta.thread);
    expect(outcome(await founder.get('/intents/i-1'))).toBe('200');
    expect(outcome(await founder.get('/intents/i-2'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('judges a create by what is to be stored', async () => {
    const values = [{ action: 'create', filter: { 'custom.tier': 'silver' } }];
    const founder = await underPolicies(server.current.url, [OPEN_GATE, access('makers', values)]);
    const stranger = founder.as(newKey());
    const make = async (handle: string, tier: string) =>
      outcome(await stranger.create('/wallets', { handle, custom: { tier } }));
    expect(await make('w-1', 'silver')).toBe('201');
    expect(await make('w-2', 'gold')).toBe('403 Cannot create wallet.');
  });
});

describe('the conditions a value may ask for (interface/policies#access-policies, invoke)', () => {
  const claim = (action: string, source: string | undefined, target: string | undefined): JsonObject => ({
    action,
    ...(source === undefined ? {} : { source: { handle: source } }),
    ...(target === undefined ? {} : { target: { handle: target } }),
    symbol: { handle: 'usd' },
    amount: 1,
  });

  /** alice may spend and read `hers`, and do to intents and routes what the conditions allow. */
  async function scene() {
    const founder = await underPolicies(server.current.url, [OPEN_GATE]);
    const alice = await registered(founder, 'alice');
    const own = { filter: { 'custom.of': 'alice' } };
    const bearerOf = { bearer: { $signer: { handle: 'alice' } } };
    await activated(
      founder,
      access('hers', [
        { action: 'spend', signer: { handle: 'alice' }, ...own },
        { action: 'read', ...bearerOf, ...own },
        {
          action: { $in: ['create', 'update'] },
          signer: { handle: 'alice' },
          invoke: 'wallet.canSpendAllChangedRouteTargets',
        },
      ]),
    );
    await activated(
      founder,
      access(
        'intents',
        [
          { action: 'create', signer: { handle: 'alice' }, invoke: 'intent.canSpendEveryClaimWallet' },
          { action: 'read', ...bearerOf, invoke: 'intent.canReadAnyClaimWallet' },
          { action: 'query', ...bearerOf, invoke: 'intent.canReadAnyClaimWallet' },
        ],
        { record: 'intent' },
      ),
    );
    for (const handle of ['hers', 'tel']) await stored(founder, 'wallet', { handle, custom: { of: 'alice' } });
    await stored(founder, 'wallet', { handle: 'his' });
    return { founder, alice, client: founder.as(alice) };
  }

  it.each<[title: string, claims: JsonObject[], allowed: boolean]>([
    ['from her own', [claim('transfer', 'hers', 'his')], true],
    ['from an address of her own', [claim('transfer', 'tel:385', 'his')], true],
    ["from another's", [claim('transfer', 'his', 'hers')], false],
    ['from both', [claim('transfer', 'hers', 'his'), claim('destroy', 'his', undefined)], false],
    ['from what is not there', [claim('transfer', 'ghost', 'hers')], false],
    ['from nowhere: no source is asked for', [claim('issue', undefined, 'his')], true],
  ])('intent.canSpendEveryClaimWallet: %s', async (_, claims, allowed) => {
    const { client } = await scene();
    const answer = await client.create('/intents', { handle: 'i', claims });
    expect(outcome(answer)).toBe(allowed ? '201' : '403 Cannot create intent.');
  });

  it('intent.canReadAnyClaimWallet: source or target, in reads, histories and lists', async () => {
    const { founder, alice } = await scene();
    const cases: [string, JsonObject, boolean][] = [
      ['in', claim('transfer', 'his', 'hers'), true],
      ['out', claim('transfer', 'hers', 'his'), true],
      ['string', { ...claim('transfer', 'his', 'his'), source: 'hers' }, true],
      ['none', claim('transfer', 'his', 'ghost'), false],
    ];
    for (const [handle, one] of cases) await stored(founder, 'intent', { handle, claims: [one] });
    for (const [handle, , readable] of cases) {
      for (const path of [`/intents/${handle}`, `/intents/${handle}/changes`, `/intents/${handle}/changes/1`]) {
        expect((await readBy(founder, alice, path)).status, path).toBe(readable ? 200 : 403);
        expect((await readBy(founder, newKey(), path)).status, path).toBe(403);
      }
    }
    const listed = ok(await readBy(founder, alice, '/intents')).body.data;
    expect(listed.map((record: RecordEnvelope) => record.data.handle)).toEqual(['string', 'out', 'in']);
  });

  it('intent.canReadAnyClaimWalletInThread: an intent is in its own thread', async () => {
    const { founder, alice } = await scene();
    const reader = newKey();
    const forReader = { action: 'read', bearer: { $signer: { public: reader.public } } };
    const value = { ...forReader, invoke: 'intent.canReadAnyClaimWalletInThread' };
    await activated(founder, access('threads', [value], { record: 'intent' }));
    await stored(founder, 'wallet', { handle: 'open' });
    const reads = { ...forReader, filter: { handle: 'open' } };
    await activated(founder, access('open', [reads]));
    await stored(founder, 'intent', { handle: 'i', claims: [claim('transfer', 'open', 'his')] });
    await stored(founder, 'intent', { handle: 'j', claims: [claim('transfer', 'his', 'hers')] });
    const read = async (handle: string) => outcome(await readBy(founder, reader, `/intents/${handle}`));
    expect(await read('i')).toBe('200');
    expect(await read('j')).toBe('403 Cannot read intent.');
    expect(outcome(await readBy(founder, alice, '/intents/i'))).toBe('403 Cannot read intent.');
  });

  it('wallet.canSpendAllChangedRouteTargets: new forward and debit routes only', async () => {
    const { founder, client } = await scene();
    const route = (action: string, target?: string) => ({ action, ...(target === undefined ? {} : { target }) });
    const make = async (handle: string, routes: JsonObject[]) =>
      outcome(await client.create('/wallets', { handle, routes }));
    expect(await make('w-1', [route('forward', 'hers'), route('debit', 'tel:1')])).toBe('201');
    expect(await make('w-2', [route('forward', 'his')])).toBe('403 Cannot create wallet.');
    expect(await make('w-3', [route('debit', 'his')])).toBe('403 Cannot create wallet.');
    expect(await make('w-4', [route('forward', 'ghost')])).toBe('403 Cannot create wallet.');
    expect(await make('w-5', [route('credit', 'his'), route('accept')])).toBe('201');
    const before = await stored(founder, 'wallet', { handle: 'led', routes: [route('forward', 'his')] });
    const kept = { handle: 'led', routes: [route('forward', 'his'), route('debit', 'hers')] };
    const updated = await client.update('/wallets/led', before, kept);
    expect(outcome(updated)).toBe('200');
    const moved = { handle: 'led', routes: [route('forward', 'his'), route('debit', 'his')] };
    expect(outcome(await client.update('/wallets/led', updated.body, moved))).toBe('403 Cannot update wallet.');
  });

  it('follow the wallets: what may be spent no longer may not be claimed any longer', async () => {
    const { founder, client } = await scene();
    const make = async (handle: string) =>
      outcome(await client.create('/intents', { handle, claims: [claim('transfer', 'hers', 'his')] }));
    expect(await make('i-1')).toBe('201');
    const wallet = (await readBy(founder, founder.key, '/wallets/hers')).body;
    ok(await founder.update('/wallets/hers', wallet, { handle: 'hers', custom: { of: 'bob' } }));
    expect(await make('i-2')).toBe('403 Cannot create intent.');
  });

  it('are not fulfilled for operations they are not about', async () => {
    const founder: TestClient = await founded(server.current.url, [GATE, { policy: 'p' }]);
    const value = { action: 'any', invoke: 'wallet.canSpendAllChangedRouteTargets' };
    await stored(founder, 'policy', access('p', [value]));
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    expect(outcome(await founder.as(newKey()).drop('/wallets/w', wallet))).toBe('403 Cannot drop wallet.');
  });
});
