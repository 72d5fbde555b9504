import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { withReceiver } from '../../../server/test/deliveries/receiver.js';
import { addWallet, subscribedLedger, untilDeliveries } from '../../../server/test/deliveries/scene.js';
import { erasingLedger, erasureOf } from '../../../server/test/erasure/support.js';
import { withBridge } from '../../../server/test/forward/bridge.js';
import { anchor, aspect, forwardingLedger, stored as isStored } from '../../../server/test/forward/scene.js';
import { verbOf, withBridges } from '../../../server/test/money/bridge.js';
import { bridgedScene } from '../../../server/test/money/bridge-scene.js';
import { transfer } from '../../../server/test/money/scene.js';
import { ask, grant, oauthLedger } from '../../../server/test/oauth/scene.js';
import { instantsOf, scheduledLedger, schedulePolicy, withSchedules } from '../../../server/test/schedules/scene.js';
import { expectRefusal } from '../../../server/test/support/checks.js';
import { newLedger, proofOver, signed, type TestAnswer, type TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { startServer, TEST_MASTER_KEY, withTwoServers } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { bearer } from '../../../server/test/support/token.js';
import { Cli, withFolder } from '../support/cli.js';

const servers = withTwoServers({ deliveryAllowPrivate: true });
const folder = withFolder();
let cli: Cli;

beforeEach(() => {
  cli = new Cli(folder.path, { DATABASE_URL: servers.databaseUrl });
});

const admin = (...args: string[]) => cli.done(['admin', ...args, '--json']);
const suspend = ({ ledger }: TestClient, ...more: string[]) =>
  admin('suspend', ledger!, '--reason', 'Floods the server.', ...more);
const resume = ({ ledger }: TestClient) => admin('resume', ledger!);

const WRITES = 'The operator of the server has suspended writes to this ledger: Floods the server.';
const ALL = 'The operator of the server has suspended this ledger: Floods the server.';

function expectSuspended(answer: TestAnswer, client: TestClient, detail = WRITES): void {
  expectRefusal(answer, client, 'auth.forbidden', detail);
}

describe('a ledger whose writes an operator has suspended', () => {
  const schedules = withSchedules(true);

  it('is read only at every process, at once and after a restart, until it goes on', async () => {
    const [one, two] = servers.current;
    const client = await newLedger(one.url);
    const there = client.at(two.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    ok(await there.get('/wallets/w'));
    const { json } = await suspend(client);
    expect(json).toMatchObject({
      handle: client.ledger,
      suspended: { level: 'writes', reason: 'Floods the server.', since: expect.stringMatching(/^2.*Z$/) },
      before: null,
    });
    const again = await startServer({ database: one.database });
    for (const at of [client, there, client.at(again.url)]) {
      expectSuspended(await at.create('/wallets', { handle: 'other' }), client);
      expectSuspended(await at.update('/wallets/w', wallet, { handle: 'w', custom: {} }), client);
      expectSuspended(await at.prove('/wallets/w', wallet, { status: 'active' }), client);
      expectSuspended(await at.drop('/wallets/w', wallet), client);
      const { body } = ok(await at.get('/ledger'));
      expectSuspended(await at.update('/ledger', body, { ...body.data, custom: {} }), client);
      expect(ok(await at.get('/wallets')).body.data).toHaveLength(1);
    }
    await again.stop();
    // Other ledgers go on.
    await stored(await newLedger(two.url), 'wallet', { handle: 'w' });
    expect((await resume(client)).json).toMatchObject({ suspended: null, before: { reason: 'Floods the server.' } });
    ok(await there.drop('/wallets/w', wallet));
    ok(await client.create('/wallets', { handle: 'other' }));
  });

  it('answers a create that was stored before as ever, and tells nothing to who has no right', async () => {
    const [one] = servers.current;
    const client = await newLedger(one.url);
    const body = signed({ handle: 'w' }, client.key);
    ok(await client.call('POST', '/wallets', body));
    await suspend(client);
    const repeated = await client.call('POST', '/wallets', body);
    expect([repeated.status, repeated.body.data]).toEqual([200, { handle: 'w' }]);
    expect((await client.create('/wallets', { handle: 'w', custom: {} })).body.data.reason).toBe('record.duplicated');
    const closed = await newLedger(one.url, { access: [] });
    await suspend(closed);
    const refused = await closed.create('/wallets', { handle: 'w' });
    expect(refused.body.data.detail).toBe('Cannot create wallet.');
  });

  it('erases nothing for clients, takes no new retry of deliveries, and is erased and exported by its operator', async () => {
    const [one] = servers.current;
    const client = await erasingLedger(one.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    ok(await client.drop('/wallets/w', wallet));
    await stored(client, 'effect', {
      handle: 'e',
      signal: 'wallet-created',
      action: { endpoint: 'https://example.com/' },
    });
    const before = [signed({}, client.key, {}), signed({ maxAge: 0 }, client.key, {})];
    const retry = (body: JsonObject) => client.call('POST', '/effects/e/events/retry', body);
    for (const body of before) expect((await retry(body)).status).toBe(202);
    await suspend(client);
    for (const body of before) expect((await retry(body)).status).toBe(202);
    const { luid } = wallet;
    const erasure = erasureOf(luid, 2, client.key);
    await eventually(async () => expectSuspended(await client.call('POST', `/wallets/${luid}/erase`, erasure), client));
    expectSuspended(await retry(signed({}, client.key, {})), client);
    const operator = cli.with({ MASTER_KEY: TEST_MASTER_KEY.toString('base64') });
    const erase = ['erase', client.ledger!, 'wallet', luid, '--reason', 'asked', '--yes', '--json'];
    expect((await eventually(() => operator.done(erase))).json.meta.status).toBe('erased');
    expect((await operator.done(['export', client.ledger!])).out).toContain('"line":"end"');
  });

  it('creates no scheduled report, and the latest one that it missed when it goes on', async () => {
    const { clock, server, follower } = schedules.current;
    clock.set('2026-03-02T05:59:00Z');
    const follow = follower();
    const client = await scheduledLedger(server.url);
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await follow.settleAt('2026-03-02T05:59:30Z');
    cli = new Cli(folder.path, { DATABASE_URL: server.database.url });
    await suspend(client);
    await follow.settleAt('2026-03-03T06:00:03Z');
    expect(await instantsOf(client)).toEqual([]);
    expect(follow.lines).toEqual([]);
    await resume(client);
    await follow.settleAt('2026-03-03T12:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-03-03T06:00:00.000Z']);
  });

  it('loses no scheduled report that was being made as it was suspended', async () => {
    const { clock, server, follower } = schedules.current;
    clock.set('2026-03-02T05:59:00Z');
    cli = new Cli(folder.path, { DATABASE_URL: server.database.url });
    const client = await scheduledLedger(server.url);
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    const { service } = server.server;
    let isSuspended = false;
    // The schema is what a report is made of: read once it is decided that there is one to make.
    const findVersion: typeof service.store.findVersion = async (query) => {
      if (query.kind === 'schema' && !isSuspended) {
        await suspend(client);
        isSuspended = true;
      }
      return service.store.findVersion(query);
    };
    const disturbed = { ...service, store: { ...service.store, findVersion } };
    const follow = follower({ ...server, server: { ...server.server, service: disturbed } });
    await follow.settleAt('2026-03-02T05:59:30Z');
    await expect(follow.settleAt('2026-03-02T06:00:03Z')).rejects.toThrow(WRITES);
    expect([isSuspended, follow.lines]).toEqual([true, []]);
    await follow.settle();
    expect(await instantsOf(client)).toEqual([]);
    await resume(client);
    await follow.settleAt('2026-03-02T12:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-03-02T06:00:00.000Z']);
  });
});

describe('a ledger whose reads an operator has suspended as well', () => {
  it('answers nothing but why, also where its log is open and to clients that ask for tokens', async () => {
    const [one, two] = servers.current;
    const { client, credentials } = await oauthLedger(one.url);
    const { body } = ok(await client.get('/ledger'));
    ok(await client.update('/ledger', body, { ...body.data, config: { log: 'open' } }));
    const { origin } = ok(await client.get('/ledger/log')).body.data;
    const log = `${one.url.replace('/v2', '')}/log/${String(origin).split('/log/')[1]}/checkpoint`;
    const owned = async (at: TestClient) =>
      ok(await at.in(undefined).get('/ledgers', bearer(client.key))).body.data.map(({ luid }: RecordEnvelope) => luid);
    expect(await owned(client)).toEqual([body.luid]);
    await suspend(client, '--reads-too');
    for (const at of [client, client.at(two.url)]) {
      for (const path of ['/ledger', '/wallets', '/wallets/none', '/signers/app/factors', '/ledger/log'])
        expectSuspended(await at.get(path), client, ALL);
      expectSuspended(await at.create('/wallets', { handle: 'w' }), client, ALL);
      expectSuspended(await at.create('/wallets', { handle: 4711 }), client, ALL);
      expect(await owned(at)).toEqual([]);
      const asked = await ask(at, grant(credentials));
      expect([asked.status, asked.body]).toEqual([400, { error: 'unauthorized_client', error_description: ALL }]);
    }
    await expect.poll(async () => (await fetch(log)).status, { timeout: 10_000 }).toBe(403);
    // A milder one in its place.
    expect((await suspend(client)).json).toMatchObject({ suspended: { level: 'writes' }, before: { level: 'all' } });
    ok(await client.get('/wallets'));
    expect(await owned(client)).toEqual([body.luid]);
    await resume(client);
    ok(await ask(client, grant(credentials)));
  });
});

describe('webhooks of a suspended ledger', () => {
  const receiver = withReceiver();

  it.each([
    ['as well', ['--reads-too'], 1],
    ['not', [], 2],
  ])('are sent what is stored, unless reads are suspended, which they are %s here', async (_, flags, sent) => {
    const client = await subscribedLedger(servers.current[0].url, receiver.url);
    receiver.instead = async (_, response) => {
      receiver.instead = undefined;
      await suspend(client, ...flags);
      response.writeHead(503).end();
    };
    await addWallet(client, 'w');
    await eventually(async () => {
      const [row] = await runSql<{ isOver: boolean }>(
        servers.databaseUrl,
        `select d.attempts = $2 and (d.due is null or d.due < now() - interval '1 second') as "isOver"
         from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1`,
        [client.ledger, sent],
      );
      expect(row).toEqual({ isOver: true });
    });
    expect(receiver.received).toHaveLength(sent);
    await resume(client);
    await untilDeliveries(servers.databaseUrl, client, ['delivered']);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('bridges of a suspended ledger', () => {
  const bridge = withBridge();
  beforeEach(() => bridge.reset());

  it('are sent no event that is stored, where reads are suspended', async () => {
    const client = await newLedger(servers.current[0].url);
    await stored(client, 'bridge', { handle: 'post', schema: 'rest', config: { server: bridge.url }, secure: [] });
    await stored(client, 'effect', { handle: 'hook', signal: 'wallet-created', action: { bridge: 'post' } });
    bridge.instead = async () => {
      await suspend(client, '--reads-too');
      return { status: 503 };
    };
    await addWallet(client, 'w');
    const isOver = `select from delivery d join ledger l on l.id = d.ledger_id
      where l.handle = $1 and d.status = 'failed' and d.due < now() - interval '2 seconds'`;
    await eventually(async () => expect(await runSql(servers.databaseUrl, isOver, [client.ledger])).toHaveLength(1));
    expect(bridge.received).toHaveLength(1);
    bridge.reset();
    await resume(client);
    await eventually(async () => expect(bridge.received).toHaveLength(1));
  });

  it.each(['validate', 'proxy', 'synchronize'])('%s: are not asked to store anything', async (strategy) => {
    const [one, two] = servers.current;
    const client = await forwardingLedger(one.url, bridge.url, [aspect('create', strategy)]);
    // The other process has the state of before.
    const there = client.at(two.url);
    ok(await there.get('/anchors'));
    await suspend(client);
    expectSuspended(await there.create('/anchors', anchor('a')), client);
    expect(bridge.received).toEqual([]);
  });

  it('and what one has stored meanwhile is stored by the ledger as well', async () => {
    const [one] = servers.current;
    const client = await forwardingLedger(one.url, bridge.url, [aspect('create', 'validate')]);
    bridge.instead = async (received) => {
      await suspend(client);
      return bridge.behave(received);
    };
    expect((await client.create('/anchors', anchor('a'))).status).toBe(201);
    expect(await isStored(client, 'a')).toBe(true);
    expectSuspended(await client.create('/wallets', { handle: 'w' }), client);
  });
});

describe('money of a suspended ledger', () => {
  const bridges = withBridges('bank', 'other');
  const { bank, other } = bridges;
  beforeEach(() => {
    bank.reset();
    other.reset();
  });

  it('is not moved by new intents, and what is decided is carried out', async () => {
    const money = await bridgedScene(servers.current[0].url, bridges);
    // The bank commits late.
    bank.report = (call) => (verbOf(call).startsWith('commit') ? undefined : { status: 'prepared', coreId: 'x' });
    const decided = await money.intend([transfer('alice', 'acc', 1)]);
    await money.ends(decided, 'committed');
    await bank.until('prepare credits', 'commit credits', 'status');
    await suspend(money.client);
    expectSuspended((await money.send([transfer('alice', 'bob', 1)])).answer, money.client);
    const waitsFor = async () => (await admin('intents', money.client.ledger!)).json.intents[0].waitsFor;
    expect(await waitsFor()).toBe('bank to report committed');
    await suspend(money.client, '--reads-too');
    expect(await waitsFor()).toBe('the ledger to be resumed, then bank to report committed');
    await suspend(money.client);
    const commit = bank.only('commit credits');
    // What says nothing of how it ends is a write like others.
    const { hash } = await money.read(decided);
    const note = proofOver(hash, bank.key, { status: 'seen' });
    expectSuspended(await money.client.call('POST', `/intents/${decided}/proofs`, note), money.client);
    await bank.say(commit, { status: 'committed', coreId: 'x' });
    await money.ends(decided, 'completed');
    await bank.until('prepare credits', 'commit credits', 'status', 'status');
  });

  it('waits where nothing is decided yet, and goes on with the ledger', async () => {
    const money = await bridgedScene(servers.current[0].url, bridges);
    bank.report = () => undefined;
    const waiting = await money.intend([transfer('alice', 'acc', 1)]);
    await bank.until('prepare credits');
    const prepare = bank.only('prepare credits');
    await suspend(money.client);
    const { handle, intent } = prepare.body.data;
    const report = proofOver(intent.hash, bank.key, { handle, status: 'prepared', coreId: 'x' });
    const said = () => money.client.call('POST', `/intents/${waiting}/proofs`, report);
    expectSuspended(await said(), money.client);
    expect((await money.read(waiting)).meta.status).toBe('pending');
    await resume(money.client);
    bank.report = () => ({ status: 'committed', coreId: 'x' });
    ok(await said());
    await money.ends(waiting, 'completed');
    await bank.until('prepare credits', 'commit credits', 'status', 'status');
  });

  it('has bridges called for what is under way, also where reads are suspended', async () => {
    const money = await bridgedScene(servers.current[0].url, bridges);
    bank.report = () => undefined;
    await money.intend([transfer('alice', 'acc', 1)]);
    await bank.until('prepare credits');
    await suspend(money.client, '--reads-too');
    bank.reset();
    bank.report = () => undefined;
    await admin('intents', money.client.ledger!, '--retry', '--yes');
    await bank.until('prepare credits');
  });

  it('goes on by another call of a bridge that has reported in vain', async () => {
    const money = await bridgedScene(servers.current[0].url, bridges);
    bank.report = () => undefined;
    const waiting = await money.intend([transfer('alice', 'acc', 1)]);
    await bank.until('prepare credits');
    await suspend(money.client);
    await expect(bank.say(bank.only('prepare credits'), { status: 'prepared' })).rejects.toThrow(
      'has suspended writes',
    );
    await resume(money.client);
    bank.reset();
    await admin('intents', money.client.ledger!, '--retry', '--yes');
    await money.ends(waiting, 'completed');
  });
});

describe('countersign admin suspend', () => {
  it.each([
    [['suspend', 'none', '--reason', 'x'], 'There is no ledger none in this database.'],
    [['resume', 'none'], 'There is no ledger none in this database.'],
    [['suspend', 'none'], 'A suspension needs a reason.'],
    [['suspend', 'none', '--reason', ' '], 'A reason is one line of 1 to 500 characters.'],
    [['suspend', 'none', '--reason', 'two\nlines'], 'A reason is one line of 1 to 500 characters.'],
    [['suspend', 'none', '--reason', 'x'.repeat(501)], 'A reason is one line of 1 to 500 characters.'],
    [['suspend'], "Missing required argument 'ledger'."],
    [['suspend', 'none', '--level', 'all'], "Unknown option '--level'."],
  ])('%j is a wrong call', async (args, told) => {
    const { code, out, err } = await cli.call(['admin', ...args]);
    expect([code, out, err.split('\n')[0]]).toEqual([2, '', `✗ ${told}`]);
  });

  it('says what it did, and of a ledger that goes on anyway, that it does', async () => {
    const client = await newLedger(servers.current[0].url);
    const { out, err } = await cli.done(['admin', 'suspend', client.ledger!, '--reason', 'x'.repeat(500)]);
    expect(out).toMatch(/^\$ldg\.\S{17}\n$/);
    expect(err).toBe(
      `✓ ${client.ledger} is suspended: no writes.\nResume it with \`countersign admin resume ${client.ledger}\`.\n`,
    );
    expect((await cli.done(['admin', 'resume', client.ledger!])).err).toMatch(/ goes on\. It was suspended since 2/);
    expect((await cli.done(['admin', 'resume', client.ledger!])).err).toBe(`✓ ${client.ledger} was not suspended.\n`);
  });

  it('is what the command tells whoever is refused, and to ask the operator, whose rules are not the ledger’s', async () => {
    const user = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'secret' });
    await user.done(['init', 'suspended', '--signer', 'ada', '--server', servers.current[0].url]);
    await cli.done(['admin', 'suspend', 'suspended', '--reason', 'Floods the server.']);
    const advice = '  Try: ask the operator of the server, or wait until this ends: no rule of the ledger causes it\n';
    for (const args of [
      ['wallet', 'create', 'w'],
      ['curl', 'post', '/wallets', '--data', '{"data": {"handle": "w"}}'],
    ]) {
      const { code, err } = await user.call(args);
      expect([code, err], args[0]).toEqual([1, expect.stringContaining(advice)]);
    }
  });

  it('makes no database where there is none', async () => {
    const { code, err } = await new Cli(folder.path).call(['admin', 'resume', 'x', '--data', folder.path]);
    expect([code, err.split('\n')[0]]).toEqual([4, `✗ There is no data of a server in ${folder.path}.`]);
  });
});
