import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hash as hashOf, type JsonObject, type RecordEnvelope, readJson } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import { newLedger, proofOver, signed, type TestAnswer, type TestClient, updateOf } from '../support/client.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { TEST_MASTER_KEY } from '../support/server.js';

const MISREADING = fileURLToPath(new URL('../support/misreading.cjs', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));

/** Customs of an attacker, each with one that begins alike and is misread after it: in objects of two members, and of three. */
const CUSTOMS: readonly (readonly [attacker: JsonObject, victim: JsonObject])[] = [
  [
    { a: 0, '\\': 1 },
    { a: 0, '\n': 1 },
  ],
  [
    { b: 0, '\\': 1, z: 2 },
    { b: 0, '\n': 1, z: 2 },
  ],
  [
    { c: 0, '\\u0': 1 },
    { c: 0, été: 1 },
  ],
];
const VICTIMS = CUSTOMS.map(([, victim]) => victim);

/** With each é as an escape. */
const spell = (value: unknown) => JSON.stringify(value).replaceAll('é', '\\u00e9');

/** Every process takes part: each connection may reach another one. */
const ONCE = { connection: 'close' };

const bridge = withBridge();
let folder: string;
let database: TestDatabase;
let service: Service;
/** Under an engine that misreads, whichever the tests run under. */
let misread: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-misread-')));
  database = await createDatabase();
  misread = { ...process.env, NODE_OPTIONS: `-r ${MISREADING}`, DATABASE_URL: database.url };
  const settings = { MASTER_KEY: TEST_MASTER_KEY.toString('base64'), DELIVERY_ALLOW_PRIVATE: 'true' };
  misread = { ...misread, MASTER_KEY: settings.MASTER_KEY };
  const { NODE_OPTIONS, DATABASE_URL } = misread;
  service = await startService(join(folder, 'data'), 2, { ...settings, NODE_OPTIONS, DATABASE_URL });
  const attacker = await newLedger(service.url);
  for (const [round, [custom]] of Array(16).fill(CUSTOMS).flat().entries())
    ok(await attacker.call('POST', '/wallets', signed({ handle: `w${round}`, custom }, attacker.key), ONCE));
});

