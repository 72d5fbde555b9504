import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { hash, type Json, type JsonObject, portable } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/config.js';
import { operatorLimits } from '../../../server/src/operators/operator-limits.js';
import { newKey, newLedger, type TestKey } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { whileLocked } from '../../../server/test/support/locked.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { TEST_MASTER_KEY, withTwoServers } from '../../../server/test/support/server.js';
import { bearer } from '../../../server/test/support/token.js';
import { Cli, withFolder } from '../support/cli.js';
import { listenForOperators, type OperatorsListener } from '../support/operators.js';

const servers = withTwoServers();
const folder = withFolder();
const bob = newKey();
const listeners: OperatorsListener[] = [];
const lines: JsonObject[] = [];
let there: Cli;
let here: Cli;

/** A listener of the deployment, as another process has one, and where it listens. */
async function serve(more: Readonly<Record<string, string>> = {}): Promise<{ url: string; at: string }> {
  const port = await freePort();
  const config = parseConfig({
    ADMIN_PORT: String(port),
    OPERATOR_KEYS: `alice=${(await here.done(['key', 'list', '--json'])).json[0].public},bob=${bob.public}`,
    DATABASE_URL: servers.databaseUrl,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    ...more,
  });
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const one = await listenForOperators({ config, databaseUrl: servers.databaseUrl, logger, now: Date.now });
  listeners.push(one);
  return { url: one.url, at: `http://127.0.0.1:${port}` };
}

beforeAll(async () => {
  here = new Cli(folder.path, {
    DATABASE_URL: servers.databaseUrl,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    COUNTERSIGN_PASSWORD: 'secret',
  });
  await here.done(['key', 'create', 'alice']);
  const { url } = await serve();
  there = new Cli(folder.path, {
    COUNTERSIGN_PASSWORD: 'secret',
    COUNTERSIGN_ADMIN_SERVER: url,
    COUNTERSIGN_ADMIN_KEY: 'alice',
  });
});
afterAll(() => Promise.all(listeners.map((one) => one.stop())));

