import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchCluster } from './cluster/run.mjs';
import { conditions } from './conditions.mjs';
import { measureDeliveries } from './deliveries.mjs';
import { measureFairness } from './fairness.mjs';
import { inFolder } from './in-folder.mjs';
import { measureLog } from './log.mjs';
import { Measure } from './measure.mjs';
import { MoneyMeasure } from './money.mjs';
import { readOptions, usage } from './options.mjs';
import { freePort, startGenerator, startServer } from './processes.mjs';
import { benchScheme } from './scheme/run.mjs';
import { shapes } from './shapes.mjs';
import { benchSize } from './size/run.mjs';
import { table } from './table.mjs';
import { measureSteal, usageOf } from './usage.mjs';

/** Records loaded between two lines about how fast that goes. */
const STRETCH = 50_000;

/** Requests prepared at a time while loading. */
const LOADED = 10_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

try {
  const [first, ...others] = process.argv.slice(2);
  const apart = { cluster: benchCluster, scheme: benchScheme, size: benchSize }[first];
  const options = apart ? undefined : readOptions(process.argv.slice(2));
  if (apart) process.exitCode = await apart(others);
  else if (options.help) console.log(usage);
  else await bench(options);
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}

/** Starts everything in a folder of its own, measures, prints, and leaves nothing behind. */
function bench(options) {
  return inFolder(undefined, (folder, children) => benchIn(options, folder, children));
}

async function benchIn(options, folder, children) {
  const ports = {
    ledger: await freePort(),
    write: await freePort(),
    read: await freePort(),
    token: await freePort(),
    receiver: await freePort(),
  };
  const ledger = await startLedger(options, ports.ledger, folder);
  const servers = { ledger: ledger.child };
  children.push(ledger.child);
  for (const name of ['write', 'read', 'token']) {
    servers[name] = (await startServer([here(`./ceiling/${name}.mjs`)], { PORT: ports[name] })).child;
    children.push(servers[name]);
  }
  const receiver = (await startServer([here('./receiver.mjs')], { PORT: ports.receiver })).child;
  children.push(receiver);
  const generator = startGenerator();
  children.push(generator.child);
  for (const [name, value] of await conditions(folder)) console.log(`${name.padEnd(16)}${value}`);
  console.log(
    `${'load'.padEnd(16)}${options.connections} connections, median of ${options.rounds} x ${options.seconds} s each\n`,
  );
  const { only, deliveries, money, log, fairness } = options;
  const effects = deliveries || only.includes('create-effect');
  await generator.tell('found', { port: ports.ledger, only, ...(effects ? { receiver: ports.receiver } : {}) });
  const steal = measureSteal();
  const measure = new Measure(generator.tell, ports, options, (name) => usageOf(servers[name]));
  try {
    if (only.length > 0) await Promise.race([measureAll(measure, options), ledger.ended]);
    if (deliveries) {
      const measured = measureDeliveries(generator.tell, ports, receiver, options);
      console.log(`\n${(await Promise.race([measured, ledger.ended])).join('\n')}`);
    }
    if (log) {
      const measured = measureLog(generator.tell, { port: ports.ledger, folder }, options);
      console.log(`\n${(await Promise.race([measured, ledger.ended])).join('\n')}`);
    }
    if (money) await measureMoney(generator.tell, options, children, folder);
    if (fairness) await measureTenants(generator.tell, options, children, folder);
    console.log(`\n${'steal'.padEnd(16)}${formatSteal(steal())}`);
  } finally {
    if (ledger.said() !== '') console.log(`\nThe server said:\n${ledger.said()}`);
  }
}

/** Measures settling on two more servers, with one worker and with two, which leave nothing behind either. */
async function measureMoney(tell, options, children, folder) {
  const servers = [];
  for (const workers of options.grow === undefined ? [1, 2] : [1, 2, 1]) {
    const own = join(folder, `money-${servers.length}`);
    await mkdir(own);
    const port = await freePort();
    const { child } = await startLedger(options, port, own, workers);
    children.push(child);
    servers.push({ port, folder: own, child });
  }
  const port = await freePort();
  const { child } = await startServer([here('./ceiling/settle.mjs')], { PORT: port });
  children.push(child);
  const measure = new MoneyMeasure(tell, servers, { port, child }, options);
  console.log(`\n${(await measure.all()).join('\n')}`);
}

