import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { listedFor, outcome, statusSet, underPolicies } from '../access-http/support.js';
import { expectRefusal } from '../support/checks.js';
import { dropOf, newKey, proofOver, signed, type TestClient, type TestKey, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { bridgeData, createIn, type Divided, divided, factorData, schemaFor, signerData } from './scene.js';

const server = withOwnServer();

/** What became of a wallet made outside every domain, and of one made in `sales`. */
async function wallets(client: TestClient, suffix = ''): Promise<[outside: number, inside: number]> {
  const name = `w-${client.key.public.slice(0, 6).replaceAll(/[^A-Za-z0-9]/g, '.')}${suffix}`;
  const outside = await client.create('/wallets', { handle: name });
  const inside = await client.create('/wallets', { handle: `${name}@sales` });
  return [outside.status, inside.status];
}

describe('a signer in a domain', () => {
  it.each<[title: string, matcher: JsonObject, more: JsonObject]>([
    ['of a schema', { schema: 'auditor' }, { schema: 'auditor' }],
    ['of no such schema', { schema: { $ne: 'guest' } }, { schema: 'auditor' }],
    ['with custom data', { custom: { role: 'auditor' } }, { custom: { role: 'auditor' } }],
    ['of a handle like others', { handle: { $regex: 'auditor%' } }, {}],
    ['of any handle but some', { handle: { $ne: 'guest' } }, {}],
    ['of none of some handles', { handle: { $nin: ['guest'] } }, {}],
    ['one of several', { $in: [{ handle: 'x' }, { custom: { role: 'auditor' } }] }, { custom: { role: 'auditor' } }],
  ])('%s is that for records there and below only', async (_, matcher, more) => {
    const rule = { action: 'any', record: 'any', signer: matcher };
    const { founder, admin } = await divided(server.current.url, [rule]);
    if (more.schema) await stored(founder, 'schema', schemaFor('signer', 'auditor'));
    const data = signerData('auditor@sales', more);
    const key: TestKey = newKey();
    ok(await admin.create('/signers', { ...data, public: key.public }));
    expect(await wallets(founder.as(key))).toEqual([403, 201]);
    expect((await createIn(founder.as(key), '/wallets', 'eu@sales', { handle: 'below@eu@sales' })).status).toBe(201);
    expect((await founder.as(key).create('/wallets', { handle: 'w@bank' })).status).toBe(403);
    // Outside all domains the same record is what it says.
    const other = newKey();
    ok(await founder.create('/signers', { ...data, handle: 'auditor-2', public: other.public }));
    expect(await wallets(founder.as(other))).toEqual([201, 201]);
  });

  it('counts by its bearer, in lists and at the gate in the same way', async () => {
    const auditors: Json[] = [
      { action: 'any', record: 'any', bearer: { $signer: { custom: { role: 'auditor' } } } },
      { action: 'any', record: 'any', signer: { custom: { role: 'auditor' } } },
    ];
    const { founder, admin } = await divided(server.current.url, auditors);
    for (const handle of ['w@sales', 'w@bank', 'w']) await stored(founder, 'wallet', { handle });
    const key = newKey();
    ok(
      await admin.create('/signers', { ...signerData('a@sales', { custom: { role: 'auditor' } }), public: key.public }),
    );
    expect(await listedFor(founder, key, '/wallets')).toEqual(['w@sales']);
    expect((await founder.get('/wallets/w', bearer(key))).status).toBe(403);
    expect((await founder.get('/wallets/w@sales', bearer(key))).status).toBe(200);

    // Without the open gate: into the ledger for what is in the domain, and no further.
    const { body } = await founder.get('/ledger', bearer(founder.key));
    const { parent: _, ...data } = body.data;
    const access = data.access.filter(({ action }: { action: string }) => action !== 'access');
    ok(await founder.update('/ledger', body, { ...data, access }));
    expect(await wallets(founder.as(key))).toEqual([403, 201]);
    expect((await founder.get('/wallets', bearer(key))).status).toBe(403);
  });

  it('that is named is named everywhere, by handle or by a circle', async () => {
    const rules = [
      { action: 'create', record: 'wallet', signer: { handle: 'a@sales' } },
      { action: 'create', record: 'symbol', signer: { $circle: 'board' } },
    ];
    const { founder, admin } = await divided(server.current.url, rules);
    const key = newKey();
    ok(await admin.create('/signers', { ...signerData('a@sales'), public: key.public }));
    expect(await wallets(founder.as(key))).toEqual([201, 201]);
    await stored(founder, 'circle', { handle: 'board' });
    const join = { circle: 'board', signer: 'a@sales' };
    expect(outcome(await admin.create('/circles/board/signers', join))).toBe('403 Cannot assign-signer circle.');
    ok(await founder.create('/circles/board/signers', join));
    expect((await founder.as(key).create('/symbols', { handle: 'usd', factor: 1 })).status).toBe(201);
  });

  it('fulfils no quorum outside it by what its record says', async () => {
    const { founder, admin } = await divided(server.current.url, [{ action: 'update', record: 'wallet' }]);
    const quorum = [{ custom: { role: 'auditor' } }];
    const values = [{ status: 'audited', quorum }];
    await stored(founder, 'policy', { handle: 'audit', schema: 'status', record: 'wallet', values });
    const key = newKey();
    ok(
      await admin.create('/signers', { ...signerData('a@sales', { custom: { role: 'auditor' } }), public: key.public }),
    );
    const statusOf = async (handle: string) => {
      const wallet = await stored(founder, 'wallet', { handle });
      return ok(await founder.as(key).prove(`/wallets/${handle}`, wallet, { status: 'audited' })).body.meta.status;
    };
    expect(await statusOf('w')).toBe('created');
    expect(await statusOf('w@sales')).toBe('audited');
  });

  it('under a name that rules wait for is for who may make it there', async () => {
    const rule = { action: 'any', record: 'any', signer: { handle: 'later' } };
    const { admin } = await divided(server.current.url, [rule]);
    const answer = await createIn(admin, '/signers', 'sales', signerData('later'));
    expect(outcome(answer)).toBe('403 Cannot create signer.');
  });
});

describe('a factor of a signer outside the domain', () => {
  let scene: Divided;
  beforeAll(async () => {
    scene = await divided(server.current.url);
  });
  const path = '/signers/boss/factors';

  it('is not made by who has rights in the domain, whatever proof and handle say', async () => {
    const { admin, founder } = scene;
    const own = newKey();
    const refused = '403 Cannot create signer-factor.';
    expect(outcome(await admin.create(path, factorData('ev@sales', 'boss', own)))).toBe(refused);
    expect(outcome(await createIn(admin, path, 'sales', factorData('ev', 'boss', own)))).toBe(refused);
    expect(outcome(await createIn(admin, path, 'sales', factorData('ev@sales', 'boss', own)))).toBe(refused);
    expect(outcome(await founder.as(own).create('/circles', { handle: 'c' }))).toBe('403 Cannot create circle.');
  });

  it('is in the domain of its signer, and refuses another', async () => {
    const { admin, founder } = scene;
    const named = await createIn(founder, path, 'sales', factorData('named', 'boss'));
    const detail = 'Domain in the request does not match the domain of the signer';
    expectRefusal(named, founder, 'record.invalid', detail);
    const suffixed = ok(await founder.create(path, factorData('suffixed@sales', 'boss')));
    expect(suffixed.body.meta).not.toHaveProperty('domain');

    await stored(founder, 'signer', signerData('clerk@sales'));
    const own = '/signers/clerk@sales/factors';
    expect(ok(await admin.create(own, factorData('k@sales', 'clerk@sales'))).body.meta.domain).toBe('sales');
    expect(ok(await founder.create(own, factorData('k-2', 'clerk@sales'))).body.meta.domain).toBe('sales');
    expectRefusal(
      await createIn(admin, own, 'bank', factorData('k-3@sales', 'clerk@sales')),
      admin,
      'record.invalid',
      detail,
    );
    expect((await createIn(admin, own, 'sales', factorData('k-4@sales', 'clerk@sales'))).status).toBe(201);
    const ghost = await founder.create('/signers/ghost/factors', factorData('k-5', 'ghost'));
    expectRefusal(ghost, founder, 'record.relation-not-found', 'Referenced Signer ghost not found.');
    expect(outcome(await admin.create('/signers/ghost/factors', factorData('k@sales', 'ghost')))).toBe(
      '403 Cannot create signer-factor.',
    );
  });

  it('is judged by its signer in everything, also where it was stored with another domain', async () => {
    const { admin, founder } = scene;
    const { data, secret } = {
      data: { ...factorData('old@sales', 'boss'), secret: '{{ secret.key }}' },
      secret: { key: 'x' },
    };
    const record = await stored(founder, 'signer-factor', data, secret);
    await storedIn('sales', record);
    const at = `${path}/old@sales`;
    const kept = ok(await founder.get(at, bearer(founder.key))).body;
    expect(kept.meta.domain).toBe('sales');
    const token = bearer(admin.key);
    expect(outcome(await admin.get(at, token))).toBe('403 Cannot read signer-factor.');
    expect(outcome(await admin.get(`${at}?include=meta.secret`, token))).toBe('403 Cannot read signer-factor.');
    expect(outcome(await admin.get(`${at}/changes`, token))).toBe('403 Cannot read signer-factor.');
    expect(await listedFor(admin, admin.key, path)).not.toContain('old@sales');
    expect(await listedFor(admin, founder.key, path)).toContain('old@sales');
    const update = updateOf(kept, { ...data, public: newKey().public }, admin.key);
    expect(outcome(await admin.call('PUT', at, update))).toBe('403 Cannot update signer-factor.');
    const proof = proofOver(kept.hash, admin.key, { status: 'inactive' });
    expect(outcome(await admin.call('POST', `${at}/proofs`, proof))).toBe('403 Cannot create signer-factor-proof.');
    expect(outcome(await admin.call('DELETE', at, dropOf(kept, admin.key)))).toBe('403 Cannot drop signer-factor.');
    const check = await admin.call('POST', `${at}/access/!check`, signed({ action: 'any' }, admin.key));
    expect(ok(check).body.data).toEqual([]);
    expect(outcome(await founder.drop(at, kept))).toBe('204');
    expect(outcome(await admin.get(`${path}/${kept.luid}/changes`, token))).toBe('403 Cannot read signer-factor.');
  });

  /** As a factor was stored before its signer's domain counted, and before versions carried a code. */
  async function storedIn(domain: string, record: RecordEnvelope): Promise<void> {
    const body = JSON.stringify({ ...record, meta: { ...record.meta, domain } });
    const database = new pg.Client(server.current.database.url);
    await database.connect();
    try {
      await database.query('alter table change disable trigger user');
      await database.query('update change set body = $2, mac = null where luid = $1', [record.luid, body]);
      await database.query('update record set domain = $2 where luid = $1', [record.luid, domain]);
    } finally {
      await database.query('alter table change enable trigger user');
      await database.end();
    }
  }
});

describe('a circle, and who is in it', () => {
  it('under a name that rules wait for is for who may make it there', async () => {
    const { founder, admin } = await divided(server.current.url, [
      { action: 'any', record: 'any', signer: { $circle: 'board' } },
    ]);
    expect(outcome(await createIn(admin, '/circles', 'sales', { handle: 'board' }))).toBe('403 Cannot create circle.');
    // A rule that names a circle of the domain leaves to the domain who is in it.
    ok(await admin.create('/circles', { handle: 'board@sales' }));
    await stored(founder, 'circle', { handle: 'board' });
    const key = newKey();
    ok(await admin.create('/signers', { ...signerData('mate@sales'), public: key.public }));
    const path = '/circles/board@sales/signers';
    expect(ok(await admin.create(path, { circle: 'board@sales', signer: 'mate@sales' })).body.meta.domain).toBe(
      'sales',
    );
    expect(await wallets(founder.as(key))).toEqual([403, 403]);
    const named = await createIn(founder, '/circles/board/signers', 'sales', { circle: 'board', signer: 'mate@sales' });
    expectRefusal(named, founder, 'record.invalid', 'Domain in the request does not match the domain of the circle');
    expect(
      outcome(await createIn(admin, '/circles/board/signers', 'sales', { circle: 'board', signer: 'mate@sales' })),
    ).toBe('403 Cannot assign-signer circle.');
  });
});

describe('an access policy in a domain', () => {
  const everything = [{ action: 'any', record: 'any' }];

  it('under a name that rules wait for is for who may make it there', async () => {
    const { admin } = await divided(server.current.url, [{ policy: { $in: ['later', 'later@sales'] } }]);
    const data = { schema: 'access', record: 'any', values: everything };
    const answer = await createIn(admin, '/policies', 'sales', { handle: 'later', ...data });
    expect(outcome(answer)).toBe('403 Cannot create policy.');
    ok(await admin.create('/policies', { handle: 'later@sales', ...data }));
    expect(await wallets(admin.as(newKey()))).toEqual([403, 201]);
  });

  it.each(['by reference', 'under policies'])('does not revive one outside by extending it (%s)', async (how) => {
    const asleep = { handle: 'asleep', schema: 'access', record: 'any', values: everything };
    const extending = { handle: 'p@sales', schema: 'access', record: 'any', values: [], extend: 'asleep' };
    const { founder, admin } =
      how === 'under policies'
        ? await dividedUnderPolicies()
        : await divided(server.current.url, [{ policy: 'p@sales' }]);
    await stored(founder, 'policy', asleep);
    const policy = ok(await admin.create('/policies', extending)).body;
    await statusSet(admin, '/policies/p@sales', policy, 'active');
    const stranger = founder.as(newKey());
    expect(await wallets(stranger)).toEqual([403, 201]);
    expect((await createIn(stranger, '/wallets', 'eu@sales', { handle: 'b@eu@sales' })).status).toBe(201);
    expect((await stranger.create('/wallets', { handle: 'w@bank' })).status).toBe(403);
    // One outside every domain takes what it extends with it everywhere.
    const root = await stored(founder, 'policy', { ...extending, handle: 'p' });
    await statusSet(founder, '/policies/p', root, 'active');
    expect(await wallets(stranger, '-2')).toEqual([how === 'under policies' ? 201 : 403, 201]);
  });

  async function dividedUnderPolicies() {
    const founder = await underPolicies(server.current.url, [
      { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] },
    ]);
    for (const handle of ['sales', 'eu@sales', 'bank']) await stored(founder, 'domain', { handle });
    const key = newKey();
    const values = [{ action: 'any', record: 'any', signer: { public: key.public } }];
    const policy = await stored(founder, 'policy', { handle: 'a@sales', schema: 'access', record: 'any', values });
    await statusSet(founder, '/policies/a@sales', policy, 'active');
    return { founder, admin: founder.as(key) };
  }
});

