import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { verbOf, withBridges } from '../../../server/test/money/bridge.js';
import { bridgedScene } from '../../../server/test/money/bridge-scene.js';
import { transfer } from '../../../server/test/money/scene.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { filledIn, linesOf, wordsOf } from '../../../server/test/support/page.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const server = withOwnServer({ deliveryAllowPrivate: true, deliveries: { retryFor: 0 } });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;
const folder = withFolder();
let cli: Cli;

beforeEach(() => {
  bank.reset();
  other.reset();
  cli = new Cli(folder.path, { DATABASE_URL: server.current.database.url });
});

it('countersign admin intents says what each waits for, and calls its bridges again', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  const { ledger } = money.client;
  const intents = async (...args: string[]) => (await cli.done(['admin', 'intents', ledger!, ...args, '--json'])).json;
  expect(await intents()).toEqual({ intents: [], isMore: false });
  // The bank takes the call, and never reports.
  bank.report = () => undefined;
  const silent = await money.intend([transfer('alice', 'acc', 1)]);
  await bank.until('prepare credits');
  // The other refuses it for good.
  other.instead = (_, response) => response.writeHead(501).end('{"why":"closed"}');
  const refused = await money.intend([transfer('alice', 'far', 2)]);
  const found = await eventually(async () => {
    const page = await intents();
    const [, second] = page.intents;
    expect([second.calls[0].status, page.intents[0].calls[0].status]).toEqual(['cancelled', 'delivered']);
    return page;
  });
  expect(found).toEqual({
    intents: [
      {
        handle: silent,
        luid: expect.stringMatching(/^\$int\./),
        stage: 'credits',
        created: expect.stringMatching(/^2.*Z$/),
        expires: expect.stringMatching(/^2.*Z$/),
        waitsFor: 'bank to prepare',
        calls: [
          expect.objectContaining({
            bridge: 'bank',
            verb: 'prepare',
            side: 'credit',
            status: 'delivered',
            attempts: 1,
            error: null,
          }),
        ],
      },
      expect.objectContaining({
        handle: refused,
        waitsFor: 'other to prepare',
        calls: [
          expect.objectContaining({
            bridge: 'other',
            status: 'cancelled',
            error: expect.stringContaining('delivery.target-rejected'),
          }),
        ],
      }),
    ],
    isMore: false,
  });
  expect(await intents('--limit', '1')).toMatchObject({ intents: [{ handle: silent }], isMore: true });
  expect(await intents('--older-than', '1h')).toEqual({ intents: [], isMore: false });
  const { out, err } = await cli.done(['admin', 'intents', ledger!]);
  expect(out).toContain(`${silent} (`);
  expect(out).toMatch(/: credits, created \d+ s ago, waits for bank to prepare; expires 2/);
  expect(out).toMatch(/\n {4}bank prepare cre_\S+: delivered, 1 attempt\n/);
  expect(err).toBe('2 intents are under way.\n');
  // Both go on once they are called again.
  expect((await cli.call(['admin', 'intents', ledger!, '--retry'])).err).toContain('This needs confirmation.');
  bank.reset();
  other.reset();
  expect((await intents('--retry', '--yes')).resent).toBe(2);
  await money.ends(silent, 'completed');
  await money.ends(refused, 'completed');
  expect(bank.calls.map(verbOf).filter((verb) => verb.startsWith('prepare'))).toHaveLength(1);
});

