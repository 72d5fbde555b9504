import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { parts, workFolderOf } from './mutants/pure/parts.mjs';
import { ensureRelease, environmentWith } from './node-release.mjs';
import { npm } from './npm.mjs';
import { root, say } from './root.mjs';

const usage = `usage: npm run test:mutants:pure -- [part ...] [options of StrykerJS]

  Lets StrykerJS change the sources of each part, ${Object.keys(parts).join(', ')}: of all unless some are named.
  --mutate FILE  changes that file alone, or its lines: FILE:10-20
`;

/** The release of Node.js that StrykerJS runs under: it asks for a newer one than the repository does. */
const NODE = '24';

const configuration = 'scripts/mutants/pure';

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const first = args.findIndex((one) => one.startsWith('-'));
  const named = first < 0 ? args : args.slice(0, first);
  const options = first < 0 ? [] : args.slice(first);
  const unknown = named.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined || options.includes('--help')) {
    process.stdout.write(usage);
    return unknown === undefined ? 0 : 2;
  }
  ensureInstalled();
  ensureBuilt();
  const stryker = join(ensureStryker(), '@stryker-mutator/core/bin/stryker.js');
  const env = environmentWith(ensureRelease(NODE), process.env);
  let worst = 0;
  for (const name of named.length > 0 ? named : Object.keys(parts)) {
    say(`StrykerJS on ${name} ...`);
    const call = [stryker, 'run', `${configuration}/stryker.config.mjs`, ...options];
    const code = await runToEnd(env.NODE, call, { ...env, MUTANTS_PART: name });
    rmSync(workFolderOf(name), { recursive: true, force: true });
    // The run was ended from outside.
    if (code === undefined) return 130;
    worst = Math.max(worst, code);
  }
  return worst;
}

/**
 * Runs a program with a process group of its own, so that none of its workers outlives it: StrykerJS leaves some when it is ended.
 *
 * @returns its exit code; undefined when it was ended by a signal, which is passed on to it
 */
async function runToEnd(program, args, env) {
  const run = spawn(program, args, { cwd: root, env, stdio: 'inherit', detached: true });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let isEnded = false;
  const end = (signal) => {
    isEnded = true;
    // It first keeps what it has found.
    run.kill(signal);
  };
  for (const signal of signals) process.on(signal, end);
  const [code] = await once(run, 'exit');
  for (const signal of signals) process.off(signal, end);
  try {
    process.kill(-run.pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
  return isEnded || code === null ? undefined : code;
}

/**
 * Installs StrykerJS as its lock file says, unless it is there.
 *
 * @returns its folder of modules. It lies below the repository's, where it finds the Vitest that runs the other tests too.
 */
function ensureStryker() {
  const lock = readFileSync(join(root, configuration, 'package-lock.json'));
  const folder = join(
    root,
    'node_modules/.cache/stryker',
    createHash('sha256').update(lock).digest('hex').slice(0, 16),
  );
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  say('installing StrykerJS ...');
  mkdirSync(dirname(folder), { recursive: true });
  // Complete, or not at all.
  const begun = mkdtempSync(`${folder}-`);
  try {
    for (const name of ['package.json', 'package-lock.json']) {
      cpSync(join(root, configuration, name), join(begun, name));
    }
    const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status, stderr, error } = npm(['ci', '--prefix', begun, ...options], { cwd: begun, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm ci failed: ${error?.message ?? stderr.trim()}`);
    renameSync(begun, folder);
  } catch (error) {
    rmSync(begun, { recursive: true });
    if (!existsSync(modules)) throw error;
  }
  return modules;
}
