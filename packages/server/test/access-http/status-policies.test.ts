import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, registered, statusSet } from './support.js';

const server = withOwnServer();

function statusPolicy(values: JsonObject[], more: JsonObject = {}): JsonObject {
  return { handle: 'statuses', schema: 'status', record: 'wallet', values, ...more };
}

/** An open ledger with that status policy and a wallet. */
async function scene(policy: JsonObject, data: JsonObject = {}) {
  const client = await newLedger(server.current.url);
  await stored(client, 'policy', policy);
  return { client, wallet: await stored(client, 'wallet', { handle: 'w', ...data }) };
}

const violation = (kind: string, status: string | null) =>
  `Cannot set ${kind} status to ${status}. No values correspond to the target status.`;

describe('the values of a status policy (interface/policies#status-policies)', () => {
  it.each<[title: string, values: JsonObject[], told: Record<string, 'set' | 'kept' | 'refused'>]>([
    ['none', [], { active: 'refused', x: 'refused' }],
    ['one status', [{ status: 'active', quorum: [] }], { active: 'set', x: 'refused' }],
    ['$in', [{ status: { $in: ['active', 'x'] }, quorum: [] }], { active: 'set', x: 'set', y: 'refused' }],
    ['$nin', [{ status: { $nin: ['x'] }, quorum: [] }], { active: 'set', x: 'refused' }],
    ['any status', [{ quorum: [] }], { active: 'set', x: 'set' }],
    ['a quorum nobody meets', [{ status: 'active', quorum: [{ handle: 'ghost' }] }], { active: 'kept', x: 'refused' }],
    ['a quorum anyone meets', [{ status: 'active', quorum: [{}] }], { active: 'set' }],
    [
      'a second value that is met',
      [{ quorum: [{ handle: 'ghost' }] }, { status: 'active', quorum: [] }],
      { active: 'set', x: 'kept' },
    ],
    ['a filter on the value that fits', [{ status: 'active', quorum: [], filter: { handle: 'w' } }], { active: 'set' }],
    [
      'a filter on the value that does not',
      [{ status: 'active', quorum: [], filter: { handle: 'v' } }],
      { active: 'refused' },
    ],
  ])('%s', async (_, values, told) => {
    for (const [status, expected] of Object.entries(told)) {
      const { client, wallet } = await scene(statusPolicy(values));
      const answer = await client.prove('/wallets/w', wallet, { status });
      if (expected === 'refused') {
        expectRefusal(answer, client, 'record.status-policy-violation', violation('wallet', status));
        expect((await client.get('/wallets/w')).body).toEqual(wallet);
      } else {
        expect([answer.status, answer.body.meta.status], status).toEqual([
          200,
          expected === 'set' ? status : 'created',
        ]);
        expect(answer.body.meta.proofs).toHaveLength(wallet.meta.proofs.length + 1);
      }
    }
  });

  it.each<[title: string, more: JsonObject, applies: boolean]>([
    ['without record, to every kind', { record: undefined as unknown as Json }, true],
    ['to its kind', {}, true],
    ['to another kind', { record: 'symbol' }, false],
    ['to what its filter fits', { filter: { 'custom.tier': 'gold' } }, true],
    ['not to what it does not fit', { filter: { 'custom.tier': 'silver' } }, false],
  ])('apply %s', async (_, more, applies) => {
    const policy = Object.fromEntries(
      Object.entries({ ...statusPolicy([]), ...more }).filter(([, value]) => value !== undefined),
    );
    const { client, wallet } = await scene(policy, { custom: { tier: 'gold' } });
    const answer = await client.prove('/wallets/w', wallet, { status: 'active' });
    expect(answer.status).toBe(applies ? 422 : 200);
  });

  it('do not apply when the policy is inactive, or in another domain', async () => {
    const { client, wallet } = await scene(statusPolicy([]));
    const policy = (await client.get('/policies/statuses')).body;
    await statusSet(client, '/policies/statuses', policy, 'inactive');
    await statusSet(client, '/wallets/w', wallet, 'active');

    const other = await newLedger(server.current.url);
    for (const handle of ['a', 'b']) await stored(other, 'domain', { handle });
    await stored(other, 'policy', statusPolicy([], { handle: 'statuses@a' }));
    const [there, elsewhere] = [
      await stored(other, 'wallet', { handle: 'w@a' }),
      await stored(other, 'wallet', { handle: 'w@b' }),
    ];
    expect((await other.prove('/wallets/w@a', there, { status: 'active' })).status).toBe(422);
    expect((await other.prove('/wallets/w@b', elsewhere, { status: 'active' })).status).toBe(200);
  });

  it('null takes the status away, where a value covers that', async () => {
    const free = await newLedger(server.current.url);
    const one = await stored(free, 'wallet', { handle: 'w' });
    const bare = ok(await free.prove('/wallets/w', one, { status: null }));
    expect(bare.body.meta).not.toHaveProperty('status');
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum: [] }]));
    const refused = await client.prove('/wallets/w', wallet, { status: null });
    expectRefusal(refused, client, 'record.status-policy-violation', violation('wallet', null));
    const any = await scene(statusPolicy([{ quorum: [] }]));
    const gone = ok(await any.client.prove('/wallets/w', any.wallet, { status: null }));
    expect(gone.body.meta).not.toHaveProperty('status');
  });
});

