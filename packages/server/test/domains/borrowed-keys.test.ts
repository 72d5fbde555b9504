import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { outcome } from '../access-http/support.js';
import { provided, providerFactor, rsa, signer, spki } from '../oauth/scene.js';
import { newKey, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { type Divided, divided, signerData } from './scene.js';

const server = withServer();

const oauth = (handle: string, provider: string): JsonObject => ({
  handle,
  schema: 'authentication',
  record: 'any',
  values: [{ schema: 'oauth2', signer: { handle: provider } }],
});

const unsigned = (data: JsonObject, custom: JsonObject = { status: 'created' }): JsonObject => ({
  data,
  meta: { proofs: [{ custom }] },
});

/** Makes a provider of `sales`, by who administers it, and tokens by it about signers there. */
async function withProvider({ admin }: Divided): Promise<(sub: string) => Record<string, string>> {
  ok(await admin.create('/signers', signerData('prov@sales')));
  const { handle, ...factor } = { handle: 'rsa@sales', schema: 'key-pair', format: 'rsa-der' };
  const data = { handle, signer: 'prov@sales', ...factor, public: spki(rsa.publicKey) };
  ok(await admin.create('/signers/prov@sales/factors', data));
  ok(await admin.create('/policies', oauth('oauth@sales', 'prov@sales')));
  return (sub) => provided({ sub, iss: 'prov@sales' }, { kid: handle });
}

/** Who administers `sales` writes a key of another's into a signer there. */
async function written(admin: TestClient, handle: string, { public: key }: Pick<TestKey, 'public'>): Promise<void> {
  ok(await admin.create('/signers', { ...signerData(handle), public: key }));
}

const create = (
  client: TestClient,
  path: string,
  data: JsonObject,
  token: Record<string, string>,
): Promise<TestAnswer> => client.call('POST', path, unsigned(data), token);

describe('a signer that a provider names, in whose record there is a key of somebody else', () => {
  it('has no right that rules give to that key, or to what it owns', async () => {
    const owners = [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: 'any', record: 'any', bearer: { $signer: { $ledger: 'owner' } } },
      { action: 'any', record: 'wallet', signer: { $record: 'owner' } },
      { action: 'read', record: 'wallet', bearer: { $signer: { $record: 'owner' } } },
      { action: 'create', record: 'symbol', signer: { public: { $ne: newKey().public } } },
    ];
    const scene = await divided(server.current.url, owners);
    const { founder, admin } = scene;
    const by = await withProvider(scene);
    await written(admin, 'ev@sales', founder.key);
    const made = await stored(founder, 'wallet', { handle: 'w' });
    for (const [path, data] of [
      ['/wallets', { handle: 'stolen' }],
      ['/domains', { handle: 'mine' }],
      ['/symbols', { handle: 'coin', factor: 1 }],
    ] as const) {
      expect(outcome(await create(founder, path, data, by('ev@sales')))).toBe(
        `403 Cannot create ${path.slice(1, -1)}.`,
      );
    }
    const { body: ledger } = ok(await founder.get('/ledger', bearer(founder.key)));
    const { parent: _, ...data } = ledger.data;
    const update = unsigned({ ...data, access: [{ action: 'any', record: 'any' }], parent: ledger.hash }, {});
    const rewritten = await founder.call('PUT', '/ledger', update, by('ev@sales'));
    expect(outcome(rewritten)).toBe('403 Cannot update ledger.');
    expect((await founder.get('/wallets/w', by('ev@sales'))).status).toBe(403);
    const change = unsigned({ handle: 'w', custom: { a: 1 }, parent: made.hash }, {});
    expect((await founder.call('PUT', '/wallets/w', change, by('ev@sales'))).status).toBe(403);
    // What names the signer itself holds for it.
    expect((await create(founder, '/wallets', { handle: 'w@sales' }, by('ev@sales'))).status).toBe(403);
    const rule = { action: 'create', record: 'wallet', signer: { handle: 'ev@sales' } };
    ok(await founder.update('/ledger', ledger, { ...data, access: [...data.access, rule] }));
    ok(await create(founder, '/wallets', { handle: 'w@sales' }, by('ev@sales')));
  });

  it('does not own what signers made by their tokens, though its key be the one the ledger signs for them with', async () => {
    const scene = await divided(server.current.url, [
      { action: 'any', record: 'wallet', signer: { $record: 'owner' } },
    ]);
    const { founder, admin } = scene;
    const by = await withProvider(scene);
    await stored(founder, 'signer', { ...signerData('ann'), public: founder.key.public });
    const { body: made } = ok(await create(founder, '/wallets', { handle: 'w' }, bearer(founder.key)));
    const [auth] = made.meta.owners;
    await written(admin, 'ev@sales', { public: auth });
    const change = unsigned({ handle: 'w', custom: { a: 1 }, parent: made.hash }, {});
    expect(outcome(await founder.call('PUT', '/wallets/w', change, by('ev@sales')))).toBe('403 Cannot update wallet.');
    // Made by a token of its own, the record has a proof of that very key: by the ledger.
    const rule = { action: 'any', record: 'signer', signer: { handle: 'ev@sales' } };
    const { body: ledger } = ok(await founder.get('/ledger', bearer(founder.key)));
    const { parent: _, ...data } = ledger.data;
    ok(await founder.update('/ledger', ledger, { ...data, access: [...data.access, rule] }));
    ok(await create(founder, '/signers', { ...signerData('ev-2@sales'), public: auth }, by('ev@sales')));
    expect((await founder.call('PUT', '/wallets/w', change, by('ev-2@sales'))).status).toBe(403);
  });

  it('does not count as that key in a quorum', async () => {
    const rule = { action: { $in: ['create', 'update'] }, record: 'any', signer: { $circle: 'clerks' } };
    const scene = await divided(server.current.url, [rule]);
    const { founder, admin } = scene;
    const by = await withProvider(scene);
    await written(admin, 'ev@sales', founder.key);
    await stored(founder, 'circle', { handle: 'clerks' });
    await stored(founder, 'circle-signer', { circle: 'clerks', signer: 'ev@sales' });
    const values = [{ status: 'paid', quorum: [{ public: founder.key.public }] }];
    await stored(founder, 'policy', { handle: 'paid', schema: 'status', record: 'wallet', values });
    await stored(founder, 'wallet', { handle: 'w' });
    const proof = { custom: { status: 'paid' } };
    const { body } = ok(await founder.call('POST', '/wallets/w/proofs', proof, by('ev@sales')));
    expect(body.meta.status).toBe('created');
    expect((await founder.prove('/wallets/w', body, { status: 'paid' })).body.meta.status).toBe('paid');
  });

  it('has the rights of its own key, where its record has a proof of that', async () => {
    const key = newKey();
    const mine = { action: 'create', record: 'wallet', signer: { public: key.public } };
    const scene = await divided(server.current.url, [mine]);
    const { founder } = scene;
    await signer(founder, 'prov');
    await providerFactor(founder);
    await stored(founder, 'policy', oauth('oauth', 'prov'));
    const app = await stored(founder, 'signer', { ...signerData('app'), public: key.public });
    const token = provided({ sub: 'app' });
    expect((await create(founder, '/wallets', { handle: 'w-1' }, token)).status).toBe(403);
    const access = [{ action: 'update', record: 'signer', signer: { public: key.public } }];
    const { body } = ok(
      await founder.update('/signers/app', app, { ...signerData('app'), public: key.public, access }),
    );
    ok(await founder.as(key).prove('/signers/app', body, {}));
    ok(await create(founder, '/wallets', { handle: 'w-2' }, token));
  });
});

describe('a provider', () => {
  it('does not speak for the ledger', async () => {
    const rules = [
      { action: 'create', record: 'wallet', signer: { handle: { $in: ['system', 'system.auth', 'core'] } } },
    ];
    const { founder } = await divided(server.current.url, rules);
    await signer(founder, 'prov');
    await providerFactor(founder);
    await stored(founder, 'policy', oauth('oauth', 'prov'));
    for (const sub of ['system', 'system.auth', 'core']) {
      const answer = await create(founder, '/wallets', { handle: sub }, provided({ sub }));
      expect(outcome(answer), sub).toBe('403 Cannot create wallet.');
    }
  });
});
