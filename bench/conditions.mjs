import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** What the server's PostgreSQL runs with, asked of it. */
const asked = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];

/**
 * Under what conditions a run was made: without them its figures mean nothing.
 *
 * @param folder the data directory of the server
 * @param from how its PostgreSQL is reached, unless it is its own
 */
export async function conditions(folder, from = databaseIn(folder)) {
  const database = await databaseSettings(from);
  const processors = cpus();
  return [
    ['processors', `${processors.length} x ${processors[0]?.model.trim()}, shared by server, PostgreSQL and load`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['load before', loadavg()[0].toFixed(2)],
    ['Node.js', process.version],
    [
      'PostgreSQL',
      Object.entries(database)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    ],
    ['data directory', `${folder} on ${fileSystemOf(folder)}`],
  ];
}

async function databaseSettings(from) {
  const client = await connectTo(from);
  const settings = {};
  for (const name of asked) settings[name] = (await client.query(`show ${name}`)).rows[0][name];
  await client.end();
  return settings;
}

/**
 * A client of a server's own PostgreSQL; the caller ends it.
 *
 * @param folder the data directory of the server
 */
export function connectToDatabase(folder) {
  return connectTo(databaseIn(folder));
}

async function connectTo(from) {
  const client = new pg.Client(from);
  await client.connect();
  return client;
}

/** How a server's own PostgreSQL is reached: through its socket or port, as its files tell them. */
export function databaseIn(folder) {
  const cluster = join(folder, 'postgres', 'cluster');
  const [, , , port, socket, address] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(folder, 'postgres', 'password'), 'utf8').trim();
  return { host: socket || address, port: Number(port), user: 'countersign', database: 'countersign', password };
}

function fileSystemOf(folder) {
  try {
    const [, line] = execFileSync('df', ['-PT', folder], { encoding: 'utf8' }).split('\n');
    const [device, type] = line.split(/\s+/);
    return `${type} (${device})`;
  } catch {
    return 'an unknown file system';
  }
}
