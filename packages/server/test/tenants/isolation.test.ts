import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { expectRefusal } from '../support/checks.js';
import {
  newKey,
  newLedger,
  OPEN,
  proofOver,
  signed,
  systemKeyOf,
  type TestClient,
  type TestKey,
  updateOf,
} from '../support/client.js';
import { makeCurrent, ok, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

/** Two tenants of one server that are alike in everything: founder's key, handles, data. */
describe('two ledgers of one server', () => {
  const server = withServer();

  async function twins(options: { access?: typeof OPEN; key?: TestKey } = {}): Promise<[TestClient, TestClient]> {
    const key = options.key ?? newKey();
    return [
      await newLedger(server.current.url, { ...options, key }),
      await newLedger(server.current.url, { ...options, key }),
    ];
  }

  const signerData = (handle: string, key: TestKey): JsonObject => ({
    handle,
    public: key.public,
    format: 'ed25519-raw',
  });

  /** The client's ledger, for somebody else. */
  const asking = (client: TestClient, key: TestKey) => client.get('/wallets', bearer(key));

  it('keep records of one handle apart, through their whole lives', async () => {
    const [one, other] = await twins();
    const mine = await stored(one, 'wallet', { handle: 'w', custom: { of: 'one' } });
    expect((await other.get('/wallets/w')).status).toBe(404);
    const theirs = await stored(other, 'wallet', { handle: 'w', custom: { of: 'other' } });
    expect(theirs.luid).not.toBe(mine.luid);
    const updated = ok(await one.update('/wallets/w', mine, { handle: 'w', custom: { of: 'one', again: true } })).body;
    ok(await one.prove('/wallets/w', updated, { status: 'active' }));
    expect((await other.get('/wallets/w')).body).toEqual(theirs);
    expect((await other.get(`/wallets/${theirs.luid}/changes`)).body.page.total).toBe(1);
    ok(await one.drop('/wallets/w', (await one.get('/wallets/w')).body));
    expect((await other.get('/wallets/w')).body).toEqual(theirs);
    expect((await one.get('/wallets/w')).status).toBe(404);
    // The history of what was dropped is there for its own ledger only.
    expect((await one.get(`/wallets/${mine.luid}/changes`)).body.page.total).toBe(4);
    for (const path of [`/wallets/${mine.luid}/changes`, `/wallets/${mine.luid}/changes/1`]) {
      expectRefusal(await other.get(path), other, 'record.not-found', 'Wallet not found');
    }
  });

  it('take a replayed body as their own, and only where it is valid there', async () => {
    const [one, other] = await twins();
    const create = signed({ handle: 'w' }, one.key);
    const mine: RecordEnvelope = ok(await one.call('POST', '/wallets', create)).body;
    const update = updateOf(mine, { handle: 'w', custom: { a: 1 } }, one.key);
    const proof = proofOver(mine.hash, one.key, { status: 'active' });
    for (const [method, path, body] of [
      ['PUT', '/wallets/w', update],
      ['POST', '/wallets/w/proofs', proof],
    ] as const) {
      expect((await other.call(method, path, body)).status).toBe(404);
    }
    const theirs = await other.call('POST', '/wallets', create);
    // Made, not repeated: that it was stored before elsewhere is not known here.
    expect(theirs.status).toBe(201);
    expect(theirs.body.luid).not.toBe(mine.luid);
    expect(theirs.body.meta.proofs.at(-1).public).toBe(systemKeyOf(other));
    expect((await other.call('POST', '/wallets', create)).status).toBe(200);
    // The body names the luid of the record it was signed for.
    expectRefusal(
      await other.call('PUT', '/wallets/w', update),
      other,
      'record.invalid',
      'Luid in the request does not match the luid of the record',
    );
    expect((await one.get('/wallets/w')).body).toEqual(mine);
  });

  it('are named by handle or luid, and by nothing else', async () => {
    const [one, other] = await twins();
    const [mine, theirs] = [(await one.get('/ledger')).body, (await other.get('/ledger')).body];
    await stored(other, 'wallet', { handle: 'w' });
    expect((await one.in(mine.luid).get('/ledger')).body).toEqual(mine);
    expect((await one.in(theirs.luid).get('/wallets/w')).status).toBe(200);
    expect((await one.in(mine.luid).get('/wallets/w')).status).toBe(404);
    expect((await one.get(`/ledgers/${other.ledger}`)).body).toEqual(theirs);
    const wallet: RecordEnvelope = (await other.get('/wallets/w')).body;
    for (const name of [wallet.luid, `${one.ledger} ${other.ledger}`, `${one.ledger},${other.ledger}`, '%', '1', '2']) {
      const answer = await one.in(name).get('/ledger');
      expectRefusal(answer, one.in(undefined), 'api.route-not-found', 'Server does not host requested ledger');
    }
  });

  it.each(kinds.map(({ name }) => name).filter((name) => name !== 'ledger'))(
    'list their own records only, also where each %s is named',
    async (name) => {
      const { url } = server.current;
      const scenes = [await setScene(url, name), await setScene(url, name)] as const;
      const made = [await makeCurrent(scenes[0]), await makeCurrent(scenes[1])] as const;
      const { handle } = scenes[0];
      const named = scenes[0].kind.links.key ? [] : [`?data.handle=${handle}`, `?data.handle.$in[0]=${handle}`];
      for (const query of [...named, '', '?meta.status.$ne=other', '?page.limit=1']) {
        for (const [index, { client, collection }] of scenes.entries()) {
          const found = ok(await client.get(collection + query)).body.data;
          const others = found.filter(({ luid }: RecordEnvelope) => luid !== made[index]?.luid);
          // What the scene needs may be of the same kind.
          for (const other of others) expect(other.meta.proofs.at(-1).public).toBe(systemKeyOf(client));
          if (query !== '?page.limit=1') expect(found).toContainEqual(made[index]);
          expect(found).not.toContainEqual(made[1 - index]);
        }
      }
      if (named.length > 0) {
        const { client, collection } = await setScene(url, name);
        expect(ok(await client.get(`${collection}?data.handle=${handle}`)).body.data).toEqual([]);
      }
    },
  );

  it("take a key for nobody's though another has a signer or a factor with it", async () => {
    const [keys, founder] = [[newKey(), newKey()], newKey()];
    const [one, other] = await twins({ key: founder });
    await stored(one, 'signer', signerData('clerk', keys[0]!));
    const factor = { handle: 'f', signer: 'clerk', schema: 'key-pair', format: 'ed25519-raw' };
    await stored(one, 'signer-factor', { ...factor, public: keys[1]!.public });
    for (const [index, key] of keys.entries()) {
      const there = other.as(key);
      const made = ok(await there.create('/wallets', { handle: `w-${index}` })).body;
      expect(made.meta.proofs[0]).not.toHaveProperty('signer');
      const proved = ok(await there.prove(`/wallets/w-${index}`, made, { status: 'active' })).body;
      ok(await there.update(`/wallets/w-${index}`, proved, { handle: `w-${index}`, custom: { again: true } }));
      expect((await there.drop(`/wallets/w-${index}`, (await there.get(`/wallets/w-${index}`)).body)).status).toBe(204);
    }
  });

  it('know their own signers only, by key and by handle', async () => {
    const key = newKey();
    const founder = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: founder.public } },
      { action: 'any', record: 'any', signer: { handle: 'clerk' } },
      { action: 'any', record: 'any', bearer: { $signer: { handle: 'clerk' } } },
    ];
    const [one, other] = await twins({ key: founder, access });
    await stored(one, 'signer', signerData('clerk', key));
    const [here, there] = [one.as(key), other.as(key)];
    const made = ok(await here.create('/wallets', { handle: 'w' })).body;
    expect(made.meta.proofs[0].signer).toBe('clerk');
    expectRefusal(await there.create('/wallets', { handle: 'w' }), other, 'auth.forbidden', 'Cannot create wallet.');
    expect((await asking(one, key)).status).toBe(200);
    expectRefusal(await asking(other, key), other, 'auth.forbidden', 'Cannot query wallet.');
    // The same handle there is somebody else's.
    await stored(other, 'signer', signerData('clerk', newKey()));
    expectRefusal(await there.create('/wallets', { handle: 'w' }), other, 'auth.forbidden', 'Cannot create wallet.');
    expect((await other.create('/wallets', { handle: 'v' })).body.meta.proofs[0]).not.toHaveProperty('signer');
  });

  it('know their own circles only', async () => {
    const [key, founder] = [newKey(), newKey()];
    const rule = { action: 'any', record: 'any', signer: { $circle: 'staff' } };
    const access = [{ action: 'any', record: 'any', signer: { public: founder.public } }, rule];
    const [one, other] = await twins({ key: founder, access });
    for (const ledger of [one, other]) {
      await stored(ledger, 'signer', signerData('clerk', key));
      await stored(ledger, 'circle', { handle: 'staff' });
    }
    await stored(one, 'circle-signer', { circle: 'staff', signer: 'clerk' });
    expect((await one.as(key).create('/wallets', { handle: 'w' })).status).toBe(201);
    const refused = await other.as(key).create('/wallets', { handle: 'w' });
    expectRefusal(refused, other, 'auth.forbidden', 'Cannot create wallet.');
    const check = signed({ action: 'create', record: 'wallet' }, key, {});
    expect((await one.call('POST', '/ledger/access/!check', check)).body.data).toHaveLength(1);
    expect((await other.call('POST', '/ledger/access/!check', check)).body.data).toEqual([]);
  });

  it('keep factors under one signer handle apart', async () => {
    const [one, other] = await twins();
    for (const ledger of [one, other]) await stored(ledger, 'signer', signerData('clerk', newKey()));
    const factor = await stored(one, 'signer-factor', { handle: 'f', signer: 'clerk', schema: 'otp' });
    expect((await other.get('/signers/clerk/factors')).body.data).toEqual([]);
    for (const id of ['f', factor.luid]) {
      expectRefusal(
        await other.get(`/signers/clerk/factors/${id}`),
        other,
        'record.not-found',
        'Signerfactor not found',
      );
    }
    const parent: RecordEnvelope = (await one.get('/signers/clerk')).body;
    const path = `/signers/${parent.luid}/factors`;
    expect((await one.get(path)).body.data).toHaveLength(1);
    expectRefusal(await other.get(path), other, 'record.not-found', 'Signer not found');
    expectRefusal(await other.get(`${path}/${factor.luid}`), other, 'record.not-found', 'Signer not found');
  });

  it('take tokens for themselves: a handle in one means their own signer, a single use counts for one', async () => {
    const key = newKey();
    const [one, other] = await twins();
    await stored(one, 'signer', signerData('clerk', key));
    const named = { ...key, public: 'clerk' };
    expect((await asking(one, named)).status).toBe(200);
    expectRefusal(await asking(other, named), other, 'auth.unauthorized', 'Invalid token.');
    await stored(other, 'signer', signerData('clerk', newKey()));
    expectRefusal(await asking(other, named), other, 'auth.unauthorized', 'Invalid token.');

    // The very token that one has verified, and remembers.
    const token = bearer(named);
    expect((await one.get('/wallets', token)).status).toBe(200);
    expectRefusal(await other.get('/wallets', token), other, 'auth.unauthorized', 'Invalid token.');
    const clerk: RecordEnvelope = (await one.get('/signers/clerk')).body;
    ok(await one.update('/signers/clerk', clerk, signerData('clerk', newKey())));
    expectRefusal(await one.get('/wallets', token), one, 'auth.unauthorized', 'Invalid token.');

    const once = bearer(key, { jti: 'once' });
    expect((await one.get('/wallets', once)).status).toBe(200);
    expectRefusal(await one.get('/wallets', once), one, 'auth.unauthorized', 'Invalid token.');
    expect((await other.get('/wallets', once)).status).toBe(200);
  });

  it('judge data by their own schemas, domains, policies and config', async () => {
    const [one, other] = await twins();
    await stored(one, 'schema', {
      handle: 'strict',
      record: 'wallet',
      format: 'json-schema',
      schema: { type: 'object', required: ['custom'] },
    });
    await stored(one, 'domain', { handle: 'mine' });
    const plain = { handle: 'w' };
    expect((await one.create('/wallets', plain)).body.data.reason).toBe('record.schema-invalid');
    expect((await other.create('/wallets', plain)).status).toBe(201);
    const named = { handle: 'v', schema: 'strict', custom: {} };
    expect((await one.create('/wallets', named)).status).toBe(201);
    const detail = 'Schema strict not found for record of type wallet.';
    expectRefusal(await other.create('/wallets', named), other, 'record.relation-not-found', detail);
    const inside = { handle: 'w@mine', schema: 'strict', custom: {} };
    expect((await one.create('/wallets', inside)).body.meta.domain).toBe('mine');
    expect((await other.create('/wallets', { handle: 'w@mine' })).body.meta).not.toHaveProperty('domain');

    const ledger: RecordEnvelope = (await one.get('/ledger')).body;
    const config = { 'access.strategy': 'policy-based' };
    ok(await one.update('/ledger', ledger, { handle: one.ledger!, signer: 'system', access: OPEN, config }));
    expect((await one.create('/wallets', named)).status).toBe(403);
    expect((await other.create('/wallets', { handle: 'after' })).status).toBe(201);
  });

  it('are listed for their owners only', async () => {
    const { url } = server.current;
    const [one, other] = [await newLedger(url), await newLedger(url)];
    for (const [client, handles] of [
      [one, [one.ledger]],
      [other, [other.ledger]],
    ] as const) {
      const outside = client.in(undefined);
      for (const query of [
        '',
        `?data.handle=${one.ledger}`,
        `?data.handle.$in[0]=${one.ledger}&data.handle.$in[1]=${other.ledger}`,
      ]) {
        const list = await outside.get(`/ledgers${query}`, bearer(client.key));
        const found = list.body.data.map(({ data }: RecordEnvelope) => data.handle);
        expect(found).toEqual(query === `?data.handle=${one.ledger}` && client === other ? [] : handles);
      }
    }
  });
});
