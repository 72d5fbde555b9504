import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readJson } from '@countersign/protocol';
import { conditions, connectToDatabase } from '../conditions.mjs';
import { inFolder } from '../in-folder.mjs';
import { assertInvariants } from '../invariants.mjs';
import { freePort, startGenerator, startServer } from '../processes.mjs';
import { usageOf } from '../usage.mjs';
import { readOptions, usage } from './options.mjs';
import { draw } from './picture.mjs';
import { failures, lineOf, reportOf } from './report.mjs';
import { findHighestRate, TRY } from './search.mjs';
import { LATE } from './seconds.mjs';

/** Transfers and their rate by which everything is warmed up. */
const WARM = { rate: 50, seconds: 10 };

/** Seconds after the last answer in which all events must have come. */
const PATIENCE = 10;

/** Seconds that a rate which was too high has for its events, before the next one is tried. */
const RECOVERY = 300;

/** Seconds between two lines about a long run. */
const TOLD = 10;

const USED = `select pg_database_size(current_database())::float8 as database, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Measures a scheme of banks at an even rate of transfers with everything on, and writes a report.
 *
 * @returns the exit status: 0 when the run holds the bar, else 1
 */
export async function benchScheme(args) {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  return inFolder(options.data, async (folder, children) => {
    const scheme = await startScheme(options, folder, children);
    return measure(scheme, options, await conditions(folder));
  });
}

async function startScheme({ server = here('../../packages/server/dist/main.js'), workers }, folder, children) {
  const [port, receiver] = [await freePort(), await freePort()];
  const env = {
    PORT: port,
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    DELIVERY_ALLOW_PRIVATE: 'true',
    WORKERS: workers,
    // The load comes from one address, and fills one ledger for an hour.
    ADDRESS_REQUESTS: 'off',
    LEDGER_WRITES: 'off',
  };
  const ledger = await startServer([server], env);
  children.push(ledger.child);
  const webhook = (await startServer([here('./receiver.mjs')], { PORT: receiver })).child;
  children.push(webhook);
  const load = startGenerator(here('./load.mjs'));
  children.push(load.child);
  const database = await connectToDatabase(folder);
  database.on('error', () => {});
  await load.tell('found', { port, receiver });
  const ask = async (path) => readJson(await (await fetch(`http://127.0.0.1:${receiver}${path}`)).text());
  return { ledger, webhook, load, database, ask };
}

async function measure(scheme, { rate, first, seconds, workers, out }, conditions) {
  const { database } = scheme;
  let sent = 0;
  const attempt = async (options, told) => {
    const run = await runAt(scheme, options, told);
    sent += run.load.count - run.load.refused;
    return run;
  };
  await attempt(WARM);
  const tries = [];
  const found =
    rate ??
    (await findHighestRate(first, async (rate) => {
      const run = await attempt({ rate, seconds: TRY });
      tries.push(lineOf(run));
      console.log(tries.at(-1));
      return failures(run).length === 0;
    }));
  if (found === undefined) throw new Error(`not even ${first} transfers a second hold the bar: ${tries[0]}`);
  console.log(`${found} transfers a second for ${seconds / 60} minutes`);
  const run = { ...(await attempt({ rate: found, seconds }, console.log)), workers };
  await assertInvariants(database, sent);
  await database.end();
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'report.md'), reportOf(run, conditions, tries));
  await writeFile(join(out, 'report.svg'), draw(panelsOf(run.seconds)));
  console.log(`${lineOf(run)}\nreport: ${join(out, 'report.md')}`);
  return failures(run).length === 0 ? 0 : 1;
}

/** Sends transfers at a rate for so many seconds, and waits for their events. */
async function runAt({ ledger, webhook, load, database, ask }, { rate, seconds: length }, told = () => {}) {
  await ask('/begin');
  const before = await used({ ledger, webhook, load, database });
  const { received: had, again: hadAgain } = await ask('/second');
  const seconds = [];
  let last = before.processor;
  const onSecond = async ({ second }) => {
    if (second === undefined) return;
    const processor = processorOf({ ledger, webhook, load });
    const events = await ask('/second');
    seconds.push({ ...second, events, processor: difference(processor, last) });
    last = processor;
    if (seconds.length % TOLD === 0) told(progressOf(seconds));
  };
  load.child.on('message', onSecond);
  const done = await Promise.race([load.tell('run', { rate, seconds: length }), ledger.ended]);
  load.child.off('message', onSecond);
  const expected = had + done.count - done.refused;
  const allCame = async (seconds) => {
    for (let waited = 0; waited < seconds * 10; waited += 1) {
      if ((await ask('/all')).received >= expected) break;
      await pause(100);
    }
  };
  await allCame(PATIENCE);
  const after = await used({ ledger, webhook, load, database });
  const { received, again, ...delivered } = await ask('/all');
  await allCame(RECOVERY);
  return {
    rate,
    seconds,
    load: done,
    events: { ...delivered, received: received - had, again: again - hadAgain },
    processor: { ...difference(after.processor, before.processor), memory: after.processor.memory },
    disk: difference(after.disk, before.disk),
  };
}

async function used({ database, ...processes }) {
  const { rows } = await database.query(USED);
  return { disk: rows[0], processor: processorOf(processes) };
}

/** Milliseconds of processor time; none where the system does not tell. */
function processorOf({ ledger, webhook, load }) {
  const { server, database, memory } = usageOf(ledger.child) ?? { server: 0, database: 0, memory: 0 };
  return {
    server,
    database,
    load: usageOf(load.child)?.server ?? 0,
    receiver: usageOf(webhook)?.server ?? 0,
    memory,
  };
}

function difference(after, before) {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]]));
}

function progressOf(seconds) {
  const recent = seconds.slice(-TOLD);
  const mean = (of) => recent.reduce((sum, one) => sum + of(one), 0) / recent.length;
  const most = (of) => Math.max(...recent.map(of));
  return [
    `${String(seconds.length).padStart(5)} s`,
    `${mean(({ count }) => count).toFixed(0)}/s answered`,
    `p99 ${most(({ p99 }) => p99).toFixed(0)} ms`,
    `delivered p99 ${most(({ events }) => events.p99).toFixed(0)} ms`,
    `${recent.reduce((sum, { refused }) => sum + refused, 0)} refused`,
  ].join('  ');
}

function panelsOf(seconds) {
  const line = (name, of) => ({ name, values: seconds.map(of) });
  // A process that ends while all are read is missing once, and is there again with all of its time.
  const most = availableParallelism() * 100;
  const share = (name, which) => line(name, ({ processor }) => Math.min(most, Math.max(0, processor[which] / 10)));
  return [
    {
      title: 'Transfers',
      unit: 'per second',
      lines: [
        line('answered', ({ count }) => count),
        line('delivered', ({ events }) => events.count),
        line('refused', ({ refused }) => refused),
      ],
    },
    {
      title: 'Due to answered',
      unit: 'ms',
      marks: [LATE],
      lines: [line('p50', ({ p50 }) => p50), line('p99', ({ p99 }) => p99)],
    },
    {
      title: 'Signed to received by the webhook',
      unit: 'ms',
      lines: [line('p50', ({ events }) => events.p50), line('p99', ({ events }) => events.p99)],
    },
    {
      title: 'Processor time',
      unit: '% of one processor',
      lines: [
        share('server', 'server'),
        share('PostgreSQL', 'database'),
        share('load', 'load'),
        share('receiver', 'receiver'),
      ],
    },
  ];
}
