import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encodeBase64, readJson } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { Founder } from './founder.mjs';
import { freePort, startServer, stop } from './processes.mjs';

/** Milliseconds before a count begins: what follows from the request before has ended by then. */
const QUIET = 1_500;

/** Requests of a sort before the one that is counted: they fill the caches. */
const WARM = 20;

/** Requests that are counted. */
const COUNTED = 3;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'countersign-reach-'));
const port = await freePort();
const { values: options } = parseArgs({
  options: {
    files: { type: 'boolean', default: false },
    server: { type: 'string', default: here('../packages/server/dist/main.js') },
  },
});
const { child } = await startServer(['--import', here('./reach/counting.mjs'), options.server], {
  PORT: port,
  HOST: '127.0.0.1',
  METRICS_PORT: 'off',
  DATA_DIR: join(folder, 'data'),
  LOG_LEVEL: 'warn',
  DATABASE_URL: '',
  PUBLIC_URL: '',
  WORKERS: '1',
  REACH_DIR: folder,
});
try {
  await reach();
} finally {
  await stop(child);
  rmSync(folder, { recursive: true, force: true });
}

/** Prints how many of the server's files and functions one request enters, of each sort. */
async function reach() {
  const secret = randomBytes(32);
  const founder = new Founder(port, 'reach', { secret, public: encodeBase64(native.publicKey(secret)) });
  await founder.found();
  await founder.create('/symbols', { handle: 'usd', factor: 100 });
  const wallet = (number) => founder.create('/wallets', { handle: `w-${number}` });
  await wallet('from');
  await wallet('to');
  await intent('issued', { action: 'issue', amount: 1_000_000, target: { handle: 'w-from' } });
  const sorts = {
    'create of a wallet': wallet,
    transfer: (number) =>
      intent(`t-${number}`, {
        action: 'transfer',
        amount: 1,
        source: { handle: 'w-from' },
        target: { handle: 'w-to' },
      }),
  };
  for (const [sort, send] of Object.entries(sorts)) {
    for (let number = 0; number < WARM; number += 1) await send(number);
    const idle = await entered(() => pause(QUIET));
    // What other work enters beside one of them, as sealing does, is not entered beside all.
    const counts = [];
    for (let count = 0; count < COUNTED; count += 1) counts.push(await entered(() => send(WARM + count)));
    print(sort, common(counts), idle);
  }

  function intent(handle, claim) {
    return founder.create('/intents', { handle, claims: [{ ...claim, symbol: { handle: 'usd' } }] });
  }
}

/** What each of the counts has. */
function common([first, ...others]) {
  const inAll = (file, name) => others.every((one) => one.get(file)?.has(name));
  return new Map([...first].map(([file, names]) => [file, new Set([...names].filter((name) => inAll(file, name)))]));
}

function print(sort, all, idle) {
  const files = [...all].map(([file, names]) => [file, [...names].filter((name) => !idle.get(file)?.has(name))]);
  const own = files.filter(([, names]) => names.length > 0);
  const count = own.reduce((sum, [, names]) => sum + names.length, 0);
  const ofServer = own.filter(([file]) => file.startsWith('server/'));
  console.log(`${sort}: ${ofServer.length} files of the server, ${own.length} of all packages, ${count} functions`);
  if (!options.files) return;
  for (const [file, names] of own.sort()) console.log(`  ${file} ${names.length}`);
}

/** The functions that are entered while something is done, by file, in the process that serves; none that only load a file. */
async function entered(work) {
  await pause(QUIET);
  await take();
  await work();
  const found = new Map();
  for (const { url, entered: names } of (await take()).flat()) {
    const file = url.slice(url.indexOf('/packages/') + '/packages/'.length).replace('/dist/', '/');
    const own = names.filter((name) => name !== '');
    if (own.length > 0) found.set(file, new Set([...(found.get(file) ?? []), ...own]));
  }
  return found;
}

/** What each process has entered since it was asked last. */
async function take() {
  const processes = readdirSync(folder)
    .filter((name) => name.endsWith('.pid'))
    .map((name) => Number.parseInt(name, 10));
  const before = new Map(processes.map((pid) => [pid, takenBy(pid).length]));
  for (const pid of processes) process.kill(pid, 'SIGUSR2');
  const written = async (pid) => {
    while (takenBy(pid).length === before.get(pid)) await pause(20);
    await pause(50);
    return readJson(readFileSync(join(folder, `${pid}-${before.get(pid) + 1}.json`), 'utf8'));
  };
  return Promise.all(processes.map(written));
}

function takenBy(pid) {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`${pid}-`)) : [];
}
