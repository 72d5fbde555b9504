import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind } from '../../../server/test/durability/service.js';
import { makeDataDir } from '../../../server/test/support/database.js';
import { read } from '../../../server/test/support/documents.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { blockOf, filledIn, inlineOf, linesOf } from '../../../server/test/support/page.js';
import { withFolder } from '../support/cli.js';
import { Operator } from './operator.js';
import { hasOwnPostgres, QUIET_PSQL } from './postgres.js';

/** Pages of docs/operations, typed as they stand beside one server with the embedded PostgreSQL. */
const PATIENCE = 300_000;
/** The key in the examples. */
const OWNER = '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
const hasJq = spawnSync('jq', ['--version']).status === 0;
const isWhole = process.platform === 'linux' && hasOwnPostgres && hasJq;
if (!isWhole)
  console.warn('The pages of docs/operations are not followed: they take Linux, jq, and psql of postgresql-15');

const folder = withFolder();

describe.runIf(isWhole)('docs/operations, beside a server with the embedded PostgreSQL', { timeout: PATIENCE }, () => {
  const at = (name: string) => join(folder.path, name);
  let operator: Operator;
  let url: string;
  let adminUrl: string;
  const type = (commands: string) => operator.type(commands);
  const ask = (call: string) => operator.ask(call);

  beforeAll(async () => {
    operator = new Operator(folder.path);
    makeDataDir(at('data'));
    const [port, metricsPort, adminPort] = [await freePort(), await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}/v2`;
    adminUrl = `http://127.0.0.1:${adminPort}`;
    operator.set({
      ...{ PORT: String(port), METRICS_PORT: String(metricsPort), WORKERS: '1', LOG_LEVEL: 'warn' },
      ...{ DATA_DIR: at('data'), BACKUP_DIR: at('backups') },
    });
    const [makeKey = ''] = linesOf('operators', 'countersign key create alice');
    await type(makeKey);
    expect(linesOf('operators', 'ADMIN_PORT').map((line) => line.split('=')[0])).toEqual([
      'ADMIN_PORT',
      'OPERATOR_KEYS',
    ]);
    operator.set({ ADMIN_PORT: String(adminPort), OPERATOR_KEYS: `alice=${await operator.keyOf('alice')}` });
    const printed = await operator.start();
    // As the page shows it, but for the places of this one.
    const shown = /^ {4}listening on [\s\S]*?master key in .*$/m.exec(read('docs/operations/install.md'))?.[0] ?? '';
    for (const line of shown.trim().split(/\n */)) expect(printed).toContain(line.split(/ (?=http|\/)/)[0]);
    await type(`countersign key create owner\ncountersign init acme --signer owner --server ${url}`);
    await type('countersign wallet create shop');
  }, PATIENCE);
  afterAll(async () => {
    await operator?.leave();
    await leaveNothingBehind(at('data'));
  }, PATIENCE);

  it('install: looks before a start', async () => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = `DATA_DIR='${at('fresh')}' PORT=${port} METRICS_PORT=${metricsPort}`;
    const shown = /(?:^ {4}✓ .*\n)+/m.exec(read('docs/operations/install.md'))?.[0].replaceAll(/^ {4}/gm, '') ?? '';
    expect(await type(`env -u ADMIN_PORT -u OPERATOR_KEYS -u BACKUP_DIR ${env} countersign-server --check`)).toBe(
      filledIn(shown, [
        ['/srv/countersign/data', at('fresh')],
        ['127.0.0.1:3000', `127.0.0.1:${port}`],
        ['127.0.0.1:9464', `127.0.0.1:${metricsPort}`],
      ]),
    );
  });

  it('tenants: examines, looks, suspends, sets a quota', async () => {
    expect(await type(blockOf('tenants', 'countersign admin doctor'))).not.toContain('✗');
    const looks = filledIn(blockOf('tenants', 'countersign admin ledgers --order hour'), [
      [OWNER, await operator.keyOf('owner')],
    ]);
    expect(await type(looks)).toContain('acme');
    const levels = ['writes', 'all', undefined];
    for (const [number, command] of linesOf('tenants', 'countersign admin suspend acme').entries()) {
      await type(command);
      expect((await ask('countersign admin ledger acme')).suspended?.level, command).toBe(levels[number]);
    }
    await type(blockOf('tenants', 'countersign admin quota acme'));
    await type(blockOf('tenants', 'countersign admin intents acme'));
  });

  it('tenants: stops every ledger of a key, by the line of shell', async () => {
    await type('countersign key create flood');
    for (const name of ['flood-1', 'flood-2'])
      await type(`countersign ledger create ${name} --signer flood --server ${url}`);
    const owner = await operator.keyOf('flood');
    await type(filledIn(blockOf('tenants', 'countersign admin ledgers --owner'), [[OWNER, owner]]));
    const { ledgers } = await ask(`countersign admin ledgers --owner ${owner}`);
    const levels = ledgers.map((one: { handle: string; suspended: { level: string } | null }) => [
      one.handle,
      one.suspended?.level,
    ]);
    expect(levels.sort()).toEqual([
      ['flood-1', 'writes'],
      ['flood-2', 'writes'],
    ]);
  });

  it('tenants: invites', async () => {
    const invited = await type(blockOf('tenants', 'countersign admin invite'));
    const code = /\binv_\S+/.exec(invited)?.[0] ?? '';
    await type('countersign key create bank');
    await type(
      filledIn(blockOf('tenants', 'COUNTERSIGN_INVITATION'), [
        ['inv_…', code],
        ['https://ledger.example/v2', `${url} --signer bank`],
      ]),
    );
    const { id } = await ask('countersign admin invite --note Spare');
    const ledgers = filledIn(blockOf('tenants', 'countersign admin invitations'), [['--revoke 3', `--revoke ${id}`]]);
    expect(await type(ledgers)).toMatch(/Bank A .*used .*bank-a/);
    await type('countersign ledger select acme --signer owner');
  });

  it('read-only', async () => {
    const reason = 'Maintenance until 18:00 UTC.';
    const [on = '', look = '', off = ''] = linesOf('read-only', 'countersign admin read-only on');
    await type(on);
    expect(await type(look)).toContain(reason);
    expect((await operator.try('countersign wallet create refused')).output).toContain(reason);
    await type(off);
    await type('countersign wallet create taken');
  });

  it('operators: govern from afar; alarms: what they name is done', async () => {
    const [, ...afar] = linesOf('operators', 'countersign key create alice');
    await type(`(${filledIn(afar.join('\n'), [['http://127.0.0.1:9465', adminUrl]])})`);
    await type('countersign admin resume acme');
    // It takes a cluster.
    const named = inlineOf('alarms', 'countersign admin ').filter((one) => one !== 'countersign admin cluster');
    expect(named.length).toBeGreaterThan(6);
    for (const command of named) await type(`${command.replace('<ledger>', 'acme')} --yes`);
  });

  it('database, background, backup: SQL on the embedded PostgreSQL', async () => {
    const user = (await type(`stat -c %U '${at('data')}/postgres/cluster'`)).trim();
    const account = 'runuser -u countersign -- ';
    // As the places of a machine are, which the user of PostgreSQL can enter.
    chmodSync(folder.path, 0o711);
    const connect = filledIn(blockOf('database', 'runuser -u countersign'), [
      [account, process.getuid?.() === 0 ? account.replace('countersign', user) : ''],
      ['/srv/countersign/data', at('data')],
      ...QUIET_PSQL,
    ]).trim();
    const sql = async (statement: string) => (await type(`${connect} <<'END'\n${statement};\nEND`)).trim();
    // The password is for PostgreSQL's user alone.
    const other = await operator.try(`${filledIn(connect, [['$(id -un)', 'daemon']])} 2>&1 < /dev/null`);
    expect(other).toMatchObject({ failed: true, output: expect.stringContaining('requirepeer specifies "daemon"') });
    const looks = inlineOf('background', 'select * from ');
    expect(looks).toHaveLength(2);
    for (const statement of looks) await sql(statement);
    const ofAcme = "ledger_id = (select id from ledger where handle = 'acme')";
    await sql(`update log set stopped = 'by the test' where ${ofAcme}`);
    await type('countersign wallet create while-stopped');
    const [clear = ''] = inlineOf('backup', 'update log set stopped');
    await sql(clear);
    // It is checked, and goes on.
    const waiting = `select count(*) || ' ' || (select stopped is null from log where ${ofAcme}) from unsealed where ${ofAcme}`;
    await eventually(async () => expect(await sql(waiting)).toBe('0 true'));
  });

  it('keys: what to do when one was stolen', async () => {
    await type('countersign key create ada');
    const ada = { handle: 'ada', format: 'ed25519-raw', public: await operator.keyOf('ada') };
    await type(`countersign signer create ada --data '${JSON.stringify(ada)}'`);
    await type(inlineOf('keys', 'countersign signer sign ada')[0]!.replace(/\.$/, ''));
    expect((await ask('countersign signer show ada')).meta.status).toBe('blocked');
    await type(blockOf('keys', 'countersign key create owner-2'));
    const [before, after] = [await operator.keyOf('owner'), await operator.keyOf('owner-2')];
    const rules = readFileSync(at('rules.json'), 'utf8');
    expect(rules.split(before)).toHaveLength(3);
    writeFileSync(at('rules.json'), rules.replaceAll(before, after));
    const [update = '', ...others] = linesOf('keys', 'countersign ledger update --access');
    // There is no terminal to ask at.
    await type([`cd '${folder.path}'`, `${update} --yes`, ...others].join('\n'));
    await type(inlineOf('keys', 'countersign ledger history')[0]!);
    expect((await operator.try('countersign wallet create thief --signer owner')).failed).toBe(true);
    await type('countersign wallet create ours');
  });

  it('keys: replaces the master key', async () => {
    await type(inlineOf('keys', 'countersign admin rotate-key')[0]!);
    expect(read('docs/operations/keys.md')).toContain('`master.key.1`');
    expect(existsSync(join(at('data'), 'master.key.1'))).toBe(true);
    await type('countersign wallet create later');
  });

  it('erasure, with the server stopped; backup: takes one, and restores it after the folder was lost', async () => {
    // What was shown of a log is in its fence.
    await eventually(() => type('countersign ledger inclusion'));
    const { luid } = await ask('countersign wallet show shop');
    await type('countersign wallet drop shop --yes');
    const places = [
      ['/mnt/backups', at('backups')],
      ['/srv/countersign/data', at('data')],
    ] as const;
    const [atMoment = ''] = linesOf('backup', 'countersign admin restore').slice(1);
    await type(filledIn(blockOf('backup', 'countersign admin backup'), places));
    const erase = filledIn(blockOf('erasure', 'countersign erase acme wallet'), [['$wlt.-3DaeZa0HiH8CpyPc', luid]]);
    await operator.stop();
    await type(erase);

    const moves = [inlineOf('backup', 'mv data'), inlineOf('backup', 'mkdir data')].flat();
    expect(moves).toHaveLength(2);
    for (const command of moves) await type(`cd '${folder.path}' && ${command}`);
    await type(filledIn(linesOf('backup', 'countersign admin restore')[0]!, places));
    await type(`cp '${at('data.lost')}/master.key' '${at('data')}/master.key'`);
    await operator.start();
    await type('countersign wallet show later\ncountersign admin invitations');
    // To rehearse: into another folder, to a moment that is kept.
    const newest = await ask('countersign admin backup');
    const rehearsed = filledIn(atMoment, [
      places[0],
      [places[1][0], at('rehearsal')],
      ['2026-11-27T09:30:00Z', newest.ended],
    ]);
    await eventually(() => type(rehearsed));
  });
});