describe('a quorum (interface/policies#status-policies)', () => {
  /** Proves with one key after another; gives the status after each. */
  async function statuses(
    client: TestClient,
    wallet: RecordEnvelope,
    keys: ReturnType<typeof newKey>[],
    status = 'active',
  ) {
    const found: unknown[] = [];
    for (const key of keys) {
      const answer = ok(await client.as(key).prove('/wallets/w', wallet, { status }));
      found.push(answer.body.meta.status);
    }
    return found;
  }

  it('is met when each of its matchers is, over several proofs', async () => {
    const quorum = [{ handle: 'alice' }, { handle: { $in: ['bob', 'carol'] } }];
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum }]));
    const [alice, bob, dave] = [
      await registered(client, 'alice'),
      await registered(client, 'bob'),
      await registered(client, 'dave'),
    ];
    expect(await statuses(client, wallet, [dave, alice, alice, bob])).toEqual([
      'created',
      'created',
      'created',
      'active',
    ]);
  });

  it('counts only proofs that ask for that status', async () => {
    const quorum = [{ handle: 'alice' }, { handle: 'bob' }];
    const { client, wallet } = await scene(statusPolicy([{ quorum }]));
    const [alice, bob] = [await registered(client, 'alice'), await registered(client, 'bob')];
    ok(await client.as(bob).prove('/wallets/w', wallet, { note: 'seen' }));
    expect(await statuses(client, wallet, [bob], 'inactive')).toEqual(['created']);
    expect(await statuses(client, wallet, [alice])).toEqual(['created']);
    expect(await statuses(client, wallet, [bob])).toEqual(['active']);
    expect(await statuses(client, wallet, [alice], 'inactive')).toEqual(['inactive']);
  });

  it('counts who has the key now, not who had it when it signed', async () => {
    const quorum = [{ handle: 'alice' }, { handle: 'bob' }];
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum }]));
    const [alice, bob, next] = [await registered(client, 'alice'), await registered(client, 'bob'), newKey()];
    expect(await statuses(client, wallet, [alice])).toEqual(['created']);
    const signer: RecordEnvelope = (await client.get('/signers/alice')).body;
    ok(await client.update('/signers/alice', signer, { handle: 'alice', public: next.public, format: 'ed25519-raw' }));
    expect(await statuses(client, wallet, [bob])).toEqual(['created']);
    expect(await statuses(client, wallet, [next])).toEqual(['active']);
  });

  it('starts anew when the record is updated', async () => {
    const quorum = [{ handle: 'alice' }, { handle: 'bob' }];
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum }]));
    const [alice, bob] = [await registered(client, 'alice'), await registered(client, 'bob')];
    expect(await statuses(client, wallet, [alice])).toEqual(['created']);
    const current = (await client.get('/wallets/w')).body;
    const updated = ok(await client.update('/wallets/w', current, { handle: 'w', custom: {} })).body;
    expect(await statuses(client, updated, [bob])).toEqual(['created']);
    expect(await statuses(client, updated, [alice])).toEqual(['active']);
  });

  it.each<[title: string, matcher: JsonObject, who: 'alice' | 'founder']>([
    ['a circle', { $circle: 'ops' }, 'alice'],
    ['the owner of the record', { $record: 'owner' }, 'founder'],
    ['the owner of the ledger', { $ledger: 'owner' }, 'founder'],
    ['custom', { custom: { team: 'red' } }, 'alice'],
  ])('by %s', async (_, matcher, who) => {
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum: [matcher] }]));
    const alice = await registered(client, 'alice', { custom: { team: 'red' } });
    await circleOf(client, 'ops', 'alice');
    const met = who === 'alice' ? alice : client.key;
    const other = who === 'alice' ? client.key : alice;
    expect(await statuses(client, wallet, [other, met])).toEqual(['created', 'active']);
  });

  it('counts the signer a token stands for, not the key of system.auth', async () => {
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum: [{ handle: 'alice' }] }]));
    const [alice, bob] = [await registered(client, 'alice'), await registered(client, 'bob')];
    const body = { custom: { status: 'active' } };
    const byBob = ok(await client.call('POST', '/wallets/w/proofs', body, bearer(bob)));
    expect(byBob.body.meta.status).toBe('created');
    const byAlice = ok(await client.call('POST', '/wallets/w/proofs', body, bearer(alice)));
    expect(byAlice.body.meta.status).toBe('active');
    expect(byAlice.body.meta.proofs).toHaveLength(wallet.meta.proofs.length + 2);
  });

  it('is not met by what a proof merely says of itself', async () => {
    const { client, wallet } = await scene(statusPolicy([{ status: 'active', quorum: [{ handle: 'alice' }] }]));
    const mallory = newKey();
    const said = { signer: 'alice', origin: 'self-signed-token', issuer: 'alice' };
    const proof = proofOver(wallet.hash, mallory, { status: 'active', ...said });
    const answer = ok(await client.call('POST', '/wallets/w/proofs', { ...proof, ...said }));
    expect(answer.body.meta.status).toBe('created');
    expect(answer.body.meta.proofs.at(-1)).not.toHaveProperty('signer');
    expect(answer.body.meta.proofs.at(-1).origin).toBe('key-pair');
  });

  it('knows who registered meanwhile, through another process', async () => {
    const other = await startServer({ database: server.current.database });
    try {
      const { client, wallet } = await scene(
        statusPolicy([{ status: 'active', quorum: [{ handle: 'late' }, { handle: 'bob' }] }]),
      );
      const bob = await registered(client, 'bob');
      const late = newKey();
      expect(await statuses(client, wallet, [late])).toEqual(['created']);
      const elsewhere = new TestClient(other.url, client.key, client.ledger);
      await stored(elsewhere, 'signer', { handle: 'late', public: late.public, format: 'ed25519-raw' });
      expect(await statuses(client, wallet, [bob])).toEqual(['active']);
    } finally {
      await other.stop();
    }
  });
});

