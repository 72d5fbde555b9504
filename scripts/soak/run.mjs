import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hash as hashOf, verifyProof } from '@countersign/protocol';
import { freePort } from '../../bench/processes.mjs';
import { native } from '../../packages/server/dist/auth/native-suite.js';
import { Ledger } from './ledger.mjs';
import { readOptions } from './options.mjs';

/** Receivers: the second one refuses half of what it gets, the third one is killed. */
const RECEIVERS = 4;
const REFUSES = 1;
const KILLED = 2;

/** Requests that are under way at a time. */
const WRITERS = 32;

/** Minutes after which something is wrong. */
const PATIENCE = 15;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { events, workers, kills: KILLS, refusals } = readOptions(process.argv.slice(2));

process.exitCode = await soak(events, String(workers));

/** Starts everything in a folder of its own, breaks it, checks, prints, and leaves nothing behind. @returns exit status */
async function soak(events, workers) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-soak-'));
  const world = { port: await freePort(), folder, workers, server: undefined, receivers: [] };
  try {
    world.server = await startServer(world);
    const began = performance.now();
    const { ledger, created, seen, system } = await makeEvents(world, events);
    const retries = await everyEvent(ledger, seen, events);
    const seconds = (performance.now() - began) / 1_000;
    await settled(ledger);
    const deliveries = await verifyDeliveries(ledger, system);
    return report({ events, created, seen, deliveries, seconds, retries });
  } finally {
    for (const receiver of world.receivers) receiver?.kill('SIGKILL');
    killGroup(world.server, 'SIGTERM');
    if (world.server) await once(world.server, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes the events, while receivers and the server are killed. */
async function makeEvents(world, events) {
  const ledger = new Ledger(`http://127.0.0.1:${world.port}/v2`, 'soak');
  await ledger.found();
  const system = (await ledger.read('/signers/system')).data.public;
  const seen = { wallets: new Map(), handles: new Map(), received: 0, refused: 0, faults: 0 };
  for (let number = 0; number < RECEIVERS; number += 1) {
    const port = await freePort();
    world.receivers[number] = await startReceiver(number, port, system, seen);
    const action = { schema: 'webhook', endpoint: `http://127.0.0.1:${port}/` };
    const filter = { 'wallet.data.custom.receiver': number };
    await ledger.create('/effects', { handle: `effect-${number}`, signal: 'wallet-created', filter, action });
    world.receivers[number].at = port;
  }
  const created = new Set();
  let next = 0;
  const write = async () => {
    while (next < events) {
      const number = next++;
      const handle = `wallet-${number}`;
      await ledger.create('/wallets', { handle, custom: { receiver: number % RECEIVERS } });
      created.add(handle);
    }
  };
  const breaking = breakThings(world, () => created.size / events, { system, seen });
  await Promise.all([...Array.from({ length: WRITERS }, write), breaking]);
  return { ledger, created, seen, system };
}

/** Kills the server so often, in equal parts of the events, and one receiver after the first time. */
async function breakThings(world, progress, { system, seen }) {
  const until = async (share) => {
    while (progress() < share) await pause(5);
  };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await until(kill / (KILLS + 1));
    killGroup(world.server, 'SIGKILL');
    await once(world.server, 'exit');
    world.server = await startServer(world);
    if (kill !== 1) continue;
    const { at } = world.receivers[KILLED];
    world.receivers[KILLED].kill('SIGKILL');
    await pause(2_000);
    world.receivers[KILLED] = await startReceiver(KILLED, at, system, seen);
  }
}

async function startServer({ port, folder, workers }) {
  const env = {
    ...process.env,
    PORT: port,
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: folder,
    WORKERS: workers,
    LOG_LEVEL: 'fatal',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    DELIVERY_ALLOW_PRIVATE: 'true',
    // What a killed server leaves is waited for.
    BACKGROUND_LEASE: 3_000,
  };
  const child = spawn(process.execPath, [here('../../packages/server/dist/main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('listening on ')) break;
  child.stdout.resume();
  return child;
}

async function startReceiver(number, port, system, seen) {
  const refused = number === REFUSES ? 0.5 : 0;
  const child = fork(here('./receiver.mjs'), [port, system, refused, refusals]);
  await once(child, 'message');
  child.on('message', ({ event, wallet, fault, takes }) => {
    seen.received += 1;
    if (fault !== undefined) seen.faults += 1;
    if (!takes) {
      seen.refused += 1;
      return;
    }
    seen.wallets.set(wallet, (seen.wallets.get(wallet) ?? 0) + 1);
    seen.handles.set(event, wallet);
  });
  return child;
}

/** Waits until every wallet has been told of. Of what a receiver refuses at random, some is refused until it is given up. */
async function everyEvent(ledger, { wallets }, events) {
  const late = performance.now() + PATIENCE * 60_000;
  let retries = 0;
  while (wallets.size < events && performance.now() < late) {
    await settled(ledger);
    if (wallets.size >= events) break;
    retries += 1;
    await ledger.retry(`effect-${REFUSES}`);
    await pause(1_000);
  }
  return retries;
}

/** Waits until no delivery is open any more. */
async function settled(ledger) {
  for (let number = 0; number < RECEIVERS; number += 1) {
    const open = ['pending', 'running', 'failed'].map((status) => `meta.status.$in[]=${status}`).join('&');
    const late = performance.now() + PATIENCE * 60_000;
    const path = `/effects/effect-${number}/events?page.limit=1&${open}`;
    while ((await ledger.read(path)).data.length > 0 && performance.now() < late) await pause(200);
  }
}

/** Reads every delivery, and verifies its hash and proofs. */
async function verifyDeliveries(ledger, system) {
  const found = { count: 0, delivered: 0, proofs: 0, faults: 0, attempts: 0 };
  for (let number = 0; number < RECEIVERS; number += 1) {
    for (let index = 0; ; index += 1) {
      const page = await ledger.read(`/effects/effect-${number}/events?page.limit=200&page.index=${index}`);
      for (const delivery of page.data) count(found, delivery, system);
      if (page.data.length < 200) break;
    }
  }
  return found;
}

function count(found, { hash, data, meta }, system) {
  const said = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  found.count += 1;
  found.delivered += Number(meta.status === 'delivered');
  found.attempts += meta.replay;
  found.proofs += meta.proofs.length;
  const isRight = (proof) => proof.public === system && verifyProof(hash, proof, native);
  if (hashOf(said, native) !== hash || !meta.proofs.every(isRight)) found.faults += 1;
}

/** Prints the figures. @returns 0 when all is as it has to be */
function report({ events, created, seen, deliveries, seconds, retries }) {
  const invented = [...seen.wallets.keys()].filter((wallet) => !created.has(wallet)).length;
  const again = seen.received - seen.refused - seen.wallets.size;
  const lines = [
    ['events', `${created.size} of ${events} created in ${seconds.toFixed(1)} s, with ${KILLS} kills of the server`],
    ['received', `${seen.received}, of which ${seen.refused} were refused and ${again} came again`],
    ['missing', created.size - seen.wallets.size],
    ['invented', invented],
    ['bodies that do not verify', seen.faults],
    ['events with two handles', seen.handles.size - seen.wallets.size],
    ['deliveries', `${deliveries.count}, ${deliveries.delivered} delivered, ${deliveries.attempts} attempts`],
    ['retries by request', retries],
    ['proofs', `${deliveries.proofs}; deliveries that do not verify: ${deliveries.faults}`],
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(28)}${value}`);
  const isRight =
    created.size === events &&
    seen.wallets.size === events &&
    invented === 0 &&
    seen.faults === 0 &&
    seen.handles.size === events &&
    deliveries.count === events &&
    deliveries.faults === 0;
  console.log(isRight ? 'soak: as it has to be' : 'soak: NOT as it has to be');
  return isRight ? 0 : 1;
}

function killGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