/** Measures what tenants take from one another, on one more server with two processes. */
async function measureTenants(tell, options, children, folder) {
  const own = join(folder, 'fairness');
  await mkdir(own);
  const port = await freePort();
  const { child, ended } = await startLedger(options, port, own, 2);
  children.push(child);
  const quiet = startGenerator();
  children.push(quiet.child);
  console.log(`\n${(await Promise.race([measureFairness(port, quiet.tell, tell), ended])).join('\n')}`);
}

function formatSteal(share) {
  return share === undefined ? 'unknown' : `${Math.round(share * 100)}% of the processors' time`;
}

function startLedger({ server = here('../packages/server/dist/main.js'), profile }, port, folder, workers) {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const env = {
    PORT: port,
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    DELIVERY_ALLOW_PRIVATE: 'true',
    // The load comes from one address.
    ADDRESS_REQUESTS: 'off',
    ADDRESS_LEDGERS: 'off',
    LEDGER_WRITES: 'off',
    ...(workers === undefined ? {} : { WORKERS: workers }),
  };
  return startServer([...profiling, server], env);
}

async function measureAll(measure, { grow }) {
  await measure.warmUp();
  const before = await measure.all();
  console.log(report(before));
  if (grow === undefined) return;
  console.log('');
  await load(measure, grow);
  const after = await measure.all();
  console.log(`\n${report(after)}\n`);
  console.log(compared(before, after));
}

/** Creates `target` more wallets, over the same path as everybody. */
async function load(measure, target) {
  for (let loaded = 0; loaded < target; ) {
    const stretch = Math.min(STRETCH, target - loaded);
    let seconds = 0;
    for (let done = 0; done < stretch; ) {
      const count = Math.min(LOADED, stretch - done);
      seconds += count / (await measure.create(count));
      done += count;
    }
    loaded += stretch;
    console.log(`${loaded} records loaded, the last ${stretch} at ${Math.round(stretch / seconds)}/s`);
  }
}

function report(figures) {
  const rows = figures.map(
    ({ shape, perSecond, p50, p99, ceiling, ratio, work, cpu, cpuDatabase, cpuCeiling, memory }) => [
      shapes[shape].title,
      formatWork(work),
      perSecond.toFixed(0),
      p50.toFixed(1),
      p99.toFixed(1),
      ceiling?.toFixed(0) ?? '',
      ratio?.toFixed(2) ?? '',
      [cpu, cpuDatabase, cpuCeiling].map((time) => time?.toFixed(0) ?? '-').join(' / '),
      memory?.toFixed(0) ?? '',
    ],
  );
  const figured = table(
    ['', 'work', 'requests/s', 'p50 ms', 'p99 ms', 'ceiling/s', 'ratio', 'µs server / database / ceiling', 'MiB'],
    rows,
  );
  const costs = figures
    .filter(({ cost }) => cost !== undefined)
    .map(
      ({ shape, cost }) => `${titleOf(shape)}: ${cost.toFixed(2)} times the cost of ${titleOf(shapes[shape].against)}`,
    );
  return [figured, ...costs].join('\n\n');
}

/** Processor time of server and database over that of the ceiling; empty where the system does not tell, or without a ceiling. */
function formatWork(work) {
  return Number.isFinite(work) ? work.toFixed(2) : '';
}

function titleOf(shape) {
  return shapes[shape].title;
}

/** What a request costs now against what it cost before. */
function compared(before, after) {
  const rows = after.map(({ shape, perSecond }, at) => [
    shapes[shape].title,
    (1e6 / before[at].perSecond).toFixed(0),
    (1e6 / perSecond).toFixed(0),
    (before[at].perSecond / perSecond).toFixed(2),
  ]);
  return table(['', 'µs before', 'µs after', 'ratio'], rows);
}
