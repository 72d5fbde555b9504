import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { conditions, connectToDatabase } from '../conditions.mjs';
import { inFolder } from '../in-folder.mjs';
import { freePort, startGenerator, startServer } from '../processes.mjs';
import { shapes } from '../shapes.mjs';
import { table } from '../table.mjs';
import { usageOf } from '../usage.mjs';
import { load } from './load.mjs';
import { measureShapes } from './measure.mjs';
import { readOptions, usage } from './options.mjs';

/** Wallets there are before anything is measured, and connections of each generator while it loads: most of the load are wallets. */
const SEED = 2_000;
const CONNECTIONS = { wallets: 64, money: 16 };

/** Changes between two lines about how fast that goes. */
const STRETCH = 100_000;

/** Sizes of the largest tables with their indexes, and of all. */
const SIZES = `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc limit 8`;
const WHOLE = `select pg_database_size(current_database())::float8 as database,
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
  (select count(*) from change)::int as changes, (select count(*) from record)::int as records`;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Measures every shape before and after many changes were loaded over the same path as everybody.
 *
 * @returns the exit status
 */
export async function benchSize(args) {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  await inFolder(options.data, (folder, children) => bench(options, folder, children));
  return 0;
}

async function bench(options, folder, children) {
  const port = await freePort();
  const ledger = await startLedger(options, port, folder);
  children.push(ledger.child);
  const [wallets, money] = [startGenerator(), startGenerator()];
  children.push(wallets.child, money.child);
  for (const [name, value] of await conditions(folder)) console.log(`${name.padEnd(16)}${value}`);
  const database = await connectToDatabase(folder);
  // A server that stops takes its database along; what stopped it is told elsewhere.
  database.on('error', () => {});
  await wallets.tell('found', { port, only: [] });
  await money.tell('foundMoney', { port });
  await wallets.tell('prepare', { shape: 'create', count: SEED });
  await wallets.tell('run', { shape: 'create', port, connections: CONNECTIONS.wallets, checked: true });
  const tellOf = (shape) => (shape === 'transfer' ? money.tell : wallets.tell);
  const measure = async () => {
    console.log(`measuring       load average ${loadavg()[0].toFixed(2)}`);
    const figures = await measureShapes(ledger.child, tellOf, port, options);
    console.log(report(figures));
    console.log(await sizes(database));
    return figures;
  };
  const both = async () => {
    await measureShapes(ledger.child, tellOf, port, { seconds: 1, rounds: 1 });
    const before = await measure();
    await loadAll(ledger.child, { wallets, money, port }, options);
    const after = await measure();
    console.log(compared(before, after));
  };
  await Promise.race([both(), ledger.ended]);
  await database.end();
}

function startLedger({ server = here('../../packages/server/dist/main.js'), workers }, port, folder) {
  return startServer([server], {
    PORT: port,
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    WORKERS: workers,
    // The load comes from one address, and fills two ledgers.
    ADDRESS_REQUESTS: 'off',
    LEDGER_WRITES: 'off',
    LEDGER_QUOTA: 'off',
    // As fast as they are taken: what waits longest is not given up.
    REQUEST_TIMEOUT: 120_000,
  });
}

async function loadAll(server, { wallets, money, port }, { changes: target, minutes }) {
  const began = performance.now();
  const until = began + minutes * 60_000;
  let last = { changes: 0, at: began, used: usageOf(server) };
  console.log(`loading         ${target} changes, for ${minutes} minutes at most`);
  const told = ({ changes }) => {
    if (changes - last.changes < STRETCH) return;
    const now = { changes, at: performance.now(), used: usageOf(server) };
    const made = now.changes - last.changes;
    const each = (name) => (((now.used?.[name] - last.used?.[name]) * 1_000) / made).toFixed(0);
    const speed = (made / (now.at - last.at)) * 1_000;
    console.log(
      `${String(Math.round((now.at - began) / 1_000)).padStart(6)} s  ${changes} changes, the last ${made} at ${speed.toFixed(0)}/s; ` +
        `processor time of each: server ${each('server')} µs, PostgreSQL ${each('database')} µs; ` +
        `server ${now.used?.memory.toFixed(0)} MiB; load average ${loadavg()[0].toFixed(1)}`,
    );
    last = now;
  };
  const isEnough = (made) => made >= target || performance.now() >= until;
  const made = await load(wallets.tell, money.tell, port, { connections: CONNECTIONS, isEnough, told });
  const seconds = (performance.now() - began) / 1_000;
  console.log(`loaded          ${made} changes in ${seconds.toFixed(0)} s, ${(made / seconds).toFixed(0)}/s`);
}

async function sizes(database) {
  const { rows: whole } = await database.query(WHOLE);
  const { rows } = await database.query(SIZES);
  const [{ changes, records, ...bytes }] = whole;
  const megabytes = (value) => `${(value / 1e6).toFixed(0)} MB`;
  return [
    `${changes} changes of ${records} records; database ${megabytes(bytes.database)}, write-ahead log so far ${megabytes(bytes.wal)}`,
    ...rows.map(({ name, bytes }) => `  ${name.padEnd(20)}${megabytes(bytes).padStart(10)}`),
  ].join('\n');
}

const titleOf = (shape) => shapes[shape]?.title ?? shape;

function report(figures) {
  const rows = figures.map(({ shape, rate, p50, p99, greatest, server, database }) => [
    titleOf(shape),
    String(rate),
    ...[p50, p99, greatest].map((value) => value.toFixed(1)),
    `${server.toFixed(0)} / ${database.toFixed(0)}`,
  ]);
  return table(['', 'requests/s', 'p50 ms', 'p99 ms', 'greatest ms', 'µs server / database'], rows);
}

/** How many times as long, and as much work, a request takes now. */
function compared(before, after) {
  const rows = after.map(({ shape, p50, p99, server, database }, at) => [
    titleOf(shape),
    ...[
      p50 / before[at].p50,
      p99 / before[at].p99,
      (server + database) / (before[at].server + before[at].database),
    ].map((times) => times.toFixed(2)),
  ]);
  return table(['after / before', 'p50', 'p99', 'processor time'], rows);
}
