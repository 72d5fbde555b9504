import type { JsonObject, Proof, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { dataLimits } from '../../src/kinds/data.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { underPolicies } from '../access-http/support.js';
import { examples } from '../kinds/examples.js';
import { expectList, expectRefusal } from '../support/checks.js';
import {
  dropOf,
  newKey,
  newLedger,
  proofOver,
  signed,
  systemKeyOf,
  type TestAnswer,
  type TestClient,
  updateOf,
} from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

async function withWallet(): Promise<{ client: TestClient; wallet: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  return { client, wallet: ok(await client.create('/wallets', { handle: 'w' })).body };
}

describe('labels (interface/records#labels)', () => {
  /** Labels after each proof in turn; an entry without labels changes none. */
  async function labelsAfter(...changes: (JsonObject[string] | undefined)[]): Promise<(string[] | undefined)[]> {
    const { client, wallet } = await withWallet();
    const labels: (string[] | undefined)[] = [];
    for (const change of changes) {
      const custom = change === undefined ? { note: 'none' } : { labels: change };
      labels.push(ok(await client.prove('/wallets/w', wallet, custom)).body.meta.labels);
    }
    return labels;
  }

  it('are added by $push, one or several, each once and in the order they came', async () => {
    expect(await labelsAfter({ $push: 'b' }, { $push: ['a', 'b', 'c'] }, { $push: 'a' }, undefined)).toEqual([
      ['b'],
      ['b', 'a', 'c'],
      ['b', 'a', 'c'],
      ['b', 'a', 'c'],
    ]);
  });

  it('are removed by $pull and $pullAll; without any left there are none', async () => {
    expect(
      await labelsAfter(
        ['a', 'b', 'c', 'd'],
        { $pull: 'b' },
        { $pull: 'ghost' },
        { $pullAll: ['a', 'd', 'x'] },
        { $pull: 'c' },
      ),
    ).toEqual([['a', 'b', 'c', 'd'], ['a', 'c', 'd'], ['a', 'c', 'd'], ['c'], undefined]);
  });

  it('are replaced by a list, each once', async () => {
    expect(await labelsAfter(['a', 'a', 'b'], ['c'], [])).toEqual([['a', 'b'], ['c'], undefined]);
  });

  it('are served after owners and before the domain, and null in the history while there are none', async () => {
    const client = await newLedger(server.current.url);
    ok(await client.create('/domains', { handle: 'shop' }));
    const wallet = ok(await client.create('/wallets', { handle: 'w@shop' })).body;
    const proved = ok(await client.prove('/wallets/w@shop', wallet, { labels: { $push: 'x' } })).body;
    expect(Object.keys(proved.meta)).toEqual(['proofs', 'status', 'moment', 'owners', 'labels', 'domain']);
    const changes = expectList(await client.get('/wallets/w@shop/changes'), client, { index: 0, limit: 20, total: 2 });
    expect(changes.map((change) => change.meta.labels)).toEqual([['x'], null]);
    expect(changes.map((change) => change.meta.domain)).toEqual(['shop', 'shop']);
  });

  it.each([[{ $push: 1 }], [{ $set: 'a' }], [{}], ['a'], [1], [null], [['a', 1]], [['']], [{ $pull: null }]])(
    'of the form %j are refused',
    async (labels) => {
      const { client, wallet } = await withWallet();
      const answer = await client.prove('/wallets/w', wallet, { labels });
      expectRefusal(
        answer,
        client,
        'record.schema-invalid',
        /^Schema validation error: request\/body\/custom\/labels /,
      );
      expect((await client.get('/wallets/w')).body).toEqual(wallet);
    },
  );

  it(`are at most ${recordLimits.labels} on a record, of at most ${dataLimits.label} characters`, async () => {
    const { client, wallet } = await withWallet();
    const many = Array.from({ length: recordLimits.labels }, (_, index) => `label-${index}`);
    expect(ok(await client.prove('/wallets/w', wallet, { labels: many })).body.meta.labels).toEqual(many);
    const one = await client.prove('/wallets/w', wallet, { labels: { $push: 'one-more' } });
    expectRefusal(one, client, 'record.invalid', `Record labels limit of ${recordLimits.labels} exceeded`);
    const longest = 'x'.repeat(dataLimits.label);
    expect(ok(await client.prove('/wallets/w', wallet, { labels: [longest] })).body.meta.labels).toEqual([longest]);
    const longer = await client.prove('/wallets/w', wallet, { labels: [`${longest}x`] });
    expectRefusal(longer, client, 'record.schema-invalid', /custom\/labels/);
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(3);
  });
});

describe('labels in the proofs of a create or an update (interface/records#labels)', () => {
  it('take effect, proof by proof, and lists find the record by them', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key, { labels: ['a', 'b'] });
    body.meta.proofs.push(proofOver(body.hash, client.key, { labels: { $push: 'c', $pull: 'a' } }));
    const wallet: RecordEnvelope = ok(await client.call('POST', '/wallets', body)).body;
    expect(wallet.meta.labels).toEqual(['b', 'c']);
    expect(Object.keys(wallet.meta)).toEqual(['proofs', 'status', 'moment', 'owners', 'labels']);
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
    expect((await client.get('/wallets?meta.labels=c')).body.data).toEqual([wallet]);
    const update = (parent: RecordEnvelope, labels?: JsonObject[string]) => {
      const custom: JsonObject = labels === undefined ? {} : { labels };
      return client.call('PUT', '/wallets/w', signed({ handle: 'w', parent: parent.hash }, client.key, custom));
    };
    const kept = ok(await update(wallet)).body;
    expect(kept.meta.labels).toEqual(['b', 'c']);
    const changed = ok(await update(kept, { $push: ['d'], $pullAll: ['b', 'c'] })).body;
    expect(changed.meta.labels).toEqual(['d']);
    const none = ok(await update(changed, [])).body;
    expect(Object.keys(none.meta)).toEqual(['proofs', 'status', 'moment', 'owners']);
    expect((await client.get('/wallets/w/changes')).body.data.map((one: RecordEnvelope) => one.meta.labels)).toEqual([
      null,
      ['d'],
      ['b', 'c'],
      ['b', 'c'],
    ]);
  });

  it('stand before the domain, and those left to a token count as well', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    ok(await client.create('/domains', { handle: 'shop' }));
    const unsigned = { data: { handle: 'w@shop' }, meta: { proofs: [{ custom: { labels: ['x'] } }] } };
    const wallet = ok(await client.call('POST', '/wallets', unsigned, bearer(client.key))).body;
    expect(Object.keys(wallet.meta)).toEqual(['proofs', 'status', 'moment', 'owners', 'labels', 'domain']);
    const data = { handle: 'w@shop', parent: wallet.hash };
    const updated = await client.call('PUT', '/wallets/w@shop', signed(data, client.key, { labels: { $push: 'y' } }));
    expect(Object.keys(ok(updated).body.meta)).toEqual(['proofs', 'status', 'moment', 'owners', 'labels', 'domain']);
    expect(updated.body.meta.labels).toEqual(['x', 'y']);
  });

  it('count when the create is judged', async () => {
    const key = newKey();
    const values = [{ action: 'create', signer: { public: key.public }, filter: { 'meta.labels': { $ne: 'vip' } } }];
    const gate = { handle: 'gate', record: 'any', values: [{ action: 'access' }] };
    const policies = [gate, { handle: 'p', record: 'wallet', values }];
    const maker = (await underPolicies(server.current.url, policies)).as(key);
    expect((await maker.create('/wallets', { handle: 'w' }, { labels: ['vip'] })).status).toBe(403);
    expect((await maker.create('/wallets', { handle: 'w' }, { labels: ['plain'] })).status).toBe(201);
  });

  it.each([
    [{ $push: 1 }],
    [{}],
    ['a'],
    [null],
    [['']],
    [Array.from({ length: recordLimits.labels + 1 }, (_, i) => `${i}`)],
  ])('are refused where those of a proof are: %j', async (labels) => {
    const { client, wallet } = await withWallet();
    const created = await client.create('/wallets', { handle: 'v' }, { labels });
    const body = signed({ handle: 'w', parent: wallet.hash }, client.key, { labels });
    for (const answer of [created, await client.call('PUT', '/wallets/w', body)]) {
      const isMany = Array.isArray(labels) && labels.length > 1;
      if (isMany) expectRefusal(answer, client, 'record.invalid', /^Record labels limit/);
      else expectRefusal(answer, client, 'record.schema-invalid', /request\/body\/meta\/proofs\/0\/custom\/labels /);
    }
    expect((await client.get('/wallets')).body.data).toEqual([wallet]);
  });
});