describe('countersign admin from afar', () => {
  it('does what it does at the host, with the same answers and exit codes', async () => {
    const client = await newLedger(servers.current[0].url);
    await stored(client, 'wallet', { handle: 'w' });
    const ledger = client.ledger!;
    for (const args of [
      ['resume', 'none'],
      ['suspend', ledger, '--reason', ' '],
      ['quota', ledger, '--bytes', 'many'],
      ['quota', ledger, '--bytes', '1GiB', '--json'],
      ['quota', ledger, '--json'],
      ['ledger', ledger],
      ['ledger', 'none'],
      // Its name is no problem of the connection.
      ['ledger', 'ssl-corp'],
      ['ledgers', '--suspended', '--json'],
      ['intents', ledger],
      ['intents', ledger, '--retry', '--yes', '--json'],
      ['read-only', '--json'],
      ['invite', '--note', 'two\nlines'],
      ['invitations', '--revoke', '999'],
      ['invitations', '--json'],
      ['drain', '--status', '--json'],
      ['doctor', '--sample', '1000001'],
    ]) {
      const [first, other] = [await there.call(['admin', ...args]), await here.call(['admin', ...args])];
      const told = ({ code, out, err }: typeof first) => [code, moving(out), moving(err)];
      expect(told(first), args.join(' ')).toEqual(told(other));
    }
    for (const [args, told] of [
      [['doctor', '--sample', '1001'], 'From afar, sample is 1000 at most: ask for more at the host.'],
      [['intents', ledger, '--limit', '51'], 'From afar, limit is 50 at most: ask for more at the host.'],
    ] as const)
      expect(await there.call(['admin', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(told) });
    await there.done(['admin', 'suspend', ledger, '--reason', 'Floods the server.']);
    expect((await client.create('/wallets', { handle: 'x' })).status).toBe(403);
    await there.done(['admin', 'resume', ledger]);
    ok(await client.create('/wallets', { handle: 'x' }));
    const { id, code } = (await there.done(['admin', 'invite', '--note', 'Bank A', '--json'])).json;
    expect(code).toMatch(/^inv_/);
    expect((await here.done(['admin', 'invitations', '--json'])).json.invitations[0]).toMatchObject({
      id,
      note: 'Bank A',
    });
    expect(JSON.stringify(lines)).not.toContain(code);
    const doctor = await there.call(['admin', 'doctor', '--json']);
    expect(doctor.json.found.map(({ part }: { part: string }) => part)).toContain('sealed keys');
  });

  it('has each change in the log, with the key that asked for it, before it is done', async () => {
    const { ledger } = await newLedger(servers.current[0].url);
    await there.done(['admin', 'suspend', ledger!, '--reason', 'Audit.']);
    const { public: key } = (await here.done(['key', 'list', '--json'])).json[0];
    expect(lines.at(-1)).toMatchObject({
      level: 40,
      msg: 'an operator changes the deployment',
      ...{ operator: 'alice', key, operation: 'suspend', input: { ledger, level: 'writes', reason: 'Audit.' } },
    });
    await there.done(['admin', 'ledger', ledger!]);
    expect(lines.at(-1)).toMatchObject({ level: 30, operator: 'alice', operation: 'ledger' });
    expect((await there.call(['admin', 'resume', 'none'])).code).toBe(2);
    expect(lines.at(-1)).toMatchObject({
      level: 40,
      msg: 'what an operator asked for has failed, perhaps half-way',
      operation: 'resume',
    });
  });

  it.each([
    [{ COUNTERSIGN_ADMIN_KEY: '' }, 2, 'The key that signs is missing.'],
    [{ COUNTERSIGN_ADMIN_SERVER: '' }, 2, '--key is for a server elsewhere.'],
    [{ COUNTERSIGN_ADMIN_SERVER: 'ftp://a' }, 2, "'ftp://a' is not the address of a server."],
    [{ COUNTERSIGN_ADMIN_SERVER: 'http://127.0.0.1:1' }, 3, 'http://127.0.0.1:1/ does not answer: ECONNREFUSED.'],
    [{ COUNTERSIGN_ADMIN_KEY: 'nobody' }, 4, "There is no key 'nobody'."],
    [{ COUNTERSIGN_PASSWORD: 'wrong' }, 4, 'The password does not open the key alice.'],
  ])('says in one line what is wrong: %o', async (env, code, told) => {
    const { code: ended, out, err } = await there.with(env).call(['admin', 'ledgers']);
    expect([ended, out, err.split('\n')[0]]).toEqual([code, '', `✗ ${told}`]);
  });

  it('changes nothing elsewhere for a call that names a data folder', async () => {
    const { ledger } = await newLedger(servers.current[0].url);
    const suspend = ['admin', 'suspend', ledger!, '--reason', 'A try.'];
    const { code, err } = await there.call([...suspend, '--data', folder.path]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--data is for this machine, and the call is for http://'),
    ]);
    // The folder of a server in the environment is not on the command line.
    expect((await there.with({ DATA_DIR: folder.path }).call(suspend)).code).toBe(0);
  });

  it('is refused to a key that is no operator, and where the public port is called', async () => {
    await here.done(['key', 'create', 'eve']);
    const eve = await there.with({ COUNTERSIGN_ADMIN_KEY: 'eve' }).call(['admin', 'ledgers']);
    expect([eve.code, eve.err.split('\n')[0]]).toEqual([
      1,
      '✗ The request is not signed by a key of OPERATOR_KEYS for this server.',
    ]);
    const { origin } = new URL(servers.current[0].url);
    const wrong = await there.with({ COUNTERSIGN_ADMIN_SERVER: origin }).call(['admin', 'ledgers']);
    expect(wrong.code).toBe(3);
  });
});

const LEDGERS = { order: 'made', limit: 1, skip: 0 };

