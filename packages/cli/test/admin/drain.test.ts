import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { MoneyScene, transfer } from '../../../server/test/money/scene.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { linesOf } from '../../../server/test/support/page.js';
import { ok } from '../../../server/test/support/scene.js';
import { startServer, withTwoServers } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const servers = withTwoServers({ connections: { quiet: 1_000 } });
const folder = withFolder();
let cli: Cli;
beforeAll(() => {
  cli = new Cli(folder.path, { DATABASE_URL: servers.databaseUrl });
});
afterEach(async () => {
  await runSql(servers.databaseUrl, "delete from process where host = 'h2'");
  await cli.done(['admin', 'drain', '--all', '--undo']);
});

const drain = (...args: string[]) => cli.call(['admin', 'drain', ...args, '--json']);
/** As docs/operations/drain.md prints it. */
const printed = () =>
  linesOf('drain', 'countersign admin drain').map((line) => () => drain(...line.split(' ').slice(3)));
const health = async (url: string, probe: string) =>
  fetch(url.replace('/v2', probe)).then(async (answer) => [answer.status, await answer.json()]);
/** A server at another host, as far as the database knows. */
const otherHost = () =>
  runSql(
    servers.databaseUrl,
    "insert into process (name, host, build, keys, sealing) values ('p2', 'h2', 'b2', '{}', 1)",
  );
const leads = () => runSql(servers.databaseUrl, 'select from home where until > clock_timestamp()');

it('countersign admin drain empties the server of a host, which serves what still comes, until it is undone', async () => {
  const [one, two] = servers.current;
  await otherHost();
  const money = await MoneyScene.make(one.url);
  await money.issue('alice', 100);
  expect(await leads()).toHaveLength(1);
  // Idle, as a balancer keeps it.
  const { port } = new URL(one.url);
  const idle = connect(Number(port), '127.0.0.1');
  idle.write('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(idle, 'data');
  const cut = once(idle, 'close');
  const [drainOne, look, undo] = printed();
  const done = await drainOne!();
  expect(done).toMatchObject({
    code: 0,
    json: {
      host: hostname(),
      unconfirmed: [],
      servers: expect.arrayContaining([{ host: 'h2', processes: 1, drained: 0, since: null }]),
    },
  });
  await cut;
  const later = await startServer({ database: one.database, connections: { quiet: 1_000 } });
  for (const { url } of [one, two, later]) {
    expect(await health(url, '/health/ready')).toEqual([503, { status: 'DRAINING' }]);
    expect(await health(url, '/health/live')).toEqual([200, { status: 'UP' }]);
    const answer = ok(await money.client.at(url).create('/wallets', { handle: `w-${url}`.replaceAll(/\W/g, '') }));
    expect(answer.headers.get('connection')).toBe('close');
  }
  await later.stop();
  // Another server is to decide: none is there, and nobody here leads.
  await eventually(async () => expect(await leads()).toEqual([]));
  const intent = await money.send([transfer('alice', 'bob', 1)]);
  expect(intent.answer.status).toBe(201);
  expect(await runSql(servers.databaseUrl, 'select stage from open_intent')).toEqual([{ stage: 'accepted' }]);
  expect(await leads()).toEqual([]);

  expect((await look!()).json.servers).toContainEqual(expect.objectContaining({ host: hostname(), drained: 2 }));
  expect((await undo!()).code).toBe(0);
  for (const { url } of [one, two]) expect(await health(url, '/health/ready')).toEqual([200, { status: 'UP' }]);
  await money.ends(intent.handle, 'completed');
});

it('refuses what would end the service, or makes no sense', async () => {
  const last = await drain();
  expect([last.code, last.err]).toEqual([
    1,
    expect.stringContaining('No other server would be left to serve: --all drains all.'),
  ]);
  const unknown = await drain('nowhere');
  expect([unknown.code, unknown.err]).toEqual([
    2,
    expect.stringContaining('No server of this deployment runs at nowhere; those that run: '),
  ]);
  expect((await drain('--undo', '--status')).code).toBe(2);
  expect((await drain('h', '--all')).code).toBe(2);
  expect((await drain('--all')).code).toBe(0);
  const single = await drain(hostname(), '--undo');
  expect([single.code, single.err]).toEqual([1, expect.stringContaining('All servers are drained')]);
  expect((await drain('--status')).json.servers).toMatchObject([{ host: hostname(), processes: 2, drained: 2 }]);
});

it('a host that is down is shown while it is drained, and undone before it starts', async () => {
  await otherHost();
  // Nobody confirms it there.
  const planted = drain('h2');
  await eventually(async () =>
    expect(await runSql(servers.databaseUrl, "select from deployment where name = 'drain h2'")).toHaveLength(1),
  );
  await runSql(servers.databaseUrl, "delete from process where host = 'h2'");
  expect((await planted).code).toBe(0);
  const shown = async () => (await drain('--status')).json.servers.map((one: { host: string }) => one.host);
  expect(await shown()).toEqual([hostname(), 'h2'].sort());
  expect((await drain('h2', '--undo')).code).toBe(0);
  expect(await shown()).toEqual([hostname()]);
});