describe('a policy of another schema in a domain', () => {
  it('about statuses is about records there', async () => {
    const { founder, admin } = await divided(server.current.url);
    const values = [{ status: 'closed', quorum: [{ public: admin.key.public }] }];
    ok(await admin.create('/policies', { handle: 'p@sales', schema: 'status', values }));
    for (const handle of ['w', 'w@bank', 'w@sales']) {
      const wallet = await stored(founder, 'wallet', { handle });
      const answer = await founder.prove(`/wallets/${handle}`, wallet, { status: 'open' });
      expect(answer.status).toBe(handle === 'w@sales' ? 422 : 200);
    }
  });

  it('about labels is about records there, and what is unique is so there', async () => {
    const { founder, admin } = await divided(server.current.url);
    const values = [{ label: 'main', unique: true }];
    ok(await admin.create('/policies', { handle: 'p@sales', schema: 'labels', values }));
    for (const handle of ['w', 'w@bank', 'w@sales', 'w@eu@sales']) {
      const domain = handle.split('@').slice(1).join('@');
      const made = ok(await founder.create('/wallets', { handle }, { ...(domain && { domain }) })).body;
      const path = `/wallets/${encodeURIComponent(handle)}`;
      const prove = async (label: string) => (await founder.prove(path, made, { labels: { $push: label } })).status;
      expect(await prove('other'), handle).toBe(handle.endsWith('@sales') ? 422 : 200);
      expect(await prove('main'), handle).toBe(handle === 'w@eu@sales' ? 422 : 200);
    }
  });

  it.each<[schema: string, data: JsonObject]>([
    ['layout', { values: [{ record: 'wallet', values: [{ data: { any: 'thing' } }] }] }],
    ['dtc', { values: [{ any: 'thing' }] }],
    ['schedule', { record: 'report', action: 'create', inputs: { schema: 'daily' } }],
    ['own@sales', { values: [{ any: 'thing' }] }],
  ])('%s is stored, and changes nothing anywhere', async (schema, data) => {
    const { founder, admin } = await divided(server.current.url);
    if (schema === 'own@sales') ok(await admin.create('/schemas', schemaFor('policy', schema)));
    ok(await admin.create('/policies', { handle: 'p@sales', schema, ...data }));
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    const labels = ['some'];
    const proved = ok(await founder.prove('/wallets/w', wallet, { status: 'any', labels }));
    expect(proved.body.meta).toMatchObject({ status: 'any', labels });
  });
});