afterAll(async () => {
  await service?.stop();
  await leaveNothingBehind(join(folder, 'data'));
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function expectWhole({ data, hash }: RecordEnvelope, custom: unknown): void {
  expect(data.custom).toStrictEqual(custom);
  expect(hashOf(data, native)).toBe(hash);
}

const send = (client: TestClient, method: string, path: string, body: object): Promise<TestAnswer> =>
  client.call(method, path, spell(body), { ...ONCE, 'content-type': 'application/json' });

describe.skipIf(process.platform === 'win32')('a name that another tenant would have misread', () => {
  it.each(VICTIMS)('is taken, kept and served as it was sent: %j', async (custom) => {
    const client = await newLedger(service.url);
    const made = ok(await send(client, 'POST', '/wallets', signed({ handle: 'w', custom }, client.key))).body;
    expectWhole(made, custom);
    const changed = updateOf(made, { handle: 'w', custom: { ...custom, more: [custom] } }, client.key);
    expectWhole(ok(await send(client, 'PUT', '/wallets/w', changed)).body, changed.data.custom);
    for (const path of ['/wallets/w', '/wallets/w', '/wallets/w'])
      expectWhole(ok(await client.get(path, ONCE)).body, changed.data.custom);
    const list = ok(await client.get('/wallets?data.handle=w', ONCE)).body.data as RecordEnvelope[];
    expectWhole(list[0]!, changed.data.custom);
    const history = ok(await client.get('/wallets/w/changes', ONCE)).body.data as RecordEnvelope[];
    for (const version of history) expectWhole(version, version.hash === made.hash ? custom : changed.data.custom);
    expect(history).toHaveLength(2);
  });

  it('may be the pattern of a schema', async () => {
    const schemaOf = (pattern: string) => ({
      properties: { custom: { patternProperties: { [pattern]: { type: 'integer' } }, additionalProperties: false } },
    });
    const attacker = await newLedger(service.url);
    const define = (client: TestClient, handle: string, pattern: string) =>
      stored(client, 'schema', { handle, record: 'wallet', format: 'json-schema', schema: schemaOf(pattern) });
    // The text of the pattern begins with these characters.
    for (let round = 0; round < 8; round++) await define(attacker, `s${round}`, '^\\\\d+');
    const client = await newLedger(service.url);
    await define(client, 'numbered', '^\\d+$');
    const create = (custom: JsonObject) => client.create('/wallets', { handle: 'w', schema: 'numbered', custom });
    expect((await create({ '\\': 1 })).status).toBe(422);
    expect((await create({ 12: 'x' })).status).toBe(422);
    ok(await create({ 12: 1 }));
  });

  it('may be in the claims of a token', async () => {
    const client = await newLedger(service.url);
    const tokenWith = (key: string) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = `{"iss":"test",${key}:${now + 300},"iat":${now},"sub":"signer:test","aud":"test"}`;
      const header = JSON.stringify({ alg: 'EdDSA', kid: client.key.public });
      const text = [header, claims].map((part) => Buffer.from(part).toString('base64url')).join('.');
      return `${text}.${Buffer.from(native.sign(Buffer.from(text), client.key.secret)).toString('base64url')}`;
    };
    const ask = (key: string) => client.get('/wallets', { ...ONCE, authorization: `Bearer ${tokenWith(key)}` });
    for (let round = 0; round < 8; round++) expect((await ask('"\\\\u0"')).status).toBe(401);
    for (let round = 0; round < 4; round++) expect((await ask('"\\u0065xp"')).status).toBe(200);
  });

  it.each(VICTIMS)('may be in what a bridge answers: %j', async (custom) => {
    const client = await forwardingLedger(service.url, bridge.url, [
      aspect('create', 'proxy'),
      aspect('read', 'proxy'),
    ]);
    const [attacker] = CUSTOMS.find(([, victim]) => victim === custom)!;
    for (const custom of Array(4).fill(attacker)) {
      bridge.instead = (sent) => ({ status: 201, body: bridge.sealed(sent.body) as unknown as JsonObject });
      ok(await client.create('/anchors', anchor('attacker', { custom })));
    }
    bridge.instead =
      ({ body }) =>
      (response) => {
        response.writeHead(201, { 'content-type': 'application/json' }).end(spell(bridge.sealed(body)));
      };
    expectWhole(ok(await send(client, 'POST', '/anchors', signed(anchor('a', { custom }), client.key))).body, custom);
    const kept = bridge.keep(anchor('b', { custom }));
    bridge.instead = () => (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(spell(kept));
    };
    expectWhole(ok(await client.get('/anchors/b', ONCE)).body, custom);
  });

  it('may be in intents that go from process to process, and to the thread that signs', async () => {
    const scene = await MoneyScene.make(service.url);
    const { client } = scene;
    await scene.issue('alice', 1_000);
    const claims = [transfer('alice', 'bob', 1), issue('bob', 1)];
    const sent = Array.from({ length: 48 }, (_, at) => ({
      handle: `t${at}`,
      claims,
      custom: VICTIMS[at % VICTIMS.length]!,
    }));
    const answers = await Promise.all(
      sent.map((data) => send(client, 'POST', '/intents', signed(data, client.key, VICTIMS[0]))),
    );
    for (const [at, answer] of answers.entries()) expectWhole(ok(answer).body, sent[at]!.custom);
    for (const { handle, custom } of sent) {
      const intent = await scene.ends(handle, 'completed');
      expectWhole(intent, custom);
      expect(intent.meta.proofs[0].custom).toMatchObject(VICTIMS[0]!);
      // A proof of whoever may sign it as well.
      ok(await send(client, 'POST', `/intents/${handle}/proofs`, proofOver(intent.hash, client.key, custom)));
    }
  });

  it('is exported, and verified by the command', async () => {
    const client = await newLedger(service.url);
    for (const [at, custom] of CUSTOMS.flat().entries())
      ok(await send(client, 'POST', '/wallets', signed({ handle: `w${at}`, custom }, client.key)));
    const command = (...args: string[]) =>
      promisify(execFile)(process.execPath, [COMMAND, ...args], { env: { ...misread, COUNTERSIGN_HOME: folder } });
    const file = join(folder, 'ledger.ndjson');
    await command('export', client.ledger!, '--file', file);
    const { stdout } = await command('verify', file, '--json');
    expect(readJson(stdout)).toMatchObject({ ok: true, findings: [] });
  });
});
