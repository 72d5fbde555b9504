import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, type TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { activated, founded, GATE, listedFor, outcome, readBy, registered, underPolicies } from './support.js';

const server = withServer();

/** An open ledger with these domains. */
async function divided(domains: string[], config?: JsonObject): Promise<TestClient> {
  const founder = await founded(server.current.url, [], config);
  for (const handle of domains) await stored(founder, 'domain', { handle });
  return founder;
}

const KINDS: Record<string, (handle: string) => JsonObject> = {
  wallets: (handle) => ({ handle }),
  symbols: (handle) => ({ handle, factor: 1 }),
  circles: (handle) => ({ handle }),
  domains: (handle) => ({ handle }),
  policies: (handle) => ({ handle, schema: 'labels', values: [] }),
  effects: (handle) => ({ handle, signal: 'wallet-created', action: { endpoint: 'https://example.com' } }),
  schemas: (handle) => ({ handle, record: 'anchor-lookup', format: 'json-schema', schema: {} }),
  signers: (handle) => ({ handle, public: newKey().public, format: 'ed25519-raw' }),
  intents: (handle) => ({
    handle,
    claims: [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }],
  }),
};

describe('the domain a record joins (interface/domains#which-domain-a-record-is-in)', () => {
  it.each(Object.keys(KINDS))('for %s: by a proof, else by the handle', async (path) => {
    const founder = await divided(['pay', 'eu@pay']);
    const make = async (handle: string, custom?: JsonObject) =>
      (await founder.create(`/${path}`, KINDS[path]!(handle), { status: 'created', ...custom })).body.meta;
    expect((await make('one@pay')).domain).toBe('pay');
    expect((await make('two', { domain: 'eu@pay' })).domain).toBe('eu@pay');
    expect(await make('three')).not.toHaveProperty('domain');
    expect((await make('four@pay', { domain: 'eu@pay' })).domain).toBe('eu@pay');
  });

  it.each<[handle: string, proof: string | undefined, told: string | undefined]>([
    ['a:b@pay', undefined, 'pay'],
    ['w@nowhere', undefined, '!nowhere'],
    ['w', 'nowhere', '!nowhere'],
    ['w@pay', 'nowhere', '!nowhere'],
    ['w', '', '!'],
  ])('handle %s, proof %j: %j', async (handle, domain, told) => {
    const founder = await divided(['pay']);
    const custom = { status: 'created', ...(domain === undefined ? {} : { domain }) };
    const answer = await founder.create('/wallets', { handle }, custom);
    if (told?.startsWith('!')) {
      const missing = told.slice(1);
      const detail = `Trying to set a domain which doesn't exist "${missing}" to the record "${handle}"`;
      expectRefusal(answer, founder, 'record.relation-not-found', detail, { domain: missing });
    } else {
      expect(answer.body.meta.domain).toBe(told);
      expect(Object.keys(answer.body.meta).at(-1)).toBe('domain');
    }
  });

  it('is none before the ledger has a first domain, and is not decided again later', async () => {
    const founder = await divided([]);
    const before = await stored(founder, 'wallet', { handle: 'w@pay' });
    expect(before.meta).not.toHaveProperty('domain');
    const first = await stored(founder, 'domain', { handle: 'first@nowhere' });
    expect(first.meta).not.toHaveProperty('domain');
    expect(first.data).not.toHaveProperty('domain');
    await stored(founder, 'domain', { handle: 'pay' });
    const updated = ok(await founder.update('/wallets/w@pay', before, { handle: 'w@pay', custom: {} }));
    expect(updated.body.meta).not.toHaveProperty('domain');
  });

  it('is not by handle where that is switched off, but still by proof', async () => {
    const founder = await divided(['a', 'b'], { 'domain.resolutionFromHandleEnabled': false });
    expect((await stored(founder, 'wallet', { handle: 'x@a' })).meta).not.toHaveProperty('domain');
    expect((await stored(founder, 'wallet', { handle: 'y@nowhere' })).meta).not.toHaveProperty('domain');
    const answer = await founder.create('/wallets', { handle: 'v@b' }, { domain: 'a' });
    expect(answer.body.meta.domain).toBe('a');
  });

  it('is not decided by what else the request says', async () => {
    const founder = await divided(['pay']);
    const answer = await founder.create('/wallets', { handle: 'w' });
    const moved = updateOf(answer.body, { handle: 'w' }, founder.key);
    const meta = { ...moved.meta, domain: 'pay' };
    const updated = ok(await founder.call('PUT', '/wallets/w', { ...moved, meta }));
    expect(updated.body.meta).not.toHaveProperty('domain');
    const proved = ok(await founder.prove('/wallets/w', updated.body, { domain: 'pay' }));
    expect(proved.body.meta).not.toHaveProperty('domain');
  });

  it('by the proof of a token-only create', async () => {
    const founder = await divided(['pay']);
    const alice = await registered(founder, 'alice');
    await stored(founder, 'policy', { handle: 'x', schema: 'labels', values: [] });
    const ledger = (await founder.get('/ledger')).body;
    const { parent: _, ...data } = ledger.data;
    ok(await founder.update('/ledger', ledger, { ...data, access: [{ action: 'any', record: 'any' }] }));
    const body = { data: { handle: 'w' }, meta: { proofs: [{ custom: { status: 'created', domain: 'pay' } }] } };
    const answer = ok(await founder.call('POST', '/wallets', body, bearer(alice)));
    expect(answer.body.meta.domain).toBe('pay');
  });

  it('of wallets is kept in the intents that claim on them', async () => {
    const founder = await divided(['b', 'a']);
    for (const handle of ['w@a', 'w@b', 'w']) await stored(founder, 'wallet', { handle });
    const transfer = (source: string, target: string): Json => ({
      action: 'transfer',
      source: { handle: source },
      target: { handle: target },
      symbol: { handle: 'usd' },
      amount: 1,
    });
    const made = await stored(founder, 'intent', {
      handle: 'i',
      claims: [transfer('w@b', 'w@a'), transfer('w', 'w@a')],
    });
    expect(made.meta.domains).toEqual(['a', 'b']);
    const none = await stored(founder, 'intent', { handle: 'j', claims: [transfer('w', 'ghost')] });
    expect(none.meta.domains).toEqual([]);
    expect(await listedFor(founder, founder.key, '/intents?meta.domains=a')).toEqual(['i']);
    expect(await listedFor(founder, founder.key, '/wallets?meta.domain=b')).toEqual(['w@b']);
    const refused = await founder.get('/domains?meta.domain=a', bearer(founder.key));
    expectRefusal(refused, founder, 'api.query-malformed', "Unsupported filters: 'meta.domain'");
  });
});

