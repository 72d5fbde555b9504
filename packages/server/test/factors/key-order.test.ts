import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ask, basic, grant, oauthLedger } from '../oauth/scene.js';
import { newKey, newLedger, OPEN, proofOver, signed, TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';

const servers = withTwoServers();

/** A ledger where the key is at home, through both processes; `owner` signs what does not prove anything. */
interface Scene {
  readonly owner: TestClient;
  readonly there: TestClient;
  readonly key: TestKey;
}

async function scene(): Promise<Scene> {
  const owner = await newLedger(servers.current[0].url);
  const there = new TestClient(servers.current[1].url, owner.key, owner.ledger);
  return { owner, there, key: newKey() };
}

let made = 0;

/** The name the ledger writes on a proof by the key, which both processes agree on. */
async function named({ owner, there }: Scene, key: TestKey): Promise<string | undefined> {
  const names = await Promise.all(
    [owner, there].map(async (client) => {
      made += 1;
      const { meta } = ok(await client.as(key).create('/wallets', { handle: `w-${made}` })).body;
      return meta.proofs[0].signer;
    }),
  );
  expect(names[1]).toBe(names[0]);
  return names[0];
}

/** What a step of a case does to the records that have the key, or could. */
type Step = (scene: Scene) => Promise<unknown>;

const signerData = (handle: string, key: TestKey): JsonObject => ({
  handle,
  public: key.public,
  format: 'ed25519-raw',
});
const factorData = (signer: string, key: TestKey): JsonObject => ({
  handle: `f-${signer}`,
  signer,
  schema: 'key-pair',
  format: 'ed25519-raw',
  public: key.public,
});

async function create({ there }: Scene, path: string, data: JsonObject, by?: TestKey): Promise<RecordEnvelope> {
  const body = signed(data, there.key);
  if (by) body.meta.proofs.push(proofOver(body.hash, by));
  return ok(await there.call('POST', path, body)).body;
}

const registered =
  (handle: string): Step =>
  (at) =>
    create(at, '/signers', signerData(handle, at.key));
const proved =
  (handle: string): Step =>
  (at) =>
    create(at, '/signers', signerData(handle, at.key), at.key);
/** A signer with a key of its own. */
const other =
  (handle: string): Step =>
  (at) =>
    create(at, '/signers', signerData(handle, newKey()));
const factored =
  (signer: string): Step =>
  (at) =>
    create(at, `/signers/${signer}/factors`, factorData(signer, at.key));
const provedFactor =
  (signer: string): Step =>
  (at) =>
    create(at, `/signers/${signer}/factors`, factorData(signer, at.key), at.key);
/** A factor with another key. */
const otherFactor =
  (signer: string): Step =>
  (at) =>
    create(at, `/signers/${signer}/factors`, factorData(signer, newKey()));

/** The record at the path takes the key, or another. */
const takes =
  (path: string, which: 'it' | 'another' = 'it', proves = false): Step =>
  async (at) => {
    const { body: record } = ok(await at.there.get(path));
    const { parent: _, secret: __, ...data } = record.data;
    const key = which === 'it' ? at.key.public : newKey().public;
    const body = signed({ ...data, public: key, parent: record.hash }, at.there.key, {});
    if (proves) body.meta.proofs.push(proofOver(body.hash, at.key));
    return ok(await at.there.call('PUT', path, body));
  };
/** The record at the path changes, and keeps its key. */
const changes =
  (path: string): Step =>
  async ({ there }) => {
    const { body: record } = ok(await there.get(path));
    const { parent: _, secret: __, ...data } = record.data;
    return ok(await there.update(path, record, { ...data, custom: { changed: true } }));
  };
const proves =
  (path: string): Step =>
  async ({ there, key }) =>
    ok(await there.as(key).prove(path, (await there.get(path)).body, { note: 'mine' }));
const set =
  (path: string, status: string): Step =>
  async ({ there }) =>
    ok(await there.prove(path, (await there.get(path)).body, { status }));
const drops =
  (path: string): Step =>
  async ({ there }) =>
    ok(await there.drop(path, (await there.get(path)).body));

const FACTOR = '/signers/eve/factors/f-eve';

const NOBODY = undefined;

/** The cases of docs/interface/proofs.md, in its order. Before each step the key is seen by both processes. */
const CASES: [string, Step[], (string | undefined)[]][] = [
  ['registered by an owner, then by another', [registered('ada'), registered('eve')], ['ada', 'ada']],
  [
    'registered, then taken by an older signer',
    [other('eve'), registered('ada'), takes('/signers/eve')],
    [NOBODY, 'ada', 'ada'],
  ],
  ['taken before it was registered and proved', [registered('eve'), proved('ada')], ['eve', 'ada']],
  ['proved later on the record', [registered('eve'), registered('ada'), proves('/signers/ada')], ['eve', 'eve', 'ada']],
  ['proved by an update', [registered('eve'), other('ada'), takes('/signers/ada', 'it', true)], ['eve', 'eve', 'ada']],
  ['proved by two who share it', [proved('ada'), proved('eve')], ['ada', 'ada']],
  ['a factor first', [other('eve'), factored('eve'), registered('ada')], [NOBODY, 'eve', 'eve']],
  ['a factor first, and proved by a signer', [other('eve'), factored('eve'), proved('ada')], [NOBODY, 'eve', 'ada']],
  ['a proved factor before a signer', [registered('eve'), other('ada'), provedFactor('ada')], ['eve', 'eve', 'ada']],
  ['a factor after a signer', [registered('ada'), other('eve'), factored('eve')], ['ada', 'ada', 'ada']],
  [
    'taken by an older factor',
    [other('eve'), otherFactor('eve'), registered('ada'), takes(FACTOR)],
    [NOBODY, NOBODY, 'ada', 'ada'],
  ],
  [
    'proved, and changed by an owner',
    [proved('ada'), registered('eve'), changes('/signers/ada')],
    ['ada', 'ada', 'ada'],
  ],
  [
    'given up and taken again, which is to be proved again',
    [proved('ada'), registered('eve'), takes('/signers/ada', 'another'), takes('/signers/ada'), proves('/signers/ada')],
    ['ada', 'ada', 'eve', 'eve', 'ada'],
  ],
  [
    'dropped with its factor',
    [other('ada'), factored('ada'), registered('eve'), drops('/signers/ada/factors/f-ada')],
    [NOBODY, 'ada', 'ada', 'eve'],
  ],
];

describe('of several signers and factors with one key', () => {
  it.each(CASES)('%s', async (_, steps, expected) => {
    const at = await scene();
    expect(await named(at, at.key)).toBeUndefined();
    for (const [index, step] of steps.entries()) {
      await step(at);
      expect(await named(at, at.key), `after step ${index + 1}`).toBe(expected[index]);
    }
  });

  it.each([
    ['signer', [proved('ada'), registered('eve')], '/signers/ada', 'ada'],
    ['factor', [other('ada'), provedFactor('ada'), registered('eve')], '/signers/ada/factors/f-ada', undefined],
  ] as const)('a %s that is out of use has the key still, and it stands for nobody', async (_, steps, path, noted) => {
    const at = await scene();
    for (const step of steps) await step(at);
    const values = [{ quorum: [{ handle: 'eve' }] }];
    await stored(at.owner, 'policy', { handle: 'p', schema: 'status', record: 'symbol', values });
    await set(path, 'blocked')(at);
    expect(await named(at, at.key)).toBe(noted);
    // Neither by what it signs, nor by its token, nor in a quorum.
    const symbol = await stored(at.owner, 'symbol', { handle: 's', factor: 1 });
    const status = await at.there.as(at.key).prove('/symbols/s', symbol, { status: 'active' });
    expect(status.body.meta.status).toBe('created');
    const unsigned = { data: { handle: 'left' }, meta: { proofs: [{ custom: {} }] } };
    const left = await at.there.call('POST', '/wallets', unsigned, bearer(at.key));
    expect(left.body.data.reason).toBe('crypto.signature-missing');
    await set(path, 'active')(at);
    expect(await named(at, at.key)).toBe('ada');
  });

  it('it decides on rights, quorums and tokens as on names', async () => {
    const key = newKey();
    const founder = newKey();
    const rules = [
      { action: 'any', record: 'any', signer: { public: founder.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: founder.public } } },
      { action: 'access' },
      { action: 'any', record: 'wallet', signer: { handle: 'ada' } },
      { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'ada' } } },
      { action: 'create', record: 'symbol', signer: { handle: 'eve' } },
    ];
    const owner = await newLedger(servers.current[0].url, { key: founder, access: rules });
    const there = new TestClient(servers.current[1].url, founder, owner.ledger);
    const at = { owner, there, key };
    const values = [{ quorum: [{ handle: 'ada' }] }];
    await stored(owner, 'policy', { handle: 'p', schema: 'status', record: 'wallet', values });
    await registered('eve')(at);
    expect((await there.as(key).create('/symbols', { handle: 's', factor: 1 })).status).toBe(201);
    expect((await owner.as(key).create('/wallets', { handle: 'w' })).status).toBe(403);
    await proved('ada')(at);
    const wallet = ok(await owner.as(key).create('/wallets', { handle: 'w' })).body;
    expect((await owner.as(key).create('/symbols', { handle: 't', factor: 1 })).status).toBe(403);
    expect((await owner.get('/wallets/w', bearer(key))).status).toBe(200);
    const active = ok(await owner.as(key).prove('/wallets/w', wallet, { status: 'active' })).body;
    expect(active.meta.status).toBe('active');
    const unsigned = { data: { handle: 'v' }, meta: { proofs: [{ custom: {} }] } };
    const left = ok(await owner.call('POST', '/wallets', unsigned, bearer(key))).body;
    expect(left.meta.proofs[0].signer).toBe('ada');
  });

  it('a record that takes the key while another does is seen by processes that remember the other', async () => {
    const at = await scene();
    const { owner, there, key } = at;
    const database = new pg.Client({ connectionString: servers.databaseUrl });
    await database.connect();
    try {
      // The create of ada has begun, and waits for somebody who is about to take its handle.
      await database.query('begin');
      await database.query(
        `insert into record (ledger_id, kind, handle, luid, change, hash, moment, document)
         select id, 'signer', 'ada', '$snr.waits', 1, '', now(), '{}' from ledger where handle = $1`,
        [owner.ledger],
      );
      const proving = proved('ada')(at);
      await waitsForLock(database);
      const body = signed(signerData('eve', key), owner.key);
      ok(await owner.call('POST', '/signers', body));
      made += 1;
      const seen = ok(await owner.as(key).create('/wallets', { handle: `w-${made}` })).body;
      expect(seen.meta.proofs[0].signer).toBe('eve');
      await database.query('rollback');
      await proving;
      expect(await named(at, key)).toBe('ada');
    } finally {
      await database.end();
    }
    expect(there.ledger).toBe(owner.ledger);
  });
});

