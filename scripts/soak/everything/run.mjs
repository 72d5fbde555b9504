import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { conditions, connectToDatabase } from '../../../bench/conditions.mjs';
import { freePort } from '../../../bench/processes.mjs';
import { draw } from '../../../bench/scheme/picture.mjs';
import { Breaking } from './breaking.mjs';
import { check, drained } from './checks.mjs';
import { Disturbances } from './disturbances.mjs';
import { Findings } from './findings.mjs';
import { Load } from './load.mjs';
import { Memory } from './memory.mjs';
import { readOptions, usage } from './options.mjs';
import { eventsOf, LOOK, panelsOf, reportOf } from './report.mjs';
import { Server } from './server.mjs';
import { Tenant } from './tenant.mjs';
import { Traffic } from './traffic.mjs';

/** Milliseconds from one sample of the memory to the next. */
const SAMPLE = 5_000;

/**
 * Has a server do everything at once while parts of it are ended, and sees that nothing is lost.
 *
 * @returns the exit status: 0 when all is as it has to be, else 1
 */
export async function soakEverything(args) {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (process.platform !== 'linux') throw new Error('it reads /proc, which Linux alone has');
  // PostgreSQL runs as another user than root, and has to get there.
  const folder = await mkdtemp(join(tmpdir(), 'countersign-soak-'));
  const world = {
    folder,
    server: new Server(),
    tenants: [],
    disturbances: new Disturbances(),
    findings: new Findings(),
  };
  const end = async () => {
    for (const { bank } of world.tenants) await bank?.kill();
    for (const { effects } of world.tenants) for (const { receiver } of Object.values(effects)) await receiver.close();
    const code = await world.server.stop();
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  const interrupted = () => void end().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  try {
    await mkdir(options.out, { recursive: true });
    const run = await soak(options, world);
    await report(run, world);
  } finally {
    const code = await end();
    if (code !== 0) world.findings.add(`the server ended with ${code}`, '');
  }
  const { count, details } = world.findings;
  for (const line of details) console.log(line.slice(0, 1_000));
  console.log(count === 0 ? 'soak: as it has to be' : `soak: NOT as it has to be, ${count} times`);
  return count === 0 ? 0 : 1;
}

async function soak(options, world) {
  const { server, folder, tenants, disturbances, findings } = world;
  const port = await freePort();
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o711 });
  await server.start({ port, folder: data, workers: options.workers, log: join(options.out, 'server.log') });
  const traffic = new Traffic(port, disturbances, findings);
  const load = new Load({ tenants, findings, rate: options.rate });
  const delivered = (milliseconds) => load.times.delivered.add(milliseconds);
  for (let number = 0; number < options.ledgers; number += 1) {
    const context = { handle: `soak-${number}`, port, folder, traffic, findings, delivered };
    const tenant = new Tenant(context);
    tenants.push(tenant);
    await tenant.found();
  }
  const made = await conditions(data);
  const [spared] = server.workers();
  const memory = new Memory(server, spared);
  const breaking = new Breaking({ ...world, spared, seconds: options.seconds });
  const looks = [];
  const timers = [
    setInterval(() => memory.sample(), SAMPLE),
    setInterval(() => look({ world, load, memory, looks }), LOOK * 1_000),
  ];
  console.log(`${options.rate} operations a second for ${options.seconds / 60} minutes, ${options.ledgers} ledgers`);
  breaking.start();
  const began = performance.now();
  await load.run(options.seconds, () => server.hasEnded);
  const seconds = (performance.now() - began) / 1_000;
  for (const timer of timers) clearInterval(timer);
  traffic.isOver = server.hasEnded;
  if (server.hasEnded) throw new Error(`the server has ended: see ${join(options.out, 'server.log')}`);
  if (!server.workers().includes(spared)) findings.add('a worker that nobody killed has ended', String(spared));
  await breaking.stop();
  const drain = await drained(tenants, findings, console.log);
  await check({ ...world, folder: data }, console.log);
  const verdicts = memory.verdicts();
  for (const { name, slope, isFlat } of verdicts)
    if (isFlat === false) findings.add('memory grows', `${name} by ${slope.toFixed(1)} MiB an hour`);
  const changes = await countChanges(data);
  return {
    options,
    conditions: made,
    tenants,
    load,
    traffic,
    findings,
    breaking,
    memory,
    verdicts,
    drain,
    looks,
    seconds,
    changes,
  };
}

async function countChanges(data) {
  const database = await connectToDatabase(data);
  const { rows } = await database.query('select count(*)::int as changes from change');
  await database.end();
  return rows[0].changes;
}

/** Notes the last ten seconds, and prints a line about them. */
function look({ world, load, memory, looks }) {
  const { distinct } = eventsOf(world.tenants);
  const last = looks.at(-1) ?? { begun: 0, distinct: 0 };
  const times = Object.fromEntries(Object.entries(load.times).map(([name, sort]) => [name, sort.next()]));
  const operations = (load.begun - last.begun) / LOOK;
  looks.push({ begun: load.begun, distinct, operations, events: (distinct - last.distinct) / LOOK, times });
  const { primary = 0, spared = 0, postgres = 0 } = memory.samples.at(-1) ?? {};
  const failed = [...world.findings.expected.values()].reduce((sum, one) => sum + one, 0);
  console.log(
    [
      `${String(looks.length * LOOK).padStart(5)} s`,
      `${operations.toFixed(0)}/s`,
      `p99 ms: ${Object.entries(times)
        .map(([name, { p99 }]) => `${name} ${p99.toFixed(0)}`)
        .join(', ')}`,
      `${load.underWay} under way`,
      `${distinct} events`,
      `${failed} sent again`,
      `${world.findings.count} wrong`,
      `MiB: ${[primary, spared, postgres].map((one) => one.toFixed(0)).join(' ')}`,
      `load average ${loadavg()[0].toFixed(1)}`,
    ].join('  '),
  );
}

async function report(run, { findings }) {
  const { out } = run.options;
  await writeFile(join(out, 'report.md'), reportOf(run));
  await writeFile(join(out, 'report.svg'), draw(panelsOf(run.looks, run.memory.samples)));
  for (const [what, count] of findings.expected) console.log(`sent again, ${what}: ${count}`);
  for (const { name, mean, slope } of run.verdicts)
    console.log(`memory of ${name}: ${mean.toFixed(1)} MiB, ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MiB an hour`);
  console.log(`report: ${join(out, 'report.md')}`);
}
