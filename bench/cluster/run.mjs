import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCitus, startCluster, startPlain, stopCluster, stopPlain } from '../../scripts/citus.mjs';
import { conditions } from '../conditions.mjs';
import { inFolder } from '../in-folder.mjs';
import { freePort, startGenerator, startServer } from '../processes.mjs';
import { measureSteal } from '../usage.mjs';
import { measureCalls } from './calls.mjs';
import { measureSides } from './measure.mjs';
import { findNodes } from './nodes.mjs';
import { readOptions, usage } from './options.mjs';
import { model, report } from './report.mjs';

/** What operators run with: tests spare it. */
const DURABLE = ['fsync = on', 'full_page_writes = on', 'synchronous_commit = on'];

/** Wallets of all ledgers together before anything is measured. */
const SEED = 4_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Measures the same work on one PostgreSQL and on a cluster, in turns.
 *
 * @returns the exit status
 */
export async function benchCluster(args) {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const bin = findCitus();
  if (bin === undefined) throw new Error('no installed PostgreSQL has the extension Citus');
  await inFolder(undefined, (folder, started) => bench(options, { bin, folder, started }));
  return 0;
}

async function bench(options, { bin, folder, started }) {
  await chmod(folder, 0o755);
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const plainUrl = await startPlain(bin, folder, ports[3], DURABLE);
  started.push(once(() => stopPlain(bin, folder)));
  const clusterUrl = await startCluster(bin, folder, ports.slice(0, 3), DURABLE);
  started.push(once(() => stopCluster(bin, folder)));
  if (options.calls !== undefined) {
    await benchCalls(plainUrl, clusterUrl, folder, options);
    return;
  }
  const sides = [
    await startSide('one PostgreSQL', plainUrl, options, { folder: join(folder, 'plain'), started }),
    await startSide('the cluster', clusterUrl, options, { folder: join(folder, 'cluster'), started }),
  ];
  for (const [name, value] of await conditions(folder, { connectionString: plainUrl }))
    console.log(`${name.padEnd(16)}${value}`);
  const { connections, rounds, seconds, ledgers } = options;
  console.log(
    `${'load'.padEnd(16)}${connections} connections, ${ledgers} ledgers in turns, median of ${rounds} x ${seconds} s each`,
  );
  for (const { name, nodes } of sides)
    console.log(
      `${name.padEnd(16)}${nodes.map(({ name: node, ledgers: own }) => `${node}: ${own} ledgers`).join(', ')}`,
    );
  const steal = measureSteal();
  const measured = measureSides(sides, options);
  const figures = await Promise.race([measured, ...sides.map(({ ended }) => ended)]);
  console.log(`\n${report(sides, figures)}\n\n${model(1, figures)}`);
  printSteal(steal());
}

async function benchCalls(plainUrl, clusterUrl, folder, options) {
  for (const [name, value] of await conditions(folder, { connectionString: plainUrl }))
    console.log(`${name.padEnd(16)}${value}`);
  console.log(`${'load'.padEnd(16)}one call at a time, ${options.rounds} rounds of ${options.calls} calls each`);
  const steal = measureSteal();
  console.log(`\n${await measureCalls(plainUrl, clusterUrl, options)}`);
  printSteal(steal());
}

function printSteal(share) {
  console.log(
    `\n${'steal'.padEnd(16)}${share === undefined ? 'unknown' : `${Math.round(share * 100)}% of the processors' time`}`,
  );
}

/** Makes a stop that runs once, even if an interrupt and the end of the run both ask for it. */
function once(halt) {
  let isStopped = false;
  return {
    async stop() {
      if (isStopped) return;
      isStopped = true;
      halt();
    },
  };
}

/** A server on a database, with ledgers, and what sends it the load. */
async function startSide(
  name,
  url,
  { server = here('../../packages/server/dist/main.js'), ledgers },
  { folder, started },
) {
  const port = await freePort();
  const { child, ended } = await startServer([server], {
    PORT: port,
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: folder,
    DATABASE_URL: url,
    LOG_LEVEL: 'warn',
    PUBLIC_URL: '',
    WORKERS: 1,
    // The load comes from one address.
    ADDRESS_REQUESTS: 'off',
    ADDRESS_LEDGERS: 'off',
    LEDGER_WRITES: 'off',
    // As fast as they are taken: what waits longest is not given up.
    REQUEST_TIMEOUT: 120_000,
  });
  started.push(child);
  const { child: generator, tell } = startGenerator();
  started.push(generator);
  await tell('foundMany', { port, ledgers, money: true });
  await tell('prepare', { shape: 'create-many', count: SEED });
  await tell('run', { shape: 'create-many', port, connections: 8, checked: true });
  return { name, port, tell, ended, server: child, nodes: await findNodes(url) };
}
