import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two heartbeats of the process that has a lock. */
const HEARTBEAT = 1_000;
/** Milliseconds without a heartbeat after which the lock of a process that has ended is void. */
const ENDED_AFTER = 10_000;
/** The same for one that seems to live: another process may have its number. */
const STALE_AFTER = 120_000;

/**
 * Gives a process a folder of its own to make the site in, and removes those of processes that have ended.
 *
 * @param {string} build the folder of these folders, each named by its process
 * @param {number} pid the process
 * @returns {string} the folder
 */
export function takeFolder(build, pid) {
  mkdirSync(build, { recursive: true });
  for (const name of readdirSync(build).filter((one) => /^\d+$/.test(one))) {
    if (!isAlive(Number(name)) || Number(name) === pid) rmSync(join(build, name), { recursive: true, force: true });
  }
  const folder = join(build, String(pid));
  mkdirSync(folder);
  return folder;
}

/**
 * Takes the lock of some sources, once no other process has it.
 *
 * @param {string} build as above
 * @param {string} sources a digest of what the site is made of
 * @param {number} pid the process that takes it
 * @returns {Promise<() => void>} gives it back
 */
export async function takeLock(build, sources, pid) {
  const lock = join(build, `${sources}.lock`);
  while (!create(lock, pid)) {
    if (isVoid(lock)) rmSync(lock, { force: true });
    else await delay(100);
  }
  const timer = setInterval(() => {
    try {
      utimesSync(lock, new Date(), new Date());
    } catch {
      clearInterval(timer);
    }
  }, HEARTBEAT);
  timer.unref();
  return () => {
    clearInterval(timer);
    rmSync(lock, { force: true });
  };
}

function create(lock, pid) {
  try {
    writeFileSync(lock, String(pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isVoid(lock) {
  try {
    const silence = Date.now() - statSync(lock).mtimeMs;
    return silence > STALE_AFTER || (silence > ENDED_AFTER && !isAlive(Number(readFileSync(lock, 'utf8'))));
  } catch {
    // It was given back meanwhile.
    return false;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return error.code === 'EPERM';
  }
}