describe('status policies of every ledger (interface/policies#status-policies)', () => {
  it('access policies have three statuses; others are not asked', async () => {
    const client = await newLedger(server.current.url);
    const access = await stored(client, 'policy', { handle: 'p', schema: 'access', values: [] });
    for (const status of ['active', 'inactive', 'created']) await statusSet(client, '/policies/p', access, status);
    const refused = await client.prove('/policies/p', access, { status: 'blocked' });
    expectRefusal(refused, client, 'record.status-policy-violation', violation('policy', 'blocked'));
    const labels = await stored(client, 'policy', { handle: 'q', schema: 'labels', values: [] });
    await statusSet(client, '/policies/q', labels, 'blocked');
  });

  it("no client's proof changes the status of an intent", async () => {
    const client = await newLedger(server.current.url);
    const claims = [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }];
    const intent = await stored(client, 'intent', { handle: 'i', claims });
    const answer = ok(await client.prove('/intents/i', intent, { status: 'completed' }));
    // There is no such wallet.
    expect(answer.body.meta.status).toBe('rejected');
  });

  it('a report under a policy needs a value for `created` to be made (interface/policies#status-policies)', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
    const make = (handle: string) => client.create('/reports', { handle, schema: 'daily' });
    expect((await make('r-1')).status).toBe(201);
    await stored(client, 'policy', statusPolicy([{ status: 'pending', quorum: [] }], { record: 'report' }));
    expectRefusal(await make('r-2'), client, 'record.status-policy-violation', violation('report', 'created'));
    const values = [{ status: { $in: ['created', 'pending'] }, quorum: [{ handle: 'ghost' }] }];
    await stored(client, 'policy', statusPolicy(values, { record: 'report', handle: 'more' }));
    expect((await make('r-3')).status).toBe(201);
  });

  it("a report's own table of statuses counts beside them", async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
    await stored(client, 'policy', statusPolicy([{ quorum: [] }], { record: 'report' }));
    const report = await stored(client, 'report', { handle: 'r', schema: 'daily' });
    const refused = await client.prove('/reports/r', report, { status: 'settled' });
    const detail = 'Proof contains invalid status change, from created to settled';
    expectRefusal(refused, client, 'record.update-rejected', detail);
    await statusSet(client, '/reports/r', report, 'pending');
  });
});
