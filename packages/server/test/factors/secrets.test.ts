import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openServer, type Server } from '../../src/app.js';
import { createPool } from '../../src/store/pool.js';
import { ask, grant, type OauthLedger, oauthLedger, pkcs8, rsa, tokenOf } from '../oauth/scene.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { bearer } from '../support/token.js';

let database: TestDatabase;
let server: Server;
let scene: OauthLedger;
let log = '';

beforeAll(async () => {
  database = await createMigratedDatabase();
  const stream = new Writable({
    write(chunk, _, done) {
      log += String(chunk);
      done();
    },
  });
  server = await openServer({
    database: { connectionString: database.url },
    masterKey: TEST_MASTER_KEY,
    publicUrl: 'http://ledger.example/v2',
    name: 'test',
    build: '0.0.0',
    logger: pino({ level: 'trace' }, stream),
  });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as { port: number };
  scene = await oauthLedger(`http://127.0.0.1:${port}/v2`);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

/** Whatever shows one of these shows a secret: the client secret, the private key, and pieces of it. */
function secrets(): string[] {
  const lines = pkcs8(rsa.privateKey).split('\n');
  return [scene.credentials.secret, lines[1] ?? '', lines[5] ?? '', 'PRIVATE KEY', 'otp-seed-value'];
}

it('secrets are in no list, no change, no other read and no answer to a write', async () => {
  const { client, credentials } = scene;
  await stored(
    client,
    'signer-factor',
    { handle: 'o', signer: 'app', schema: 'otp', secret: '{{ secret.s }}' },
    { s: 'otp-seed-value' },
  );
  const updated = await client.update('/signers/app/factors/app-oauth', credentials.factor, {
    ...credentials.factor.data,
    custom: { note: 1 },
  });
  const proved = await client.prove('/signers/app/factors/app-oauth', updated.body, { status: 'active' });
  const paths = ['/signers/app/factors', '/signers/prov/factors', '/signers', '/policies', '/ledger'];
  const records = ['/signers/app/factors/app-oauth', '/signers/prov/factors/prov-rsa', '/signers/app/factors/o'];
  const all = [
    ...paths,
    ...records,
    ...records.map((path) => `${path}/changes`),
    ...records.map((path) => `${path}/changes/1`),
  ];
  const answers = await Promise.all(all.map((path) => client.get(path)));
  for (const answer of [updated, proved, ...answers]) {
    expect(answer.status, answer.text).toBe(200);
    for (const secret of secrets()) expect(answer.text).not.toContain(secret);
  }
});

it('secrets are in the database only sealed, and gone with their record', async () => {
  const pool = createPool({ connectionString: database.url }, () => {});
  try {
    const { rows: tables } = await pool.query("select tablename from pg_tables where schemaname = 'public'");
    expect(tables.map(({ tablename }) => tablename)).toEqual(expect.arrayContaining(['change', 'record', 'secret']));
    for (const { tablename } of tables) {
      const { rows } = await pool.query(`select t::text as text from "${tablename}" t`);
      for (const secret of secrets()) {
        const hex = Buffer.from(secret).toString('hex');
        expect(rows.some(({ text }) => text.includes(secret) || text.includes(hex))).toBe(false);
      }
    }
    const { client, credentials } = scene;
    const count = async () => {
      const { luid } = credentials.factor;
      return (await pool.query('select sealed from secret where luid = $1', [luid])).rowCount;
    };
    expect(await count()).toBe(1);
    const current = await client.get('/signers/app/factors/app-oauth');
    expect((await client.drop('/signers/app/factors/app-oauth', current.body)).status).toBe(204);
    expect(await count()).toBe(0);
  } finally {
    await pool.end();
  }
});

it('secrets and tokens are in no line of the log, whatever its level and whatever goes wrong', async () => {
  const { client, credentials } = await oauthLedger(scene.client.url);
  const token = await tokenOf(client, credentials);
  ok(await client.get('/signers/app', token));
  ok(await client.get('/signers/app/factors/app-oauth?include=meta.secret', bearer(client.key)));
  await ask(client, grant({ ...credentials, secret: 'wrong-secret-of-someone' }));
  // Without its key the provider fails, which is logged.
  const factor = (await client.get('/signers/prov/factors/prov-rsa')).body;
  ok(await client.drop('/signers/prov/factors/prov-rsa', factor));
  expect((await ask(client, grant(credentials))).status).toBe(500);
  expect(log).toContain('unexpected error');
  expect(log).toContain('has a private key to sign tokens with');
  const jwt = String(token.authorization).slice('Bearer '.length);
  for (const secret of [...secrets(), credentials.secret, 'wrong-secret-of-someone', jwt, jwt.split('.')[2] ?? '']) {
    expect(log.includes(secret)).toBe(false);
  }
});