async function waitsForLock(database: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('of several factors with one client id', () => {
  it('the one that took it first counts, whichever record is older', async () => {
    const { client, credentials } = await oauthLedger(servers.current[0].url, OPEN as JsonObject[]);
    const { body: ledger } = await client.get('/ledger');
    const { parent: _, ...data } = ledger.data;
    const config = { 'signer.factor.oauth.allowClientCredentials': true };
    ok(await client.update('/ledger', ledger, { ...data, config }));
    await stored(client, 'signer', { handle: 'eve', public: newKey().public, format: 'ed25519-raw' });
    const squatter = (clientId: string) => ({
      handle: 'eve-oauth',
      signer: 'eve',
      schema: 'oauth-client-credentials',
      clientId,
      clientSecret: '{{ secret.clientSecret }}',
    });
    const body = (clientId: string, parent?: string) => {
      const made = signed({ ...squatter(clientId), ...(parent ? { parent } : {}) }, client.key);
      return { ...made, meta: { ...made.meta, secret: { clientSecret: 'known-to-eve' } } };
    };
    // Another factor of the client is younger than the one that takes its id.
    const older = ok(await client.call('POST', '/signers/eve/factors', body('eve-id'))).body;
    const own = signed({ handle: 'app-2', signer: 'app', schema: 'oauth-client-credentials' }, client.key);
    const second = ok(await client.call('POST', '/signers/app/factors?include=meta.secret', own)).body;
    const { clientId } = second.data;
    ok(await client.call('PUT', '/signers/eve/factors/eve-oauth', body(clientId, older.hash)));
    const secret = second.meta.secret.clientSecret;
    expect((await ask(client, grant({ id: clientId, secret }))).status).toBe(200);
    const squatted = basic(clientId, 'known-to-eve');
    expect((await ask(client, { grant_type: 'client_credentials' }, squatted)).status).toBe(401);
    expect((await ask(client, grant(credentials))).status).toBe(200);
  });
});