describe('a schema in a domain', () => {
  it('binds the records there and below, and no others', async () => {
    const { founder, admin } = await divided(server.current.url);
    const strict = { type: 'object', required: ['custom'] };
    ok(await admin.create('/schemas', schemaFor('wallet', 'till@sales', strict)));
    const make = async (handle: string, more: JsonObject = {}, domain?: string) =>
      outcome(
        await (domain
          ? createIn(founder, '/wallets', domain, { handle, ...more })
          : founder.create('/wallets', { handle, ...more })),
      );
    const unnamed = '422 There are schemas defined for record of type wallet, you must specify at least one.';
    const unknown = '422 Schema till@sales not found for record of type wallet.';
    expect(await make('w')).toBe('201');
    expect(await make('w@bank')).toBe('201');
    expect(await make('w@sales')).toBe(unnamed);
    expect(await make('b@eu@sales', {}, 'eu@sales')).toBe(unnamed);
    expect(await make('v', { schema: 'till@sales', custom: {} })).toBe(unknown);
    expect(await make('v@bank', { schema: 'till@sales', custom: {} })).toBe(unknown);
    expect(await make('v@sales', { schema: 'till@sales' })).toMatch(/^422 .*must have required property 'custom'$/);
    expect(await make('v@sales', { schema: 'till@sales', custom: {} })).toBe('201');
    expect(await make('v@eu@sales', { schema: 'till@sales', custom: {} }, 'eu@sales')).toBe('201');
    const wallet = ok(await founder.get('/wallets/w', bearer(founder.key))).body;
    expect(outcome(await founder.update('/wallets/w', wallet, { handle: 'w', custom: {} }))).toBe('200');
    // One of the ledger's binds all of them.
    await stored(founder, 'schema', schemaFor('wallet', 'any'));
    expect(await make('u')).toBe(
      '422 There are schemas defined for record of type wallet, you must specify at least one.',
    );
    expect(await make('u@sales', { schema: 'any' })).toBe('201');
  });

  it('for factors is for those of its signers', async () => {
    const { founder, admin } = await divided(server.current.url);
    ok(await admin.create('/schemas', schemaFor('signer-factor', 'badge@sales')));
    await stored(founder, 'signer', signerData('clerk@sales'));
    const make = async (signer: string) =>
      outcome(
        await founder.create(`/signers/${signer}/factors`, { handle: `b-${signer}`, signer, schema: 'badge@sales' }),
      );
    expect(await make('boss')).toBe('422 Schema badge@sales not found for record of type signer-factor.');
    expect(await make('clerk@sales')).toBe('201');
  });
});

