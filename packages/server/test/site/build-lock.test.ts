import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeFolder, takeLock } from '../../../../tools/site/src/build-lock.mjs';
import { eventually } from '../support/eventually.js';

let build: string;
let other: ChildProcess;
let pid: number;

beforeEach(() => {
  build = mkdtempSync(join(tmpdir(), 'countersign-build-lock-'));
  other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  pid = other.pid as number;
});
afterEach(async () => {
  await end();
  rmSync(build, { recursive: true });
});

async function end(): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return;
  other.kill('SIGKILL');
  await once(other, 'exit');
}

const take = (sources = 'same') => takeLock(build, sources, process.pid);
const lock = () => join(build, 'same.lock');

/** The lock of the other process, whose last heartbeat was so many seconds ago. */
function lockOfOther(seconds: number): void {
  writeFileSync(lock(), String(pid));
  const then = Date.now() / 1_000 - seconds;
  utimesSync(lock(), then, then);
}

describe('of processes that make the site', () => {
  it('one waits until another gives the lock of the same sources back, and none for other sources', async () => {
    const order: string[] = [];
    const giveBack = await take();
    const waited = take().then((after) => {
      order.push('waited');
      after();
    });
    (await take('others'))();
    order.push('others');
    giveBack();
    await waited;
    expect(order).toEqual(['others', 'waited']);
    expect(readdirSync(build)).toEqual([]);
  });

  it('one that has it renews its heartbeat', async () => {
    const giveBack = await take();
    const long = Date.now() / 1_000 - 3_600;
    utimesSync(lock(), long, long);
    await eventually(() => expect(Date.now() - statSync(lock()).mtimeMs).toBeLessThan(60_000));
    giveBack();
  });

  it('one waits for another that lives, and takes the lock over once that has ended', async () => {
    lockOfOther(11);
    let isTaken = false;
    const taken = take().then((giveBack) => {
      isTaken = true;
      giveBack();
    });
    // A lock that it may take is taken at once.
    (await take('others'))();
    expect(isTaken).toBe(false);
    await end();
    await taken;
  });

  it('one takes over the lock of another that is silent for long: another process may have its number', async () => {
    lockOfOther(121);
    (await take())();
  });

  it('each removes the folders of those that have ended, and leaves the others alone', async () => {
    mkdirSync(join(takeFolder(build, pid), 'pages'));
    const giveBack = await take();
    takeFolder(build, process.pid);
    const mine = String(process.pid);
    expect(readdirSync(build).sort()).toEqual([String(pid), mine, 'same.lock'].sort());
    await end();
    takeFolder(build, process.pid);
    expect(readdirSync(build).sort()).toEqual([mine, 'same.lock'].sort());
    giveBack();
  });
});
