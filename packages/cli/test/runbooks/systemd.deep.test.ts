import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTool } from '../../../server/test/deploy/tools.js';
import { read, root } from '../../../server/test/support/documents.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { blockOf, filledIn } from '../../../server/test/support/page.js';
import { Terminal } from '../guides/terminal.js';
import { withFolder } from '../support/cli.js';
import { hasOwnPostgres, type OwnPostgres, PSQL, QUIET_PSQL, startOwnPostgres } from './postgres.js';
import { Unit } from './unit.js';

/**
 * The steps of docs/operations/install.md for systemd, in a namespace of mounts: /etc, /opt and /var/lib are written to as printed, and the
 * machine keeps its own. The unit's command runs as its user, without rights and with none to gain, on files that are read-only but for its
 * folder and temporary ones of its own, its secrets given as systemd gives them. What is not had without systemd as the first process: the
 * filter of system calls, namespaces of users and devices, what else it hides, locks or limits, and the restart of one that ends.
 */
const PATIENCE = 300_000;
const NAMESPACE = ['unshare', '--mount', '--propagation', 'private'];
const ends = (...[program = '', ...args]: string[]) => spawnSync(program, args).status === 0;
const canMount = process.getuid?.() === 0 && ends(...NAMESPACE, 'mount', '-t', 'tmpfs', 'none', '/mnt');
const canOthersRead = ends('setpriv', '--reuid=65534', '--clear-groups', 'test', '-r', join(root, 'package.json'));
const sysusers = requireTool('systemd-sysusers', 'REQUIRE_SYSTEMD');
const isPossible = canMount && canOthersRead && sysusers !== undefined && hasOwnPostgres;
if (!isPossible) console.warn('The steps for systemd are not run: they take root, mounts, systemd and postgresql-15');

const folder = withFolder();

