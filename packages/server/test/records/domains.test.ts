import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

async function withDomain(config?: JsonObject): Promise<TestClient> {
  const client = await newLedger(server.current.url, config ? { config } : {});
  await stored(client, 'domain', { handle: 'payments' });
  return client;
}

/** A create whose proof names a domain. */
function createIn(client: TestClient, path: string, domain: string, data: JsonObject): Promise<TestAnswer> {
  return client.call('POST', path, signed(data, client.key, { status: 'created', domain }));
}

describe('a subdomain (interface/domains#fields)', () => {
  it('shows its parent, outside its hash, and keeps it through updates', async () => {
    const client = await withDomain();
    const answer = ok(await client.create('/domains', { handle: 'eu@payments', custom: { a: 1 } }));
    const record: RecordEnvelope = answer.body;
    expect(JSON.stringify(record.data)).toBe('{"handle":"eu@payments","domain":"payments","custom":{"a":1}}');
    expect(record.hash).toBe(hashOf({ handle: 'eu@payments', custom: { a: 1 } }, native));
    expect(record.meta.domain).toBe('payments');
    expect((await client.get('/domains/eu@payments')).text).toBe(answer.text);

    const updated = ok(await client.update('/domains/eu@payments', record, { handle: 'eu@payments' })).body;
    expect(Object.keys(updated.data)).toEqual(['parent', 'handle', 'domain']);
    expect(updated.data.domain).toBe('payments');
    expect(updated.meta.domain).toBe('payments');
  });

  it('may be named so by its proof', async () => {
    const client = await withDomain();
    const { data, meta } = ok(await createIn(client, '/domains', 'payments', { handle: 'retail' })).body;
    expect(data).toEqual({ handle: 'retail', domain: 'payments' });
    expect(meta.domain).toBe('payments');
  });

  it('that is none shows no parent', async () => {
    const { data, meta } = await stored(await withDomain(), 'domain', { handle: 'other' });
    expect(data).toEqual({ handle: 'other' });
    expect(meta).not.toHaveProperty('domain');
  });
});

describe('the domain of a record (interface/domains#which-domain-a-record-is-in)', () => {
  it('is that of its proof, else that of its handle, and shown last', async () => {
    const client = await withDomain();
    await stored(client, 'domain', { handle: 'other' });
    const domains = [
      ok(await createIn(client, '/wallets', 'other', { handle: 'a@payments' })),
      ok(await client.create('/wallets', { handle: 'b@payments' })),
      ok(await createIn(client, '/symbols', 'payments', { handle: 'usd', factor: 1 })),
      ok(await client.create('/wallets', { handle: 'c' })),
    ].map(({ body }) => body.meta.domain);
    expect(domains).toEqual(['other', 'payments', 'payments', undefined]);
    const { meta } = (await client.get('/wallets/b@payments')).body;
    expect(Object.keys(meta)).toEqual(['proofs', 'status', 'moment', 'owners', 'domain']);
    const found = await client.get('/wallets?meta.domain=payments');
    expect(found.body.data.map(({ data }: RecordEnvelope) => data.handle)).toEqual(['b@payments']);
  });

  it('must exist, once the ledger has a first one', async () => {
    const client = await newLedger(server.current.url);
    expect((await stored(client, 'wallet', { handle: 'w@nowhere' })).meta.domain).toBeUndefined();
    await stored(client, 'domain', { handle: 'payments' });
    for (const answer of [
      await client.create('/wallets', { handle: 'v@nowhere' }),
      await createIn(client, '/wallets', 'nowhere', { handle: 'v@nowhere' }),
    ]) {
      const detail = `Trying to set a domain which doesn't exist "nowhere" to the record "v@nowhere"`;
      expectRefusal(answer, client, 'record.relation-not-found', detail, { domain: 'nowhere' });
    }
    expect((await client.get('/wallets')).body.data).toHaveLength(1);
  });

  it('never changes', async () => {
    const client = await withDomain();
    await stored(client, 'domain', { handle: 'other' });
    const wallet = await stored(client, 'wallet', { handle: 'w@payments' });
    const body = signed({ handle: 'w@payments', parent: wallet.hash }, client.key, { domain: 'other' });
    const updated = ok(await client.call('PUT', '/wallets/w@payments', body)).body;
    expect(updated.meta.domain).toBe('payments');
    const proved = ok(await client.prove('/wallets/w@payments', updated, { domain: 'other' })).body;
    expect(proved.meta.domain).toBe('payments');
  });

  it('is not taken from handles where the ledger says so, still from proofs', async () => {
    const client = await withDomain({ 'domain.resolutionFromHandleEnabled': false });
    expect((await stored(client, 'wallet', { handle: 'x@payments' })).meta.domain).toBeUndefined();
    expect((await stored(client, 'wallet', { handle: 'y@nowhere' })).meta.domain).toBeUndefined();
    const named = ok(await createIn(client, '/wallets', 'payments', { handle: 'v@b' })).body;
    expect(named.meta.domain).toBe('payments');
  });

  it('is no filter of domains', async () => {
    const client = await withDomain();
    const answer = await client.get('/domains?meta.domain=payments');
    expectRefusal(answer, client, 'api.query-malformed', "Unsupported filters: 'meta.domain'");
  });
});

