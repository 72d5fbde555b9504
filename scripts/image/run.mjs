import { spawnSync } from 'node:child_process';

/**
 * Runs a program to its end. What it says goes to standard error, or is given back.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{quiet?: boolean} & import('node:child_process').SpawnSyncOptions} options `quiet` gives standard output back
 * @returns {string} its standard output, trimmed
 * @throws Error where it fails
 */
export function run(program, args, { quiet = false, ...options } = {}) {
  const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2];
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio,
    maxBuffer: 2 ** 28,
    ...options,
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr?.trim() ?? `status ${status}`}`);
  return (stdout ?? '').trim();
}

/** Whether the program is there, and does this. */
export function can(program, args) {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}