describe.runIf(isPossible)('docs/operations/install.md, systemd', () => {
  const unit = new Unit(read('deploy/systemd/countersign.service'));
  let postgres: OwnPostgres;
  let machine: Terminal;
  let url: string;
  let settings: string;

  /** Runs what root types, which must succeed. */
  const type = async (commands: string) => {
    const { output, failed } = await machine.run(commands);
    expect(failed, `${commands}\n${output}`).toBe(false);
    return output;
  };
  /** All that the server has printed, once it serves or has ended. */
  const untilServing = () =>
    type('while kill -0 $server 2> /dev/null && ! grep -q "^listening on" /mnt/out; do sleep 0.1; done; cat /mnt/out');
  const stop = () => type('kill $server; wait $server; echo $?');

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    const [bin, home] = [join(folder.path, 'bin'), join(folder.path, 'home')];
    for (const path of [bin, home]) mkdirSync(path);
    // What npm links where the packages are installed.
    const program = join(bin, 'countersign-server');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${root}/packages/server/dist/main.js' "$@"\n`);
    chmodSync(program, 0o755);
    const { PATH = '' } = process.env;
    machine = new Terminal(root, { PATH: `${bin}:${PATH}`, HOME: home, COUNTERSIGN_PASSWORD: 'secret' }, NAMESPACE);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/v2`;
    settings = `PORT=${port}\nMETRICS_PORT=off\nWORKERS=1\n`;
    await type(
      `mount -t tmpfs none /mnt
       for at in etc opt var/lib; do
         mkdir -p /mnt/$at/upper /mnt/$at/work
         mount -t overlay none -o lowerdir=/$at,upperdir=/mnt/$at/upper,workdir=/mnt/$at/work /$at
       done`,
    );
  }, PATIENCE);
  afterAll(async () => {
    await machine?.close();
    postgres?.stop();
  }, PATIENCE);

  it('the owner migrates, by the roles of docs/operations/database.md', { timeout: PATIENCE }, async () => {
    const roles = filledIn(blockOf('database', 'create role countersign_owner'), [['…', 'secret']]);
    const env = Object.entries(postgres.env).map(([name, value]) => `${name}='${value}'`);
    await type(`env ${env.join(' ')} ${PSQL} --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'END'\n${roles}END`);
    const [migrate = ''] = blockOf('database', 'DATABASE_URL=postgresql://countersign_owner').split('\n');
    const there = ['@host/', `@localhost:${postgres.port}/`] as const;
    await type(filledIn(migrate, [['…', 'secret'], there]));
  });

  it('makes user, secrets and unit as printed', { timeout: PATIENCE }, async () => {
    const [install = '', ...steps] = blockOf('install', 'npm install --prefix').trim().split('\n');
    expect(install).toMatch(/^npm install --prefix \/opt\/countersign countersign /);
    expect(steps.pop()).toBe('systemctl daemon-reload');
    // Instead of what no registry has before a release: the packages of the clone, where npm puts them.
    await type(`mkdir /opt/countersign && ln -s '${root}/node_modules' /opt/countersign/node_modules`);
    const there = ['@localhost/', `@localhost:${postgres.port}/`] as const;
    for (const step of steps)
      await type(filledIn(step, step.includes('<password>') ? [['<password>', 'secret'], there] : []));
    const [user] = (await type('getent passwd countersign')).split(':');
    expect(user).toBe(unit.one('User'));
    expect(await type("cd /etc/countersign && stat -c '%a %n' . *; cd - > /dev/null")).toBe(
      '700 .\n600 countersign.env\n600 database_url\n600 master_key\n',
    );
    expect(await type('SYSTEMD_OFFLINE=1 systemctl enable countersign 2>&1')).toContain('multi-user.target.wants');
  });

  it('serves as its user, and is governed as docs/operations/tenants.md says', { timeout: PATIENCE }, async () => {
    const made = await type('npx countersign key create operator 2>&1');
    const key = /[A-Za-z0-9+/]{43}=/.exec(made)?.[0];
    expect(key, made).toBeDefined();
    // "Edit": what a person does.
    await type(
      `sed -i 's#^PUBLIC_URL=.*#PUBLIC_URL=${url}#; s#<public key>#${key}#' /etc/countersign/countersign.env
       cat >> /etc/countersign/countersign.env <<'END'\n${settings}END`,
    );
    await type(unit.toShell('/mnt', process.execPath));
    expect(await untilServing()).toContain(`listening on ${url}`);
    const bounds = "stat -c %U /proc/$server; sed -En 's/^(CapEff|NoNewPrivs):\\s+//p' /proc/$server/status";
    expect(await type(bounds)).toBe(`${unit.one('User')}\n0000000000000000\n1\n`);
    const init = /^npx countersign init acme .*?(?= +#)/m.exec(blockOf('install', 'systemctl enable --now'))?.[0] ?? '';
    await type(filledIn(init, [['https://ledger.example/v2', url]]));
    const govern = blockOf('tenants', 'set -a; . /etc/countersign/countersign.env');
    expect(await type(`(${filledIn(govern, [['admin …', 'admin ledgers']])})`)).toMatch(/\bacme\b/);
  });

  it('is reloaded and stopped by what the unit says', { timeout: PATIENCE }, async () => {
    const before = (await type('cat /proc/$server/task/$server/children')).trim();
    expect(before).not.toBe('');
    await type(`MAINPID=$server ${unit.one('ExecReload')}`);
    await type(`for one in ${before}; do while kill -0 $one 2> /dev/null; do sleep 0.1; done; done`);
    expect((await fetch(new URL('/health/ready', url))).status).toBe(200);
    expect(await stop()).toBe('0\n');
  });

  it('runs the embedded PostgreSQL once the database is taken away', { timeout: PATIENCE }, async () => {
    await type(
      new Unit(read('deploy/systemd/countersign.service'), blockOf('install', '[Service]')).toShell(
        '/mnt',
        process.execPath,
      ),
    );
    expect(await untilServing()).toContain(`listening on ${url}`);
    const govern = blockOf('tenants', 'set -a; . /etc/countersign/countersign.env').replace(
      /^.*# leave this line out .*\n/m,
      '',
    );
    expect(govern).not.toContain('DATABASE_URL_FILE');
    expect(await type(`(${filledIn(govern, [['admin …', 'admin doctor']])})`)).toMatch(/^✓ disk .* free where /m);
    const connect = filledIn(blockOf('database', 'nsenter --mount'), [
      ['$(systemctl show --property MainPID --value countersign)', '$server'],
      ...QUIET_PSQL,
    ]).trim();
    expect(await type(`${connect} <<'END'\nselect count(*) > 20 from kysely_migration;\nEND`)).toMatch(/^ t$/m);
    expect(await stop()).toBe('0\n');
  });
});