describe('a record in a domain that names one elsewhere', () => {
  it('is not made where it would keep a record beside from being dropped', async () => {
    const { founder, admin } = await divided(server.current.url);
    for (const handle of ['till@bank', 'till', 'till@sales']) await stored(founder, 'wallet', { handle });
    const make = async (handle: string, wallet: string) =>
      outcome(await admin.create('/anchors', { handle, wallet, target: 'x' }));
    expect(await make('a@sales', 'till@bank')).toBe('403 Cannot create anchor.');
    expect(await make('b@sales', 'till@sales')).toBe('201');
    expect(await make('c@sales', 'till')).toBe('201');
    const anchor = (await founder.get('/anchors/b@sales', bearer(founder.key))).body;
    const moved = { handle: 'b@sales', wallet: 'till@bank', target: 'x' };
    expect(outcome(await admin.update('/anchors/b@sales', anchor, moved))).toBe('403 Cannot create anchor.');
    expect(outcome(await founder.update('/anchors/b@sales', anchor, moved))).toBe('200');

    await stored(founder, 'bridge', bridgeData('post@bank'));
    const linked = await admin.create('/wallets', { handle: 'l@sales', bridge: 'post@bank' });
    expect(outcome(linked)).toBe('403 Cannot create wallet.');
  });
});

describe('the record of a domain', () => {
  it('is not made by who has rights in the domain above, and opens nothing outside', async () => {
    const { admin } = await divided(server.current.url);
    expect(outcome(await admin.create('/domains', { handle: 'us@sales' }))).toBe('403 Cannot create domain.');
    expect(outcome(await createIn(admin, '/domains', 'sales', { handle: 'us' }))).toBe('403 Cannot create domain.');
    expect(await wallets(admin)).toEqual([403, 201]);
    const elsewhere: Record<string, JsonObject> = {
      '/signers': signerData('s@bank'),
      '/wallets': { handle: 'w@bank' },
      '/policies': { handle: 'p', schema: 'labels', values: [] },
    };
    for (const [path, data] of Object.entries(elsewhere)) expect((await admin.create(path, data)).status).toBe(403);
    const ledger = await admin.get('/ledger', bearer(admin.key));
    expect((await admin.update('/ledger', ledger.body, { ...ledger.body.data, access: [] })).status).toBe(403);
  });
});
