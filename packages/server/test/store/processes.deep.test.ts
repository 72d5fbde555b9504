import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, OPEN, signed, TestClient, type TestKey } from '../support/client.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { atOnce, expectIntact, tally } from './intact.js';

const ROUNDS = 15;

describe('two servers on one database', () => {
  let database: TestDatabase;
  let one: RunningServer;
  let other: RunningServer;

  beforeAll(async () => {
    database = await createDatabase();
    // At the same time, on an empty database.
    [one, other] = await Promise.all([startServer({ database }), startServer({ database })]);
  });

  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  /** A new ledger, seen through either server, which both hold in memory already. */
  async function ledger(options: { key?: TestKey; access?: Json[] } = {}): Promise<[TestClient, TestClient]> {
    const here = await newLedger(one.url, options);
    const there = new TestClient(other.url, here.key, here.ledger);
    await Promise.all([here.get('/ledger'), there.get('/ledger')]);
    return [here, there];
  }

  /** Signs what is sent through one server with the key of a signer, for requests through the other. */
  const at = (client: TestClient, key: TestKey) => new TestClient(client.url, key, client.ledger);

  async function setAccess(founder: TestClient, access: Json[]): Promise<void> {
    const record: RecordEnvelope = (await founder.get('/ledger')).body;
    ok(await founder.update('/ledger', record, { handle: founder.ledger!, signer: 'system', access }));
  }

  const signerOf = (key: TestKey, handle: string): JsonObject => ({
    handle,
    public: key.public,
    format: 'ed25519-raw',
  });

  it('judge by the rules that either has acknowledged, reads and writes alike', async () => {
    const key = newKey();
    const own = { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } };
    const mine = { action: 'any', record: 'any', signer: { public: key.public } };
    const [here, there] = await ledger({ key, access: OPEN });
    const wallet = await stored(here, 'wallet', { handle: 'w' });
    const dropped = await stored(here, 'wallet', { handle: 'gone' });
    ok(await here.drop('/wallets/gone', dropped));
    const paths = ['/wallets/w', `/wallets/${wallet.luid}/changes`, `/wallets/${dropped.luid}/changes`];
    for (const path of [...paths]) paths.push(path.endsWith('changes') ? `${path}/1` : '/wallets');
    const stranger = at(there, newKey());
    for (let round = 0; round < ROUNDS; round += 1) {
      const [changing, asked] = round % 2 === 0 ? [here, stranger] : [at(there, key), at(here, stranger.key)];
      await setAccess(changing, [own, mine]);
      const refused = await Promise.all([
        asked.create('/wallets', { handle: `never-${round}` }),
        asked.prove('/wallets/w', wallet, { round }),
        ...paths.map((path) => asked.get(path, bearer(asked.key))),
      ]);
      expect(tally(refused), `round ${round}`).toEqual({ '403 auth.forbidden': refused.length });
      await setAccess(changing, [own, ...OPEN]);
      const granted = await Promise.all([
        asked.create('/wallets', { handle: `w-${round}` }),
        asked.prove('/wallets/w', wallet, { round }),
        ...paths.map((path) => asked.get(path, bearer(asked.key))),
      ]);
      expect(tally(granted), `round ${round}`).toEqual({ 200: granted.length - 1, 201: 1 });
    }
    const made = ok(await here.get('/wallets?data.handle.$regex=never&page.limit=1000')).body.data;
    expect(made).toEqual([]);
  });

  it('show the history of a dropped record by the rules of now, also to who has no token', async () => {
    const [here, there] = await ledger({ key: newKey(), access: OPEN });
    const mine = { action: 'any', record: 'any', signer: { public: here.key.public } };
    const { luid } = await stored(here, 'wallet', { handle: 'w' });
    ok(await here.drop('/wallets/w', (await here.get('/wallets/w')).body));
    for (const path of [`/wallets/${luid}/changes`, `/wallets/${luid}/changes/2`]) {
      expect((await there.get(path)).status).toBe(200);
      await setAccess(here, [mine, { action: 'read' }]);
      expect((await there.get(path)).status).toBe(401);
      await setAccess(here, OPEN);
      expect((await there.get(path)).status).toBe(200);
    }
  });

  it('show the signer in every write begun after its registration', async () => {
    const [here, there] = await ledger();
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = newKey();
      const users = [at(here, key), at(there, key)];
      // Both servers have seen the key as a stranger's, and go on seeing writes by it.
      let registered = false;
      const late: (string | undefined)[] = [];
      const writing = users.map(async (user, server) => {
        for (let write = 0; write < 8; write += 1) {
          const after = registered;
          const answer = ok(await user.create('/wallets', { handle: `w-${round}-${server}-${write}` }));
          if (after) late.push(answer.body.meta.proofs[0].signer);
        }
      });
      ok(await (round % 2 === 0 ? here : there).create('/signers', signerOf(key, `s-${round}`)));
      registered = true;
      const first = await Promise.all(
        users.map((user, server) => user.create('/wallets', { handle: `first-${round}-${server}` })),
      );
      for (const { body } of first) expect(body.meta.proofs[0].signer).toBe(`s-${round}`);
      await Promise.all(writing);
      expect(new Set(late)).toEqual(new Set(late.length > 0 ? [`s-${round}`] : []));
    }
  });

  it('let in a signer, by handle, from its registration on', async () => {
    const key = newKey();
    const rule = (handle: string) => ({ action: 'any', record: 'any', signer: { handle } });
    const founders = { action: 'any', record: 'any', signer: { public: key.public } };
    const names = Array.from({ length: 6 }, (_, index) => `s-${index}`);
    const open = { action: 'read', record: 'any' };
    const access = [founders, open, ...names.map(rule), { action: 'access' }];
    const [here, there] = await ledger({ key, access });
    const wallet = await stored(here, 'wallet', { handle: 'w' });
    for (const [index, handle] of names.entries()) {
      const newcomer = at(there, newKey());
      const asking = () =>
        newcomer.call('POST', '/wallets/w/access/!check', signed({ action: 'create' }, newcomer.key, {}));
      const knocking = () =>
        Promise.all([
          newcomer.create('/wallets', { handle: `of-${handle}` }),
          newcomer.prove('/wallets/w', wallet, { handle }),
        ]);
      expect(tally(await knocking())).toEqual({ '403 auth.forbidden': 2 });
      expect((await asking()).body.data).toEqual([]);
      ok(await here.create('/signers', signerOf(newcomer.key, handle)));
      // Whichever comes first is the one that has to find out.
      if (index % 2 === 0) expect((await asking()).body.data).toHaveLength(1);
      expect(tally(await knocking())).toEqual({ 200: 1, 201: 1 });
      expect((await asking()).body.data).toHaveLength(1);
    }
  });

  it('enforce a schema as either has acknowledged it', async () => {
    const [here, there] = await ledger();
    const content = (round: number) => ({ type: 'object', properties: { custom: { required: [`r${round}`] } } });
    const schema = (round: number) => ({
      handle: 'tier',
      record: 'wallet',
      format: 'json-schema',
      schema: content(round),
    });
    let record = await stored(here, 'schema', schema(0));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [changing, asked] = round % 2 === 0 ? [here, there] : [there, here];
      record = ok(await changing.update('/schemas/tier', record, schema(round))).body;
      const wallet = (custom: JsonObject) => ({ handle: `w-${round}`, schema: 'tier', custom });
      const refused = await asked.create('/wallets', wallet({ [`r${round - 1}`]: 1 }));
      expect(refused.body.data.reason).toBe('record.schema-invalid');
      expect((await asked.create('/wallets', wallet({ [`r${round}`]: 1 }))).status).toBe(201);
    }
  });

  it('judge by what a schema says, also where another ledger has just changed the same schema', async () => {
    const strict = { type: 'object', required: ['custom'], properties: { custom: { required: ['tier'] } } };
    const data = { handle: 'tier', record: 'wallet', format: 'json-schema' };
    const [here, there] = await ledger();
    const [neighbourHere, neighbour] = await ledger();
    const record = await stored(here, 'schema', { ...data, schema: strict });
    await stored(neighbourHere, 'schema', { ...data, schema: strict });
    // The other server holds the ledger as of the strict schema, which it has not compiled; then the schema is opened.
    ok(await there.create('/symbols', { handle: 's', factor: 1 }));
    ok(await here.update('/schemas/tier', record, { ...data, schema: {} }));
    expect((await there.create('/wallets', { handle: 'w', schema: 'tier' })).status).toBe(201);
    const refused = await neighbour.create('/wallets', { handle: 'w', schema: 'tier' });
    expect(refused.body.data.reason).toBe('record.schema-invalid');
  });

  it('share one record: no update is lost, whichever way it comes', async () => {
    const [here, there] = await ledger();
    for (let round = 0; round < 8; round += 1) {
      const handle = `w-${round}`;
      const creates = await atOnce(20, (index) =>
        (index % 2 === 0 ? here : there).create('/wallets', { handle, custom: { index } }),
      );
      expect(tally(creates)).toEqual({ 201: 1, '409 record.duplicated': 19 });
      const record: RecordEnvelope = creates.find(({ status }) => status === 201)!.body;
      const path = `/wallets/${handle}`;
      const writes = await atOnce(20, (index) => {
        const client = index % 2 === 0 ? here : there;
        if (index < 10) return client.prove(path, record, { index });
        return client.update(path, record, { handle, custom: { index: -index } });
      });
      const done = writes.filter(({ status }) => status === 200).length;
      expect(tally(writes.slice(10))).toEqual({ 200: 1, '422 crypto.parent-hash-invalid': 9 });
      expect(tally(writes)['422 crypto.signature-invalid'] ?? 0).toBe(11 - done);
      expect(await expectIntact(there, '/wallets', record.luid)).toHaveLength(1 + done);
    }
  });
});