/** Without its numbers: what moves between two calls. */
function moving(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/** What a token of Bob's may be made of, and the request that it is sent with. */
interface Forged {
  readonly key?: TestKey;
  readonly claims?: JsonObject;
  /** What the token is bound to, where that is not what is sent. */
  readonly bound?: { readonly url?: string; readonly method?: string; readonly body?: Json };
}

describe('the listener of operators', () => {
  const path = '/operations/ledger';
  const input = { ledger: 'none' };
  const now = () => Math.floor(Date.now() / 1_000);
  let deployment: string;
  beforeAll(async () => {
    ({ deployment } = (await (await fetch(`${listeners[0]!.url}/`)).json()) as { deployment: string });
  });

  function tokenOf({ key = bob, claims, bound }: Forged = {}, url = listeners[0]!.url): Record<string, string> {
    const asked = { method: 'POST', url: url + path, headers: null, body: input, ...bound };
    const jti = String(Math.random());
    return bearer(key, { aud: deployment, exp: now() + 60, jti, hsh: hash(asked, portable), ...claims });
  }

  async function post(
    headers: Record<string, string>,
    { url = listeners[0]!.url, to = path, body = JSON.stringify(input) } = {},
  ): Promise<[number, string]> {
    const answer = await fetch(url + to, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error?: { reason: string } };
    return [answer.status, error?.reason ?? ''];
  }

  it('takes a request that an operator has signed for it', async () => {
    // The ledger is unknown: the token was right.
    expect(await post(tokenOf())).toEqual([400, 'wrong-call']);
    const port = new URL(listeners[0]!.url).port;
    expect(await post(tokenOf({}, `http://localhost:${port}`))).toEqual([400, 'wrong-call']);
  });

  it.each<[name: string, why: string, forged: Forged]>([
    ['another key', 'unknown-key', { key: newKey() }],
    ['another method', 'bound-to-another-request', { bound: { method: 'GET' } }],
    ['another operation', 'bound-to-another-request', { bound: { url: 'http://127.0.0.1:9465/operations/suspend' } }],
    ['another host', 'bound-to-another-request', { bound: { url: `http://ledger.example${path}` } }],
    ['other input', 'bound-to-another-request', { bound: { body: { ledger: 'other' } } }],
    ['another deployment', 'for-another-audience', { claims: { aud: 'other' } }],
    ['any request', 'unbound', { claims: { hsh: '' } }],
    ['several uses', 'unbound', { claims: { jti: '' } }],
    ['a time that is over', 'expired', { claims: { iat: now() - 120, exp: now() - 60 } }],
    ['a time to come', 'from-the-future', { claims: { iat: now() + 3_600, exp: now() + 3_660 } }],
    ['longer than five minutes', 'single-use-too-long', { claims: { exp: now() + 3_600 } }],
  ])('refuses a token for %s', async (_, why, forged) => {
    const { url } = await serve();
    expect(await post(tokenOf(forged, url), { url })).toEqual([401, 'unauthorized']);
    expect(lines.at(-1)).toMatchObject({ level: 40, why });
  });

  it('refuses a token that another key has signed in the name of an operator', async () => {
    const { url } = await serve();
    const forged = { ...newKey(), public: bob.public };
    expect(await post(tokenOf({ key: forged }, url), { url })).toEqual([401, 'unauthorized']);
    expect(lines.at(-1)).toMatchObject({ why: 'badly-signed' });
  });

  it('tells whoever does not hold the key nothing of it, and reads nothing of theirs', async () => {
    const { url } = await serve();
    const forged = { ...newKey(), public: bob.public };
    const headers = tokenOf({ key: forged, claims: { iat: now() - 120, exp: now() - 60 } }, url);
    // The body never comes.
    const sent = request(url + path, { method: 'POST', headers: { ...headers, 'content-length': '1000' } });
    sent.flushHeaders();
    const [answer] = await once(sent, 'response');
    expect([answer.statusCode, await json(answer)]).toEqual([
      401,
      { error: { reason: 'unauthorized', detail: expect.stringContaining('is not signed by a key') } },
    ]);
    sent.destroy();
    expect(lines.at(-1)).toMatchObject({ why: 'badly-signed' });
  });

  it('takes a token once, in whichever process', async () => {
    // A proxy leads both to operators by one name.
    const ADMIN_URL = 'https://admin.ledger.example/';
    const [one, two] = [await serve({ ADMIN_URL }), await serve({ ADMIN_URL })];
    expect(one.url).toBe('https://admin.ledger.example');
    const token = tokenOf({}, one.url);
    const answers = await Promise.all([one.at, two.at, one.at, two.at].map((url) => post(token, { url })));
    expect(answers.map(([status]) => status).sort()).toEqual([400, 401, 401, 401]);
  });

  it('bounds what is sent, and serves nothing else', async () => {
    const { url } = await serve();
    const body = JSON.stringify({ ledger: 'x'.repeat(operatorLimits.body) });
    expect(await post(tokenOf({}, url), { url, body })).toEqual([400, 'wrong-call']);
    for (const body of ['', '[]', '{'])
      expect(await post(tokenOf({}, url), { url, body })).toEqual([400, 'wrong-call']);
    for (const body of [{ ledger: 1 }, { ledger: 'a', more: 1 }]) {
      const bound = tokenOf({ bound: { body } }, url);
      expect(await post(bound, { url, body: JSON.stringify(body) })).toEqual([400, 'wrong-call']);
    }
    for (const to of ['/operations/none', '/operations/ledger?x', '/operations/constructor', '/v2', '/health'])
      expect(await post(tokenOf({}, url), { url, to })).toEqual([404, 'wrong-call']);
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it('counts strangers of an address, and never locks out an operator', async () => {
    const { url } = await serve();
    const before = lines.length;
    for (let count = 0; count < operatorLimits.refusals.attempts; count += 1)
      expect((await post({}, { url }))[0]).toBe(401);
    expect((await post({}, { url }))[0]).toBe(429);
    expect((await post(tokenOf({ key: newKey() }, url), { url }))[0]).toBe(429);
    expect(lines.slice(before)).toHaveLength(operatorLimits.refusals.attempts);
    expect(lines.at(-1)).toMatchObject({ level: 40, address: '127.0.0.1', why: 'no-token' });
    // They hide no line about a key of an operator's.
    const token = tokenOf({}, url);
    expect([(await post(token, { url }))[0], (await post(token, { url }))[0]]).toEqual([400, 401]);
    expect(lines.at(-1)).toMatchObject({ why: 'used-already' });
    expect((await post(tokenOf({}, url), { url }))[0]).toBe(400);
  });

  describe('while looks wait for a table', () => {
    const ask = (path: string, body: Readonly<Record<string, string | number>>, signal: AbortSignal | null = null) => {
      const { url } = listeners[0]!;
      const headers = tokenOf({ bound: { url: url + path, body } });
      return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
    };
    const page = { olderThan: 0, limit: 1 };

    it('takes few of them, does what changes the deployment, and ends those whose operator has left', async () => {
      const { ledger = '' } = await newLedger(servers.current[0].url);
      const look = (signal?: AbortSignal) => ask('/operations/intents', { ledger, ...page }, signal);
      const left = new AbortController();
      await whileLocked(servers.databaseUrl, 'open_intent', 'o.deadline as expires', async (waiting) => {
        const waited = Array.from({ length: operatorLimits.looks }, () => look(left.signal).catch(() => 'left'));
        await eventually(async () => expect(await waiting()).toBe(operatorLimits.looks));
        expect((await look()).status).toBe(409);
        expect((await ask('/operations/suspend', { ledger, level: 'writes', reason: 'Floods.' })).status).toBe(200);
        left.abort();
        expect(await Promise.all(waited)).toEqual(waited.map(() => 'left'));
        // There is room again.
        await eventually(async () => expect((await ask('/operations/ledgers', LEDGERS)).status).toBe(200));
      });
      expect((await look()).status).toBe(200);
      // Sooner than its statements end by themselves, after 30 s.
    }, 20_000);
  });
});
