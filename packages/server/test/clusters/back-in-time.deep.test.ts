import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, withFolder } from '../../../cli/test/support/cli.js';
import { everythingFor, founded, GATE } from '../access-http/support.js';
import { exported, imported } from '../archive/support.js';
import { auditLogs } from '../log/audit.js';
import { allSealed, LogReader } from '../log/reading.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newKey, newLedger, type TestAnswer, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { blockOf, filledIn, inlineOf, wordsOf } from '../support/page.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../support/server.js';
import { closeSql, runSql } from '../support/sql.js';
import { bearer } from '../support/token.js';
import { HAS_CITUS, onNode, urlOf, withOwnCluster } from './own-cluster.js';

const PASSPHRASE = 'correct horse';
const WALLETS = ['w-1', 'w-2', 'w-3'];
const lines: { msg: string; [name: string]: unknown }[] = [];
const told = (msg: string) => lines.filter((line) => line.msg.startsWith(msg));

/** Ledgers by their node. */
interface Scene {
  /** Has writes that are lost. */
  readonly loser: TestClient;
  /** On the same node; nothing of it is lost. */
  readonly kept: TestClient;
  /** On the other node. */
  readonly other: TestClient;
  /** On the first, and its rules let no other in than its founder. */
  readonly ruled: TestClient;
  /** On the first, with alice's 100. */
  readonly money: MoneyScene;
}

