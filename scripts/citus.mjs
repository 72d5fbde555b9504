import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';

/** A cluster of Citus for tests: a coordinator and two workers on the loopback address, of an installed PostgreSQL that has Citus. */

/** Debian's folder of releases of PostgreSQL. */
const RELEASES = '/usr/lib/postgresql';

/** What a node of a cluster needs beside the defaults. */
const OF_CITUS = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 600',
  // Each database has a process of the extension.
  'max_worker_processes = 100',
  'wal_level = logical',
];

/** What any gets; the last ones spare what only a crash would need. */
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  'max_connections = 300',
  'fsync = off',
  'full_page_writes = off',
  'synchronous_commit = off',
];

/** The folder of programs of the newest PostgreSQL that has Citus; undefined where none has. */
export function findCitus() {
  if (!existsSync(RELEASES)) return undefined;
  const releases = readdirSync(RELEASES).filter((release) => existsSync(join(RELEASES, release, 'lib/citus.so')));
  const [newest] = releases.sort((one, other) => Number(other) - Number(one));
  return newest && join(RELEASES, newest, 'bin');
}

/** Runs a program as the user of PostgreSQL, which refuses to run as root. */
export function runAsPostgres(file, args) {
  const isRoot = process.getuid?.() === 0;
  const [command, all] = isRoot
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', file, ...args]]
    : [file, args];
  // Nodes would look for certificates at the home of whoever runs the tests.
  const env = { ...process.env, HOME: '/nonexistent' };
  return execFileSync(command, all, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], cwd: '/', env });
}

/**
 * Starts a cluster in an empty folder.
 *
 * @param ports of the coordinator, and of two workers
 * @param settings lines that count beside those of tests
 * @returns the coordinator's connection string
 */
export async function startCluster(bin, folder, ports, settings = []) {
  await giveToPostgres(folder);
  for (const [node, port] of ports.entries()) makeNode(bin, folder, node, port, settings);
  const [coordinator, ...workers] = ports;
  sql(bin, coordinator, `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`);
  for (const worker of workers) sql(bin, coordinator, `select citus_add_node('127.0.0.1', ${worker})`);
  return `postgresql://postgres@127.0.0.1:${coordinator}/postgres`;
}

/** Makes a node with the extension in its database, which is in no cluster yet, and starts it. */
export function makeNode(bin, folder, node, port, settings = []) {
  init(bin, folder, node, [`port = ${port}`, ...OF_CITUS, ...settings]);
  startNode(bin, folder, node);
  sql(bin, port, 'create extension citus');
}

/** The node of a folder that `startPlain` starts. */
export const PLAIN = 3;

/**
 * Starts one PostgreSQL of the same release, without Citus, in a folder of its own or beside a cluster.
 *
 * @param settings lines that count beside those of tests
 * @returns its connection string
 */
export async function startPlain(bin, folder, port, settings = []) {
  await giveToPostgres(folder);
  init(bin, folder, PLAIN, [`port = ${port}`, ...settings]);
  startNode(bin, folder, PLAIN);
  return `postgresql://postgres@127.0.0.1:${port}/postgres`;
}

/** Makes a node; of the settings the later ones count. */
function init(bin, folder, node, settings) {
  const data = join(folder, `node${node}`);
  const locale = ['-E', 'UTF8', '--no-locale'];
  runAsPostgres(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', ...locale, '-N']);
  const all = [`unix_socket_directories = '${folder}'`, ...SETTINGS, ...settings];
  appendFileSync(join(data, 'postgresql.conf'), `${all.join('\n')}\n`);
}

/** Starts a node that was stopped. */
export function startNode(bin, folder, node) {
  const log = join(folder, `node${node}.log`);
  runAsPostgres(join(bin, 'pg_ctl'), ['-D', join(folder, `node${node}`), '-w', '-l', log, 'start']);
}

/** Stops a node as a crash does. */
export function stopNode(bin, folder, node) {
  runAsPostgres(join(bin, 'pg_ctl'), ['-D', join(folder, `node${node}`), '-m', 'immediate', '-w', 'stop']);
}

/** Stops the nodes of a folder that run. */
export function stopCluster(bin, folder) {
  for (const node of [0, 1, 2])
    if (existsSync(join(folder, `node${node}`, 'postmaster.pid'))) stopNode(bin, folder, node);
}

/** Stops what `startPlain` has started. */
export function stopPlain(bin, folder) {
  stopNode(bin, folder, PLAIN);
}

function sql(bin, port, text) {
  runAsPostgres(join(bin, 'psql'), [
    '-X',
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'postgres',
    '-d',
    'postgres',
    '-qAtc',
    text,
  ]);
}

/** Lets the user of PostgreSQL write to a folder. */
export async function giveToPostgres(folder) {
  if (process.getuid?.() !== 0) return;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  await chown(folder, id('-u'), id('-g'));
}