it('docs/operations/intents.md: a bridge is called at its new address, and the owner reports in the place of one that is gone', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  const { ledger = '', key } = money.client;
  const operator = new Cli(join(folder.path, 'page'), { ...cli.env, COUNTERSIGN_PASSWORD: 'secret' });
  await operator.done(['key', 'import', 'owner', '--file', '-'], { input: Buffer.from(key.secret).toString('hex') });
  await operator.done(['ledger', 'select', ledger, '--server', server.current.url, '--signer', 'owner']);
  const type = async (line: string, parts: readonly (readonly [string, string])[]) =>
    (await operator.done(wordsOf(filledIn(line, parts)).slice(1))).out;
  const [look = '', retry = ''] = linesOf('intents', 'countersign admin intents acme');
  const [move = ''] = linesOf('intents', 'countersign bridge update bank');
  const [report = ''] = linesOf('intents', 'countersign intent sign rent-7');
  const { config } = (await money.client.get('/bridges/bank')).body.data;
  const shown = 'https://bank.example/ledger';
  await type(move, [[shown, 'http://127.0.0.1:1']]);
  const unreached = await money.intend([transfer('alice', 'acc', 1)]);
  await eventually(async () =>
    expect(await type(look, [['acme', ledger]])).toMatch(/bank prepare cre_\S+: \w+, \d+ attempts?, .*ECONNREFUSED/),
  );
  await type(move, [[shown, config.server]]);
  await type(retry, [['acme', ledger]]);
  await money.ends(unreached, 'completed');

  const { report: reportWell } = bank;
  bank.report = (call) => (verbOf(call) === 'commit credits' ? undefined : reportWell(call));
  const undone = await money.intend([transfer('alice', 'acc', 1)]);
  const call = await eventually(async () => {
    const listed = await type(look, [['acme', ledger]]);
    const [, handle] =
      /: committing, .* waits for bank to report committed\n {4}bank commit (\S+): delivered/.exec(listed) ?? [];
    expect(handle, listed).toBeDefined();
    return handle!;
  });
  await type(report, [
    ['rent-7', undone],
    ['cre_KaG7cUsd43UWSUwz5', call],
  ]);
  await money.ends(undone, 'completed');
});

it('countersign admin intents --retry has one that was put off looked at, whatever lease rests', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  const { ledger } = money.client;
  await cli.done(['admin', 'suspend', ledger!, '--reason', 'x']);
  const { url } = server.current.database;
  await runSql(
    url,
    `insert into lease (ledger_id, worker, unit, holder, until, failures)
    select id, 'process-intents', luid, null, now() + interval '1 day', 9 from ledger where handle = $1
    on conflict (ledger_id, worker, unit) do update set until = excluded.until, failures = excluded.failures`,
    [ledger],
  );
  await cli.done(['admin', 'intents', ledger!, '--retry', '--yes']);
  const rows = await runSql(
    url,
    `select from lease e join ledger l on l.id = e.ledger_id where l.handle = $1 and e.worker = 'process-intents'`,
    [ledger],
  );
  expect(rows).toEqual([]);
});

it('countersign admin intents --retry counts the calls that are made again, and no others', async () => {
  const money = await bridgedScene(server.current.url, bridges);
  const { ledger } = money.client;
  bank.report = () => undefined;
  await money.intend([transfer('alice', 'acc', 1)]);
  await bank.until('prepare credits');
  const { url } = server.current.database;
  const retried = () => cli.done(['admin', 'intents', ledger!, '--retry', '--yes', '--json']);
  await eventually(async () => {
    const { json } = await cli.done(['admin', 'intents', ledger!, '--json']);
    expect(json.intents[0].calls[0].status).toBe('delivered');
  });
  // As often as a delivery may be attempted.
  await runSql(url, 'update delivery set attempts = 2000 where purpose is not null');
  expect((await retried()).json.resent).toBe(0);
  await runSql(url, 'update delivery set attempts = 1 where purpose is not null');
  // Rules are written while the calls are looked for.
  await runSql(
    url,
    `create function write_rules() returns trigger language plpgsql as $$
     begin update ledger set version = version + 1 where id = new.ledger_id; return new; end $$`,
  );
  await runSql(
    url,
    'create trigger write_rules before update on open_intent for each row execute function write_rules()',
  );
  await runSql(url, `update open_intent set due = now() + interval '1 day'`);
  try {
    expect((await retried()).json.resent).toBe(1);
  } finally {
    await runSql(url, 'drop trigger write_rules on open_intent');
    await runSql(url, 'drop function write_rules');
  }
});

it.each([
  [['--older-than', 'soon'], "--older-than is a time such as 90s, 30m, 1h or 2d, not 'soon'."],
  [['--limit', '-1'], "--limit is a whole number from 1 to 1000, not '-1'."],
  [[], 'There is no ledger none in this database.'],
])('countersign admin intents none %j is a wrong call', async (args, told) => {
  const { code, out, err } = await cli.call(['admin', 'intents', 'none', ...args]);
  expect([code, out, err.split('\n')[0]]).toEqual([2, '', `✗ ${told}`]);
});