describe('a subdomain (interface/domains#fields)', () => {
  it.each<[handle: string, custom: JsonObject]>([
    ['eu@pay', {}],
    ['retail', { domain: 'pay' }],
  ])('%s shows its parent, outside the hash, and keeps it', async (handle, custom) => {
    const founder = await divided(['pay', 'other']);
    const path = `/domains/${handle}`;
    const made: RecordEnvelope = ok(await founder.create('/domains', { handle, custom: { a: 1 } }, custom)).body;
    expect(Object.entries(made.data)).toEqual([
      ['handle', handle],
      ['domain', 'pay'],
      ['custom', { a: 1 }],
    ]);
    expect(made.meta.domain).toBe('pay');
    const updated = ok(await founder.update(path, made, { handle, access: [] }));
    expect(Object.keys(updated.body.data)).toEqual(['parent', 'handle', 'domain', 'access']);
    expect(updated.body.data.domain).toBe('pay');
    const moved = await founder.update(path, updated.body, { handle, domain: 'other' });
    const detail = 'Schema validation error: request/body/data must NOT have unevaluated properties';
    expectRefusal(moved, founder, 'record.schema-invalid', detail);
    expect((await founder.update(path, updated.body, { handle, domain: 'pay' })).body.meta.domain).toBe('pay');
    const sent = await founder.create('/domains', { handle: 'x', domain: 'pay' });
    expect(outcome(sent)).toMatch(/^422 .*must NOT have unevaluated properties$/);
  });

  it('is joined by no handle with two @', async () => {
    const founder = await divided(['pay', 'eu@pay']);
    const wallet = await stored(founder, 'wallet', { handle: 'w@eu@pay' });
    expect(wallet.meta).not.toHaveProperty('domain');
  });

  it('is made once, and dropped never', async () => {
    const founder = await divided(['pay']);
    const again = await founder.as(newKey()).create('/domains', { handle: 'pay' });
    expect(outcome(again)).toBe('403 Cannot create domain.');
    const twice = await founder.create('/domains', { handle: 'pay', custom: {} });
    expectRefusal(twice, founder, 'record.duplicated', 'Domain with handle pay already exists.');
    const { body } = await founder.get('/domains/pay', bearer(founder.key));
    expect(outcome(await founder.drop('/domains/pay', body))).toBe('404 Route not found');
  });
});

