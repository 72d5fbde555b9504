import { type JsonObject, type RecordEnvelope, signProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { everythingFor, founded } from '../access-http/support.js';
import { expectRefusal } from '../support/checks.js';
import {
  dropOf,
  newKey,
  newLedger,
  proofOver,
  signed,
  type TestAnswer,
  TestClient,
  type TestKey,
  updateOf,
} from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';

const servers = withTwoServers();

/** A ledger seen through both processes, and through the second by someone who may do everything too. */
async function ledger(): Promise<{ owner: TestClient; there: TestClient; attacker: TestClient }> {
  const mallory = newKey();
  const owner = await founded(servers.current[0].url, everythingFor(mallory));
  const there = new TestClient(servers.current[1].url, owner.key, owner.ledger);
  return { owner, there, attacker: there.as(mallory) };
}

const DETAIL = 'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.';

function expectReused(answer: TestAnswer, client: TestClient): void {
  expectRefusal(answer, client, 'record.invalid', DETAIL);
}

/** The client proofs of a record as everyone can read them, without what the ledger adds to them. */
function proofsOf({ meta }: RecordEnvelope, { public: key }: TestKey): JsonObject[] {
  return meta.proofs
    .filter((proof) => proof.public === key)
    .map(({ method, digest, result, custom, public: by }) => ({
      method,
      public: by,
      digest,
      result,
      ...(custom === undefined ? {} : { custom }),
    })) as JsonObject[];
}

describe('a proof counts for one record', () => {
  it('an old drop does not drop a record that was made again', async () => {
    const { owner, attacker } = await ledger();
    const data = { handle: 'w', custom: { tier: 'gold' } };
    const first = await stored(owner, 'wallet', data);
    const drop = dropOf(first, owner.key);
    expect((await owner.call('DELETE', '/wallets/w', drop)).status).toBe(204);
    const again = await stored(owner, 'wallet', data);
    expect(again.hash).toBe(first.hash);

    const replay = { ...drop, luid: again.luid };
    expectReused(await attacker.call('DELETE', '/wallets/w', replay), attacker);
    expectReused(await attacker.call('POST', `/wallets/${again.luid}/drop`, replay), attacker);
    expect((await owner.get('/wallets/w', bearer(owner.key))).body).toEqual(again);
    expect((await owner.drop('/wallets/w', again)).status).toBe(204);
  });

  it('an old update does not bring back a right that was taken away by drop and re-creation', async () => {
    const { owner, attacker } = await ledger();
    const ada = newKey();
    const rule = { action: 'any', signer: { public: ada.public } };
    const first = await stored(owner, 'wallet', { handle: 'w' });
    const granting = updateOf(first, { handle: 'w', access: [rule] }, owner.key);
    const granted: RecordEnvelope = ok(await owner.call('PUT', '/wallets/w', granting)).body;
    expect((await owner.drop('/wallets/w', granted)).status).toBe(204);
    const again = await stored(owner, 'wallet', { handle: 'w' });
    expect(again.hash).toBe(first.hash);

    expectReused(await attacker.call('PUT', '/wallets/w', { ...granting, luid: again.luid }), attacker);
    expectReused(await attacker.call('PUT', `/wallets/${again.luid}`, { ...granting, luid: again.luid }), attacker);
    expect((await owner.as(ada).update('/wallets/w', again, { handle: 'w' })).status).toBe(403);
  });

  it('a signed wallet is neither a domain nor a circle', async () => {
    const { owner, attacker } = await ledger();
    const body = signed({ handle: 'ops' }, owner.key);
    ok(await owner.call('POST', '/wallets', body));
    for (const path of ['/domains', '/circles']) expectReused(await attacker.call('POST', path, body), attacker);
    expect((await owner.create('/domains', { handle: 'ops' })).status).toBe(201);
  });

  it('a status proof of a dropped record says nothing about the one made again', async () => {
    const { owner, attacker } = await ledger();
    const first = await stored(owner, 'wallet', { handle: 'w' });
    const proof = proofOver(first.hash, owner.key, { status: 'active' });
    const proved = ok(await owner.call('POST', '/wallets/w/proofs', proof)).body;
    expect((await owner.drop('/wallets/w', proved)).status).toBe(204);
    const again = await stored(owner, 'wallet', { handle: 'w' });
    expectReused(await attacker.call('POST', '/wallets/w/proofs', { ...proof }), attacker);
    // Those of the create, and of another kind with the same data, are proofs over the same hash too.
    for (const one of proofsOf(first, owner.key)) {
      expectReused(await attacker.call('POST', '/wallets/w/proofs', one), attacker);
    }
    const circle = await stored(owner, 'circle', { handle: 'w' });
    for (const one of [...proofsOf(first, owner.key), ...proofsOf(again, owner.key)]) {
      expectReused(await attacker.call('POST', '/circles/w/proofs', one), attacker);
    }
    expect((await owner.get('/circles/w', bearer(owner.key))).body).toEqual(circle);
  });

  it('a create counts once, whatever became of its record, and also one among others', async () => {
    const { owner, attacker } = await ledger();
    const body = signed({ handle: 'w' }, owner.key);
    const first = ok(await owner.call('POST', '/wallets', body)).body;
    expect((await owner.drop('/wallets/w', first)).status).toBe(204);
    expectReused(await attacker.call('POST', '/wallets', body), attacker);
    const [theirs] = body.meta.proofs;
    const own = proofOver(body.hash, attacker.key, { status: 'created' });
    for (const proofs of [
      [own, theirs!],
      [theirs!, own],
      [theirs!, theirs!],
    ]) {
      expectReused(await attacker.call('POST', '/wallets', { ...body, meta: { proofs } }), attacker);
    }
    expect((await attacker.call('POST', '/wallets', { ...body, meta: { proofs: [own, own] } })).status).toBe(201);
  });

  it('also without anything signed beside the data: whoever means the same again says when', async () => {
    const { owner } = await ledger();
    const bare = (handle: string): JsonObject => {
      const body = signed({ handle }, owner.key);
      return { ...body, meta: { proofs: [bareProof(body.hash, owner.key)] } };
    };
    const body = bare('w');
    const first = ok(await owner.call('POST', '/wallets', body)).body;
    expect((await owner.drop('/wallets/w', first)).status).toBe(204);
    expect(bare('w')).toEqual(body);
    expectReused(await owner.call('POST', '/wallets', bare('w')), owner);
    expect((await owner.create('/wallets', { handle: 'w' })).status).toBe(201);
  });

  it('of another key over the same data and custom data it is another proof', async () => {
    const { owner, attacker } = await ledger();
    const moment = new Date().toISOString();
    const [hers, his] = [owner, attacker].map(({ key }) => signed({ handle: 'same' }, key, { moment }));
    expect(hers!.meta.proofs[0]!.digest).toBe(his!.meta.proofs[0]!.digest);
    ok(await owner.call('POST', '/wallets', hers));
    expect((await attacker.call('POST', '/circles', his)).status).toBe(201);
    expectReused(await attacker.call('POST', '/domains', hers), attacker);
  });

  it('the create of credentials, whose proofs the ledger does not keep, counts once as well', async () => {
    const { owner, attacker } = await ledger();
    await stored(owner, 'signer', { handle: 'shop', public: newKey().public, format: 'ed25519-raw' });
    const body = signed({ handle: 'f', signer: 'shop', schema: 'oauth-client-credentials' }, owner.key);
    const first = ok(await owner.call('POST', '/signers/shop/factors', body)).body;
    expect((await owner.drop('/signers/shop/factors/f', first)).status).toBe(204);
    expectReused(await attacker.call('POST', '/signers/shop/factors', body), attacker);
  });

  it('the create of a ledger says nothing in it', async () => {
    const client = new TestClient(servers.current[0].url);
    const handle = `l-${Date.now()}-${process.pid}`;
    const data = { handle, signer: 'system', access: [{ action: 'any', record: 'any' }] };
    const made: RecordEnvelope = ok(await client.call('POST', '/ledgers', signed(data, client.key))).body;
    // With null as config the ledger was served by; the same proof is on its record, so that it may come again.
    const inside = new TestClient(client.url, client.key, handle);
    const [proof] = proofsOf(made, client.key);
    const again = await inside.call('POST', '/ledger/proofs', proof);
    expect([again.status, again.body.meta.proofs]).toEqual([200, made.meta.proofs]);
  });

  it('sent again for the same record it is answered as before', async () => {
    const { owner, there } = await ledger();
    const create = signed({ handle: 'w' }, owner.key);
    const first: RecordEnvelope = ok(await owner.call('POST', '/wallets', create)).body;
    expect((await there.call('POST', '/wallets', create)).status).toBe(200);
    const proof = proofOver(first.hash, owner.key, { status: 'active' });
    const proved = ok(await owner.call('POST', '/wallets/w/proofs', proof));
    expect((await there.call('POST', '/wallets/w/proofs', proof)).text).toBe(proved.text);
    // The first proof of a record is over its hash as well.
    expect((await there.call('POST', '/wallets/w/proofs', create.meta.proofs[0])).text).toBe(proved.text);
  });

  it('counts in each ledger by itself, which is why clients sign for which one it is', async () => {
    const { owner } = await ledger();
    const other = await newLedger(servers.current[1].url, { key: owner.key });
    const body = signed({ handle: 'w' }, owner.key);
    const first = ok(await owner.call('POST', '/wallets', body)).body;
    const second = ok(await other.call('POST', '/wallets', body)).body;
    const drop = dropOf(first, owner.key);
    expect((await owner.call('DELETE', '/wallets/w', drop)).status).toBe(204);
    expect((await other.call('DELETE', '/wallets/w', { ...drop, luid: second.luid })).status).toBe(204);
    const named = signed({ handle: 'v' }, owner.key, { ledger: owner.ledger!, record: 'wallet' });
    ok(await owner.call('POST', '/wallets', named));
    expect((await other.call('POST', '/wallets', named)).status).toBe(422);
  });
});

/** A proof that says nothing. */
function bareProof(hash: string, key: TestKey): JsonObject {
  return signProof({ hash, ...key }, native) as unknown as JsonObject;
}

describe('of requests at the same time with one proof', () => {
  const KINDS = ['/wallets', '/circles', '/domains'];

  it('one is done, whichever processes they reach', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { owner, there } = await ledger();
      const body = signed({ handle: `w-${round}` }, owner.key);
      const clients = KINDS.flatMap((path) => [owner, there].map((client) => ({ client, path })));
      const answers = await Promise.all(clients.map(({ client, path }) => client.call('POST', path, body)));
      const statuses = answers.map(({ status }, index) => ({ status, path: clients[index]!.path }));
      const done = statuses.filter(({ status }) => status === 201);
      expect(done, JSON.stringify(statuses)).toHaveLength(1);
      for (const { status, path } of statuses) {
        expect(path === done[0]!.path ? [200, 201] : [422], JSON.stringify(statuses)).toContain(status);
      }
    }
  });

  it('one is done among many others, which all are', async () => {
    const { owner, there } = await ledger();
    const bodies = Array.from({ length: 12 }, (_, index) => signed({ handle: `h-${index}` }, owner.key));
    const requests = bodies.flatMap((body, index) => [
      ...KINDS.map((path, kind) => ({ client: (index + kind) % 2 === 0 ? owner : there, path, body, shared: index })),
      { client: owner, path: '/wallets', body: signed({ handle: `good-${index}` }, owner.key), shared: -1 },
    ]);
    const answers = await Promise.all(requests.map(({ client, path, body }) => client.call('POST', path, body)));
    for (let shared = -1; shared < bodies.length; shared += 1) {
      const statuses = answers.filter((_, index) => requests[index]!.shared === shared).map(({ status }) => status);
      const expected = shared < 0 ? bodies.map(() => 201) : [201, 422, 422];
      expect(statuses.toSorted(), `${shared}`).toEqual(expected);
    }
  });

  it('a proof over two records with the same data is used for one of them', async () => {
    const { owner, there } = await ledger();
    for (let round = 0; round < 6; round += 1) {
      const data = { handle: `w-${round}` };
      const wallet = await stored(owner, 'wallet', data);
      await stored(owner, 'circle', data);
      const proof = proofOver(wallet.hash, owner.key, { status: 'active' });
      const answers = await Promise.all([
        owner.call('POST', `/wallets/w-${round}/proofs`, proof),
        there.call('POST', `/circles/w-${round}/proofs`, proof),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    }
  });
});

it(`a create brings ${recordLimits.proofs - 1} proofs at most, each used up`, async () => {
  const { owner, attacker } = await ledger();
  const body = signed({ handle: 'many' }, owner.key);
  const proofs = Array.from({ length: recordLimits.proofs - 1 }, (_, number) =>
    proofOver(body.hash, owner.key, { number }),
  );
  ok(await owner.call('POST', '/wallets', { ...body, meta: { proofs } }));
  for (const proof of [proofs[0], proofs.at(-1)]) {
    expectReused(await attacker.call('POST', '/circles', { ...body, meta: { proofs: [proof] } }), attacker);
  }
});
