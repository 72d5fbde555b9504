import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** File in the folder of a process: what it makes the site of. */
const SOURCES = 'sources';

/** Milliseconds between two signs of life of a process, and from the last one until it is not waited for: another one may have its number. */
const BETWEEN = 1_000;
const MOST = 120_000;

/**
 * Gives a process a folder of its own to make the site in, and removes what processes have left that were ended.
 *
 * @param {string} build the folder of these folders, each named by its process
 * @param {{pid: number, sources?: string}} given what names the sources; without it, nobody waits for this process
 * @returns {string} the folder
 */
export function takeFolder(build, { pid, sources }) {
  mkdirSync(build, { recursive: true });
  for (const name of readdirSync(build)) {
    if (!isAlive(Number(name)) || Number(name) === pid) rmSync(join(build, name), { recursive: true, force: true });
  }
  const folder = join(build, String(pid));
  mkdirSync(folder);
  if (sources !== undefined) writeFileSync(join(folder, SOURCES), sources);
  return folder;
}

/**
 * Gives signs of life, as long as this process goes on, and the folder is there.
 *
 * @param {string} folder what `takeFolder` gave for sources
 */
export function giveSigns(folder) {
  const timer = setInterval(() => {
    try {
      utimesSync(join(folder, SOURCES), new Date(), new Date());
    } catch {
      clearInterval(timer);
    }
  }, BETWEEN);
  timer.unref();
}

/**
 * Waits until no process with a lower number makes the site of the same sources: of two that begin at once, one waits.
 *
 * @param {string} build as above
 * @param {{pid: number, sources: string}} given this process, which has its folder
 */
export async function waitForSame(build, { pid, sources }) {
  const isMadeNow = () =>
    readdirSync(build).some((name) => Number(name) < pid && isAlive(Number(name)) && isOf(join(build, name), sources));
  while (isMadeNow()) await delay(100);
}

function isOf(folder, sources) {
  try {
    const file = join(folder, SOURCES);
    return Date.now() - statSync(file).mtimeMs < MOST && readFileSync(file, 'utf8') === sources;
  } catch {
    // It has ended meanwhile, or nobody waits for it.
    return false;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