describe('rules of a domain (interface/domains#rules-of-a-domain, interface/access#levels)', () => {
  /** `a` has the rules; `b@a` lies below, `c` beside. Each has a wallet, and there is one outside. */
  async function scene(access: Json[]): Promise<TestClient> {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'domain', { handle: 'a', access });
    for (const handle of ['b@a', 'c']) await stored(founder, 'domain', { handle });
    await stored(founder, 'domain', { handle: 'd', access: [] });
    for (const [handle, domain] of Object.entries({ 'w@a': 'a', below: 'b@a', 'w@c': 'c' })) {
      ok(await founder.create('/wallets', { handle }, { domain }));
    }
    await stored(founder, 'wallet', { handle: 'root' });
    await stored(founder, 'symbol', { handle: 's@a', factor: 1 });
    return founder;
  }

  const ALL = [
    '/wallets/w@a',
    '/wallets/below',
    '/wallets/w@c',
    '/wallets/root',
    '/symbols/s@a',
    '/domains/a',
    '/domains/b@a',
  ];

  it.each<[title: string, rule: JsonObject, readable: string[]]>([
    [
      'of any record count in it and below, not beside or above',
      { action: 'read', record: 'any' },
      ALL.filter((path) => ['/wallets/w@a', '/wallets/below', '/symbols/s@a', '/domains/a'].includes(path)),
    ],
    ['with a record count for that kind', { action: 'read', record: 'wallet' }, ['/wallets/w@a', '/wallets/below']],
    ['without record are about the domain itself', { action: 'read' }, ['/domains/a']],
    ['without record, for a signer, grant the read of it to its token', { action: 'read', signer: {} }, ['/domains/a']],
    ['about domains are about the domain itself', { action: 'read', record: 'domain' }, ['/domains/a']],
    [
      'for a signer grant reads to its token',
      { action: 'read', record: 'wallet', signer: {} },
      ['/wallets/w@a', '/wallets/below'],
    ],
  ])('%s', async (_, rule, readable) => {
    const founder = await scene([rule]);
    const key = newKey();
    for (const path of ALL) {
      const answer = await readBy(founder, key, path);
      expect(answer.status, path).toBe(readable.includes(path) ? 200 : 403);
    }
    const wallets = readable
      .filter((path) => path.startsWith('/wallets/'))
      .map((path) => path.slice('/wallets/'.length));
    expect((await listedFor(founder, key, '/wallets')).toSorted()).toEqual(wallets.toSorted());
  });

  it('judge a creation by the domain it joins', async () => {
    const founder = await scene([{ action: 'create', record: 'any' }]);
    const stranger = founder.as(newKey());
    const make = async (handle: string, custom?: JsonObject) =>
      outcome(await stranger.create('/wallets', { handle }, custom));
    expect(await make('new@a')).toBe('201');
    expect(await make('new', { domain: 'b@a' })).toBe('201');
    expect(await make('new@c')).toBe('403 Cannot create wallet.');
    expect(await make('new-root')).toBe('403 Cannot create wallet.');
    // The proof wins over the handle, for the right as well as for the place.
    expect(await make('new-2@a', { domain: 'c' })).toBe('403 Cannot create wallet.');
    // Who may not make it is not told whether the domain is there.
    expect(await make('new@ghost')).toBe('403 Cannot create wallet.');
    expect(outcome(await stranger.create('/domains', { handle: 'd@a' }))).toBe('403 Cannot create domain.');
  });

  it('let nobody change a domain below', async () => {
    const founder = await scene([{ action: 'any', record: 'any' }]);
    const stranger = founder.as(newKey());
    const { body: below } = await founder.get('/domains/b@a', bearer(founder.key));
    expect(outcome(await stranger.update('/domains/b@a', below, { handle: 'b@a' }))).toBe('403 Cannot update domain.');
    const { body: own } = await founder.get('/domains/a', bearer(founder.key));
    expect(outcome(await stranger.update('/domains/a', own, { handle: 'a' }))).toBe('200');
  });

  it('count from the next request on when they change', async () => {
    const founder = await scene([{ action: 'read', record: 'wallet' }]);
    expect(outcome(await founder.get('/wallets/below'))).toBe('200');
    const { body } = await founder.get('/domains/a', bearer(founder.key));
    ok(await founder.update('/domains/a', body, { handle: 'a' }));
    expect(outcome(await founder.get('/wallets/below'))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('reach through a chain of domains', async () => {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'domain', { handle: 'd0', access: [{ action: 'read', record: 'wallet' }] });
    for (let depth = 1; depth <= 12; depth += 1) {
      ok(await founder.create('/domains', { handle: `d${depth}` }, { domain: `d${depth - 1}` }));
    }
    await stored(founder, 'wallet', { handle: 'deep@d12' });
    expect(outcome(await founder.get('/wallets/deep@d12'))).toBe('200');
  });

  it('by a policy in a domain count for its records, and those below, only (interface/policies#access-policies)', async () => {
    const referring = [GATE, { policy: 'readers@a' }];
    const founder = await founded(server.current.url, referring);
    await stored(founder, 'domain', { handle: 'a' });
    for (const handle of ['b@a', 'c']) await stored(founder, 'domain', { handle });
    const values = [{ action: 'read' }];
    await stored(founder, 'policy', { handle: 'readers@a', schema: 'access', record: 'wallet', values });
    for (const [handle, domain] of [
      ['w@a', 'a'],
      ['below', 'b@a'],
      ['w@c', 'c'],
    ] as const) {
      ok(await founder.create('/wallets', { handle }, { domain }));
    }
    await stored(founder, 'wallet', { handle: 'root' });
    expect((await listedFor(founder, newKey(), '/wallets')).toSorted()).toEqual(['below', 'w@a']);
  });

  it('under policies, one in a domain counts for creations there, and opens no gate', async () => {
    const founder = await underPolicies(server.current.url, [
      { handle: 'gate', record: 'ledger', values: [{ action: 'access', signer: { $ledger: 'owner' } }] },
    ]);
    await stored(founder, 'domain', { handle: 'a' });
    const makers = {
      handle: 'makers@a',
      record: 'wallet',
      values: [{ action: 'create' }, { action: 'access', record: 'any' }],
    };
    await activated(founder, makers);
    const stranger = founder.as(newKey());
    expect(outcome(await stranger.create('/wallets', { handle: 'w@a' }))).toBe('403 Cannot create wallet.');
    await activated(founder, { handle: 'open', record: 'ledger', values: [{ action: 'access' }] });
    expect(outcome(await stranger.create('/wallets', { handle: 'w@a' }))).toBe('201');
    expect(outcome(await stranger.create('/wallets', { handle: 'w' }))).toBe('403 Cannot create wallet.');
  });
});