describe.runIf(HAS_CITUS)('a worker node that goes back in time under servers that go on', () => {
  const own = withOwnCluster(['synchronous_commit = on', 'citus.shard_count = 4', 'citus.recover_2pc_interval = 1s']);
  const servers: RunningServer[] = [];
  let scene: Scene;
  const folder = withFolder();
  let dataDir = '';
  let gone: { client: TestClient; luid: string; text: string };

  beforeAll(async () => {
    const { database } = own.current;
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    dataDir = await mkdtemp(join(tmpdir(), 'countersign-back-in-time-'));
    servers.push(await startServer({ database, logger, dataDir }));
    servers.push(await startServer({ database, dataDir, worker: '1' }));
    // As processes of one deployment: the origins of logs begin with its address.
    Object.assign(servers[1]!.server.service, { publicUrl: servers[0]!.url });
    const ruled = await onNode(own.current, 1, () => founded(servers[0]!.url, [GATE]));
    const [loser, kept, other] = [await ledgerOn(1), await ledgerOn(1), await ledgerOn(2)];
    const { scene: money } = await onNode(own.current, 1, async () => {
      const scene = await MoneyScene.make(servers[0]!.url);
      return { ledger: scene.client.ledger, scene };
    });
    await money.issue('alice', 100);
    scene = { loser, kept, other, ruled, money };
    for (const client of [loser, kept, other]) for (const handle of WALLETS) await stored(client, 'wallet', { handle });
    // What waits to be sealed would be sealed into what is lost.
    for (const client of [loser, kept, other]) await allSealed(client);
    // A start at the point where it ended is none of this.
    own.current.stop(1);
    own.current.copy(1);
    own.current.start(1);
    await serving(loser);
    await update(loser, 'before');
    expect(await epoch()).toBe(0);
  });

  afterAll(async () => {
    for (const server of servers) await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const epoch = async () => {
    const text = `select value from deployment where name = 'epoch'`;
    return Number((await runSql<{ value: string }>(own.current.database.url, text))[0]!.value);
  };
  const byTheOther = (client: TestClient) => new TestClient(servers[1]!.url, client.key, client.ledger);

  /** A ledger on a node, whose log anybody may read. */
  const ledgerOn = (node: number) =>
    onNode(own.current, node, () => newLedger(servers[0]!.url, { config: { log: 'open' } }));

  /** Whether all nodes have the same of what each of them has. */
  async function expectSameCopies(): Promise<void> {
    const { url } = own.current.database;
    const tables = await runSql<{ name: string }>(
      url,
      `select 'public.' || s.logicalrelid || '_' || s.shardid as name from pg_dist_shard s join pg_dist_partition p using (logicalrelid)
       where p.partmethod = 'n' order by 1`,
    );
    expect(tables.length).toBeGreaterThan(2);
    for (const { name } of tables) {
      const copies = await runSql<{ result: string }>(url, 'select result from run_command_on_all_nodes($1)', [
        `select md5(string_agg(t::text, ' ' order by t::text)) from ${name} t`,
      ]);
      expect(new Set(copies.map(({ result }) => result)).size).toBe(1);
    }
  }

  it('restored from an older copy of its folder, has its own ledgers read again, and no others', {
    timeout: 120_000,
  }, async () => {
    const { loser, kept, other, ruled, money } = scene;
    const mallory = newKey();
    await update(loser, 'lost');
    await allow(ruled, mallory);
    await stored(ruled.as(mallory), 'wallet', { handle: 'by-mallory' });
    for (const answer of await everyWallet(byTheOther(loser))) expect(ok(answer).text).toContain('lost');
    const payment = { handle: 'pay', claims: [transfer('alice', 'bob', 60)] };
    ok(await money.client.create('/intents', payment));
    await eventually(async () => expect(await money.balance('bob')).toEqual([60, 0]));
    const client = await ledgerOn(1);
    await stored(client, 'wallet', { handle: 'w-1' });
    const luids = await Promise.all([loser, client].map(luidOf));
    for (const one of [loser, kept, other, client]) await show(one);
    const text = await exported(servers[0]!, client.ledger!, { passphrase: PASSPHRASE });
    gone = { client, luid: luids[1]!, text };
    lines.length = 0;
    const versionOf = async ({ ledger }: TestClient) => {
      const text = 'select version from ledger where handle = $1';
      return (await runSql<{ version: string }>(own.current.database.url, text, [ledger]))[0]?.version;
    };
    const before = await versionOf(other);

    own.current.stop(1);
    own.current.putBack(1);
    own.current.start(1);
    await serving(loser);
    await serving(byTheOther(loser));
    // As many as were lost: each reuses the number of one.
    for (const word of ['kept early', 'kept']) await update(byTheOther(loser), word);

    for (const client of [loser, byTheOther(loser)]) await expectNothingLost(client);
    expect((await ruled.as(mallory).create('/wallets', { handle: 'again' })).status).toBe(403);
    expect((await ruled.get('/wallets/by-mallory', bearer(ruled.key))).status).toBe(404);
    // Its records are lost; the row of the ledger stays, and its handle is taken.
    for (const one of [client, byTheOther(client)]) expect((await one.get('/wallets/w-1')).status).toBe(503);
    const anew = { handle: client.ledger!, signer: 'system', access: everythingFor(client.key) };
    expect((await new TestClient(servers[0]!.url, client.key).create('/ledgers', anew)).status).toBe(503);
    expect((await money.client.get('/intents/pay')).status).toBe(404);
    expect(await money.balance('alice')).toEqual([100, 0]);
    ok(await money.client.create('/intents', payment));
    await eventually(async () => expect(await money.balance('bob')).toEqual([60, 0]));
    await update(loser, 'kept again');
    await update(kept, 'kept');
    await update(other, 'kept');
    expect([await versionOf(other), await epoch()]).toEqual([before, 1]);
    await expectSameCopies();

    // What was shown of their logs is compared, of the ledgers on the node alone.
    await eventually(() =>
      expect(
        told('writes are lost')
          .map(({ ledger }) => ledger)
          .sort(),
      ).toEqual([...luids].sort()),
    );
    await eventually(async () => expect((await health()).logsStopped).toBe(1));
    for (const client of [kept, other]) await show(client);
  });

  it('leaves the names of ledgers that were made since to the operator, who forgets and imports them', async () => {
    const { client, luid, text } = gone;
    const cli = operator();
    // As docs/operations/cluster.md prints it.
    const line = blockOf('cluster', 'countersign admin cluster --forget').trim();
    const forget = (ledger: string) =>
      cli.call([...wordsOf(filledIn(line, [['acme', ledger]])).slice(1), '--yes', '--json']);
    const node = `127.0.0.1:${own.current.ports[1]}`;
    expect((await cli.done(['admin', 'cluster', '--json'])).json.lost).toEqual([{ handle: client.ledger, luid, node }]);
    const there = await forget(scene.kept.ledger!);
    expect([there.code, there.err]).toEqual([1, expect.stringContaining('is not lost: its node has changes of it')]);

    // One that the node may be about to commit could have made it.
    const worker = urlOf(own.current, 1);
    await runSql(worker, `begin; select txid_current(); prepare transaction 'of-the-test'`);
    const open = await forget(luid);
    expect([open.code, open.err]).toEqual([1, expect.stringContaining(`Prepared transactions are open on ${node}`)]);
    await runSql(worker, `rollback prepared 'of-the-test'`);
    await closeSql(worker);

    await cli.done(['admin', 'read-only', 'on', '--reason', 'A ledger is put back.']);
    const { json } = await forget(luid);
    expect(json).toEqual({ forgotten: { handle: client.ledger, luid, rows: 0 } });
    expect((await cli.done(['admin', 'cluster', '--json'])).json.lost).toEqual([]);
    // As it is where it was killed in between.
    await runSql(own.current.database.url, 'insert into deployment (name, value) values ($1, $2)', [
      `import:${luid}`,
      JSON.stringify({ id: 2 ** 31 - 1, sha256: '', order: 1, isReadOnly: false, isDiscarded: true }),
    ]);
    const [discard] = inlineOf('cluster', 'countersign import');
    const rest = filledIn(discard!, [['<luid>', luid]]);
    const again = await forget(client.ledger!);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining(rest)]);
    await cli.done(wordsOf(rest).slice(1));
    for (const one of [client, byTheOther(client)])
      await eventually(async () => expect((await one.get('/wallets/w-1')).status).toBe(404));
    expect(await imported(servers[0]!, text, { passphrase: PASSPHRASE })).toEqual([]);
    for (const one of [client, byTheOther(client)])
      await eventually(async () => expect((await one.get('/wallets/w-1')).status).toBe(200));
    await cli.done(['admin', 'read-only', 'off']);
    await stored(client, 'wallet', { handle: 'w-2' });
    await expectSameCopies();

    // What was shown of the log that is lost is more than the new one has.
    const stopped = () => logOf(client).then((log) => log?.stopped);
    await eventually(async () => expect(await stopped()).toMatch(/^it has \d+ leaves, and \d+ were shown$/));
    const [restart] = inlineOf('cluster', 'countersign log restart');
    await cli.done(wordsOf(filledIn(restart!, [['acme', client.ledger!]])).slice(1));
    await stored(client, 'wallet', { handle: 'w-3' });
    await allSealed(client);
    const { generation, origin } = (await logOf(client))!;
    expect([generation, origin]).toEqual([2, expect.stringMatching(/\/2$/)]);
    await auditLogs(own.current.database.url, client.ledger);
  });

  /** The command on the host of the servers. */
  function operator(): Cli {
    const settings = { DATABASE_URL: own.current.database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
    return new Cli(folder.path, { ...settings, DATA_DIR: dataDir });
  }

  async function logOf({ ledger }: TestClient) {
    const [log] = await runSql<{ generation: number; origin: string; stopped: string | null }>(
      own.current.database.url,
      'select generation, origin, stopped from log where ledger_id = (select id from ledger where handle = $1)',
      [ledger],
    );
    return log;
  }

  it('taken over by a standby that was behind, serves once that is promoted, and nothing that was lost', {
    timeout: 120_000,
  }, async () => {
    const { kept } = scene;
    await update(kept, 'lost');
    expect(ok(await byTheOther(kept).get('/wallets/w-1')).text).toContain('lost');
    own.current.stop(1);
    own.current.putBack(1, 'standby');
    own.current.start(1);
    await eventually(() => expect(told('a node of the cluster could not be examined')).not.toHaveLength(0));
    for (const client of [kept, byTheOther(kept)])
      for (const answer of await everyWallet(client)) expect(answer.status, answer.text).toBe(503);
    const view = await operator().done(['admin', 'cluster', '--json']);
    expect(view.json.nodes.map(({ isExamined }: { isExamined: boolean }) => isExamined)).toEqual([true, false, true]);
    own.current.promote(1);
    await serving(byTheOther(kept));
    await update(byTheOther(kept), 'kept');
    await expectNothingLost(kept);
    expect(await epoch()).toBe(2);
    await expectSameCopies();
  });

  async function health() {
    return (await (await fetch(new URL('/health', servers[0]!.url))).json()) as { logsStopped?: number };
  }
});

async function everyWallet(client: TestClient): Promise<TestAnswer[]> {
  const paths = WALLETS.map((handle) => `/wallets/${handle}`);
  return Promise.all([...paths, '/wallets', '/wallets/w-1/changes'].map((path) => client.get(path)));
}

/** Each wallet is updated, and read again in every way, so that whoever remembers versions remembers these. */
async function update(client: TestClient, word: string): Promise<void> {
  for (const handle of WALLETS) {
    const { body } = ok(await client.get(`/wallets/${handle}`));
    ok(await client.update(`/wallets/${handle}`, body, { handle, custom: { word } }));
  }
  for (const answer of await everyWallet(client)) expect(ok(answer).text).toContain(word);
}

/**
 * Nothing that was lost is told, at any time, and everything is served in the end. A server that has not examined the node yet
 * answers 503.
 */
async function expectNothingLost(client: TestClient): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const told: string[] = [];
    let answers: TestAnswer[] = [];
    await eventually(async () => {
      answers = await everyWallet(client);
      told.push(...answers.map(({ text }) => text));
      for (const { status, text } of answers) expect(status, text).toBe(200);
    });
    for (const text of told) expect(text).not.toContain('lost');
    for (const { text } of answers) expect(text).toContain('kept');
  }
}

async function allow(client: TestClient, key: ReturnType<typeof newKey>): Promise<void> {
  const { body: ledger } = ok(await client.get('/ledger', bearer(client.key)));
  const { parent: _, config: __, ...data } = ledger.data;
  ok(await client.update('/ledger', ledger, { ...data, access: [...data.access, ...everythingFor(key)] }));
}

async function serving(client: TestClient): Promise<void> {
  await eventually(async () => expect((await client.get('/wallets/w-1')).status).toBe(200));
}

async function luidOf(client: TestClient): Promise<string> {
  return ok(await client.get('/ledger')).body.luid;
}

/** Has the log of a ledger shown as it is. */
async function show(client: TestClient): Promise<void> {
  const reader = await LogReader.of(client);
  const { size } = await allSealed(client);
  await eventually(async () => expect((await reader.checkpoint()).size).toBe(size));
}
