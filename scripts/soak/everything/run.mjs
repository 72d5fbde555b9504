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
import { judgeLog } from './log.mjs';
import { Memory, SAMPLE } from './memory.mjs';
import { readOptions } from './options.mjs';
import { eventsOf, LOOK, panelsOf, reportOf } from './report.mjs';
import { Server } from './server.mjs';
import { Tenant } from './tenant.mjs';
import { Traffic } from './traffic.mjs';

/**
 * Has a server do everything at once while parts of it are ended, and sees that nothing is lost.
 *
 * @returns the exit status: 0 when all is as it has to be, else 1
 */
export async function soakEverything(args) {
  const options = readOptions(args);
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
  const run = { options, ...world, conditions: [], looks: [], seconds: 0, verdicts: [] };
  const interrupted = () => void end(run).finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  const { findings } = world;
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => findings.add('the soak has failed', error?.stack ?? String(error)));
  await mkdir(options.out, { recursive: true });
  await findings.of('the soak', () => soak(run));
  await findings.of('making whole again', () => run.breaking?.stop());
  if (run.load && !run.server.hasEnded) await settle(run);
  const code = await findings.of('ending the server', () => end(run));
  if (code !== 0) findings.add(`the server ended with ${code}`, `see ${logOf(options)}`);
  await findings.of('reading the log', () =>
    judgeLog(logOf(options), { ...world, counts: run.breaking?.counts ?? {} }),
  );
  run.traffic?.slowness.judge(findings);
  if (run.load) await findings.of('writing the report', () => report(run));
  for (const line of findings.details) console.log(line.slice(0, 1_000));
  const { count } = findings;
  console.log(count === 0 ? 'soak: as it has to be' : `soak: NOT as it has to be, ${count} times`);
  return count === 0 ? 0 : 1;
}

/** Ends all processes. @returns the exit code of the server */
async function end({ tenants, server, folder, findings }) {
  for (const { bank } of tenants) await findings.of('ending a bank', () => bank?.kill());
  for (const { effects } of tenants)
    for (const { receiver } of Object.values(effects)) await findings.of('closing a receiver', () => receiver.close());
  const code = await server.stop();
  await rm(folder, { recursive: true, force: true });
  return code;
}

function logOf({ out }) {
  return join(out, 'server.log');
}

/** Starts everything, and breaks parts of it under load; what there is of the run is in `run`, also when it throws. */
async function soak(run) {
  const { options, server, folder, tenants, disturbances, findings } = run;
  const port = await freePort();
  const data = dataOf(run);
  await mkdir(data, { mode: 0o711 });
  await server.start({ port, folder: data, workers: options.workers, log: logOf(options) });
  run.traffic = new Traffic(port, disturbances, findings);
  const load = new Load({ tenants, findings, rate: options.rate });
  const delivered = (milliseconds) => load.times.delivered.add(milliseconds);
  for (let number = 0; number < options.ledgers; number += 1) {
    const context = { handle: `soak-${number}`, port, folder, traffic: run.traffic, findings, delivered };
    const tenant = new Tenant(context);
    tenants.push(tenant);
    await tenant.found();
  }
  run.conditions = await conditions(data);
  const [spared] = server.workers();
  run.memory = new Memory(server, spared);
  run.breaking = new Breaking({ ...run, spared, seconds: options.seconds });
  run.load = load;
  const timers = [setInterval(() => run.memory.sample(), SAMPLE), setInterval(() => look(run), LOOK * 1_000)];
  console.log(`${options.rate} operations a second for ${options.seconds / 60} minutes, ${options.ledgers} ledgers`);
  run.breaking.start();
  const began = performance.now();
  try {
    await load.run(options.seconds, () => server.hasEnded);
  } finally {
    for (const timer of timers) clearInterval(timer);
    run.seconds = (performance.now() - began) / 1_000;
    run.traffic.isOver = server.hasEnded;
    judgeMemory(run);
  }
  if (server.hasEnded) findings.add('the server has ended by itself', `see ${logOf(options)}`);
  else if (!server.workers().includes(spared)) findings.add('a worker that nobody killed has ended', String(spared));
}

/** Waits until all is delivered, and compares. */
async function settle(run) {
  const { tenants, findings } = run;
  const folder = dataOf(run);
  run.drain = await findings.of('waiting for deliveries', () => drained(tenants, findings, console.log));
  await check({ tenants, findings, folder }, console.log);
  run.changes = await findings.of('counting changes', () => countChanges(folder));
}

function dataOf({ folder }) {
  return join(folder, 'data');
}

function judgeMemory(run) {
  run.verdicts = run.memory.verdicts(run.seconds);
  for (const { name, slope, points, verdict } of run.verdicts) {
    if (verdict === 'grows') run.findings.add('memory grows', `${name} by ${slope.toFixed(1)} MiB an hour`);
    if (verdict === 'too few samples') run.findings.add('memory has too few samples', `${name}: ${points}`);
  }
}

async function countChanges(data) {
  const database = await connectToDatabase(data);
  const { rows } = await database.query('select count(*)::int as changes from change');
  await database.end();
  return rows[0].changes;
}

/** Notes the last ten seconds, and prints a line about them. */
function look({ tenants, findings, load, memory, looks }) {
  const { distinct } = eventsOf(tenants);
  const last = looks.at(-1) ?? { begun: 0, distinct: 0 };
  const times = Object.fromEntries(Object.entries(load.times).map(([name, sort]) => [name, sort.next()]));
  const operations = (load.begun - last.begun) / LOOK;
  looks.push({ begun: load.begun, distinct, operations, events: (distinct - last.distinct) / LOOK, times });
  const { primary = 0, spared = 0, postgres = 0 } = memory.samples.at(-1) ?? {};
  const failed = [...findings.expected.values()].reduce((sum, one) => sum + one, 0);
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
      `${findings.count} wrong`,
      `MiB: ${[primary, spared, postgres].map((one) => one.toFixed(0)).join(' ')}`,
      `load average ${loadavg()[0].toFixed(1)}`,
    ].join('  '),
  );
}

async function report(run) {
  const { out } = run.options;
  await writeFile(join(out, 'report.md'), reportOf(run));
  await writeFile(join(out, 'report.svg'), draw(panelsOf(run.looks, run.memory.samples)));
  for (const [what, count] of run.findings.expected) console.log(`sent again, ${what}: ${count}`);
  for (const { name, mean, slope } of run.verdicts)
    console.log(`memory of ${name}: ${mean.toFixed(1)} MiB, ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MiB an hour`);
  console.log(`report: ${join(out, 'report.md')}`);
}