describe('proofs (interface/records#add-a-proof)', () => {
  it('may say anything, which is kept as it was signed', async () => {
    const { client, wallet } = await withWallet();
    const custom = { note: 'é "quoted" \\ ', nested: { list: [1.5, null, { a: true }], empty: {} }, big: 2 ** 53 - 1 };
    const answer = ok(await client.prove('/wallets/w', wallet, custom));
    expect(answer.body.meta.proofs.at(-1).custom).toMatchObject(custom);
    expect(answer.body.meta.status).toBe('created');
    const bare = proofOver(wallet.hash, client.key);
    const { custom: _, ...withoutCustom } = bare;
    const refused = await client.call('POST', '/wallets/w/proofs', withoutCustom);
    expectRefusal(refused, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
  });

  it("are the client's alone where the token beside them stands for no signer", async () => {
    const client = await newLedger(server.current.url);
    const made = ok(await client.call('POST', '/wallets', signed({ handle: 'w' }, client.key), bearer(newKey()))).body;
    expect(made.meta.owners).toEqual([client.key.public]);
    const update = updateOf(made, { handle: 'w', custom: { again: true } }, client.key);
    const updated = ok(await client.call('PUT', '/wallets/w', update, bearer(newKey()))).body;
    for (const { meta } of [made, updated]) {
      expect(meta.proofs.map((proof: Proof) => proof.public)).toEqual([client.key.public, systemKeyOf(client)]);
    }
    const drop = dropOf(updated, client.key);
    expect((await client.call('DELETE', '/wallets/w', drop, bearer(newKey()))).status).toBe(204);
  });

  it('set any status that is no empty text', async () => {
    const { client, wallet } = await withWallet();
    for (const status of ['active', 'inactive', 'frozen by ops', 'created']) {
      expect(ok(await client.prove('/wallets/w', wallet, { status })).body.meta.status).toBe(status);
    }
    for (const status of ['', 1, {}]) {
      const answer = await client.prove('/wallets/w', wallet, { status });
      expectRefusal(answer, client, 'record.schema-invalid', /request\/body\/custom\/status/);
    }
    for (const status of ['dropped', 'erased']) {
      const answer = await client.prove('/wallets/w', wallet, { status });
      const detail = `Proof contains invalid status change, from created to ${status}`;
      expectRefusal(answer, client, 'record.update-rejected', detail);
    }
    expect((await client.get('/wallets/w')).body.meta.status).toBe('created');
  });

  it('remove the status with null, and lists then miss it', async () => {
    const { client, wallet } = await withWallet();
    const answer = ok(await client.prove('/wallets/w', wallet, { status: null }));
    expect(Object.keys(answer.body.meta)).toEqual(['proofs', 'moment', 'owners']);
    expect((await client.get('/wallets/w')).text).toBe(answer.text);
    const found = async (query: string) => (await client.get(`/wallets?${query}`)).body.data.length;
    expect(await found('meta.status=created')).toBe(0);
    expect(await found('meta.status.$ne=created')).toBe(1);
    const change = (await client.get('/wallets/w/changes/2')).body;
    expect(Object.keys(change.meta)).toEqual(['proofs', 'moment', 'change', 'action', 'owners', 'labels']);
  });

  it('are over the current hash: the one before does not do', async () => {
    const { client, wallet } = await withWallet();
    const updated = ok(await client.update('/wallets/w', wallet, { handle: 'w', custom: { a: 1 } })).body;
    const stale = await client.prove('/wallets/w', wallet, { status: 'active' });
    expectRefusal(stale, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
    expect(ok(await client.prove('/wallets/w', updated, { status: 'active' })).body.meta.status).toBe('active');
  });

  it('move meta.moment and the place in lists, and leave the owners', async () => {
    const { client, wallet } = await withWallet();
    ok(await client.create('/wallets', { handle: 'v' }));
    const stranger = client.as({ ...client.key });
    const proved = ok(await stranger.prove('/wallets/w', wallet, { note: 'seen' })).body;
    expect(proved.meta.moment > wallet.meta.moment).toBe(true);
    expect(proved.meta.owners).toEqual(wallet.meta.owners);
    const listed = expectList(await client.get('/wallets'), client, { index: 0, limit: 20 });
    expect(listed.map((record) => record.data.handle)).toEqual(['w', 'v']);
  });

  it(`are ${recordLimits.proofs} on a record, the ledger's own counted, and not one more`, async () => {
    const { client, wallet } = await withWallet();
    let answer: TestAnswer | undefined;
    // Two are there from the creation.
    for (let count = 3; count <= recordLimits.proofs; count += 1) {
      answer = ok(await client.prove('/wallets/w', wallet, { count }));
    }
    expect(answer?.body.meta.proofs).toHaveLength(recordLimits.proofs);
    const detail = `Record proofs limit of ${recordLimits.proofs} exceeded`;
    for (const custom of [{ status: 'active' }, { note: 'one more' }]) {
      expectRefusal(await client.prove('/wallets/w', wallet, custom), client, 'record.invalid', detail);
    }
    expect((await client.get('/wallets/w')).text).toBe(answer?.text);
    const updated = ok(await client.update('/wallets/w', wallet, { handle: 'w', custom: {} })).body;
    expect(updated.meta.proofs).toHaveLength(2);
    expect((await client.drop('/wallets/w', updated)).status).toBe(204);
  });

  it.each(['wallets', 'intents'])(
    `are ${recordLimits.proofs} on a new record with the ledger's own: %s`,
    async (path) => {
      const client = await newLedger(server.current.url);
      const own = path === 'intents' ? 2 : 1;
      const shape = path === 'intents' ? examples.intent.minimal : examples.wallet.minimal;
      const body = (handle: string, count: number) => {
        const { hash, data } = signed(shape(handle), client.key);
        const proofs = Array.from({ length: count }, (_, index) => proofOver(hash, client.key, { index }));
        return { hash, data, meta: { proofs } };
      };
      const most = await client.call('POST', `/${path}`, body('most', recordLimits.proofs - own));
      expect(most.status, most.text).toBe(201);
      expect(most.body.meta.proofs).toHaveLength(recordLimits.proofs);
      for (const count of [recordLimits.proofs - own + 1, recordLimits.proofs, recordLimits.proofs + 1]) {
        const more = await client.call('POST', `/${path}`, body('more', count));
        expectRefusal(more, client, 'record.invalid', `Record proofs limit of ${recordLimits.proofs} exceeded`);
      }
      expect((await client.get(`/${path}/more`)).status).toBe(404);
    },
  );

  it(`are ${recordLimits.proofs} on an updated record with the ledger's own, and on a dropped one more`, async () => {
    const { client, wallet } = await withWallet();
    const many = (hash: string, count: number, custom: JsonObject = {}) =>
      Array.from({ length: count }, (_, index) => proofOver(hash, client.key, { index, ...custom }));
    const update = (count: number) => {
      const { hash, data } = signed({ handle: 'w', parent: wallet.hash }, client.key);
      return client.call('PUT', '/wallets/w', { hash, data, meta: { proofs: many(hash, count) } });
    };
    expectRefusal(await update(recordLimits.proofs), client, 'record.invalid', /^Record proofs limit/);
    const updated = ok(await update(recordLimits.proofs - 1)).body;
    expect(updated.meta.proofs).toHaveLength(recordLimits.proofs);
    // A trail must be able to end (interface/limits).
    const { hash, data } = signed({ parent: updated.hash }, client.key);
    const drop = (count: number) => ({
      hash,
      data,
      luid: updated.luid,
      meta: { proofs: many(hash, count, { status: 'dropped' }) },
    });
    expectRefusal(
      await client.call('DELETE', '/wallets/w', drop(recordLimits.proofs + 1)),
      client,
      'record.invalid',
      /limit/,
    );
    expect((await client.call('DELETE', '/wallets/w', drop(recordLimits.proofs))).status).toBe(204);
  });

  it(`are ${recordLimits.proofs} on a new ledger with its own, and where a token adds one`, async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    const proofs = (hash: string, count: number) =>
      Array.from({ length: count }, (_, index) => proofOver(hash, client.key, { index }));
    const ledger = (handle: string, count: number) => {
      const { hash, data } = signed({ handle, signer: 'system' }, client.key);
      return client.in(undefined).call('POST', '/ledgers', { hash, data, meta: { proofs: proofs(hash, count) } });
    };
    const handle = `many-${process.pid}-${Date.now()}`;
    expect((await ledger(handle, recordLimits.proofs)).body.data.detail).toMatch(/^Record proofs limit/);
    expect((await ledger(handle, recordLimits.proofs - 1)).body.meta.proofs).toHaveLength(recordLimits.proofs);
    const wallet = (count: number) => {
      const { hash, data } = signed({ handle: 'w' }, client.key);
      return client.call('POST', '/wallets', { hash, data, meta: { proofs: proofs(hash, count) } }, bearer(client.key));
    };
    expect((await wallet(recordLimits.proofs - 1)).status).toBe(422);
    expect((await wallet(recordLimits.proofs - 2)).body.meta.proofs).toHaveLength(recordLimits.proofs);
  });

  it('of a drop ask for the status dropped or for none', async () => {
    const { client, wallet } = await withWallet();
    const drop = (custom: JsonObject) => signed({ parent: wallet.hash }, client.key, custom, { luid: wallet.luid });
    for (const status of ['active', 'created', 'Dropped', '', null, 1]) {
      for (const [method, path] of [
        ['DELETE', '/wallets/w'],
        ['POST', '/wallets/w/drop'],
      ] as const) {
        const answer = await client.call(method, path, drop({ status }));
        expectRefusal(answer, client, 'record.schema-invalid', /request\/body\/meta\/proofs\/0\/custom\/status/);
      }
    }
    const two = drop({ status: 'dropped' });
    two.meta.proofs.push(proofOver(two.hash, client.key, { status: 'active' }));
    expectRefusal(await client.call('DELETE', '/wallets/w', two), client, 'record.schema-invalid', /proofs\/1\/custom/);
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
    expect((await client.call('DELETE', '/wallets/w', drop({}))).status).toBe(204);
  });
});