describe('the rules of a domain (interface/domains#rules-of-a-domain)', () => {
  const rulesFor = ({ public: key }: TestKey): JsonObject[] => [
    { action: 'any', record: 'any', signer: { public: key } },
  ];

  /** `a` above `b@a`, beside `c`; alice may do anything with wallets of `b@a`. */
  async function withRules(): Promise<{ client: TestClient; alice: TestClient }> {
    const founder = newKey();
    const alice = newKey();
    const client = await newLedger(server.current.url, {
      key: founder,
      access: [
        ...rulesFor(founder),
        { action: 'read', record: 'any', bearer: { $signer: { public: founder.public } } },
        { action: 'access', signer: { public: alice.public } },
      ],
    });
    await stored(client, 'domain', { handle: 'a' });
    const access = [{ action: 'any', record: 'wallet', signer: { public: alice.public } }];
    ok(await createIn(client, '/domains', 'a', { handle: 'b', access }));
    await stored(client, 'domain', { handle: 'c@b' });
    await stored(client, 'domain', { handle: 'd' });
    return { client, alice: client.as(alice) };
  }

  it('count for records in it and below, not above nor beside', async () => {
    const { alice } = await withRules();
    expect((await alice.create('/wallets', { handle: 'w@b' })).status).toBe(201);
    // With two `@` it joins no domain (interface/envelope#handles).
    const outside = await alice.create('/wallets', { handle: 'w@c@b' });
    expectRefusal(outside, alice, 'auth.forbidden', 'Cannot create wallet.');
    const below = signed({ handle: 'below' }, alice.key, { status: 'created', domain: 'c@b' });
    expect((await alice.call('POST', '/wallets', below)).status).toBe(201);
    for (const handle of ['w@a', 'w@d', 'w']) {
      expectRefusal(await alice.create('/wallets', { handle }), alice, 'auth.forbidden', 'Cannot create wallet.');
    }
    const symbol = await alice.create('/symbols', { handle: 'usd@b', factor: 1 });
    expectRefusal(symbol, alice, 'auth.forbidden', 'Cannot create symbol.');
    const domain = await alice.create('/domains', { handle: 'e@b' });
    expectRefusal(domain, alice, 'auth.forbidden', 'Cannot create domain.');
  });

  it('let the bearer read what is in it; lists leave out the rest', async () => {
    const { client, alice } = await withRules();
    for (const handle of ['one@b', 'two@b', 'other@a', 'free']) await stored(client, 'wallet', { handle });
    const token = bearer(alice.key);
    expect((await alice.get('/wallets/one@b', token)).status).toBe(200);
    expectRefusal(await alice.get('/wallets/other@a', token), alice, 'auth.forbidden', 'Cannot read wallet.');
    const seen = async (query = '') =>
      (await alice.get(`/wallets${query}`, token)).body.data.map(({ data }: RecordEnvelope) => data.handle);
    expect(await seen()).toEqual(['two@b', 'one@b']);
    expect(await seen('?page.limit=1&page.index=1')).toEqual(['one@b']);
    expect((await client.get('/wallets', bearer(client.key))).body.data).toHaveLength(4);
  });
});
