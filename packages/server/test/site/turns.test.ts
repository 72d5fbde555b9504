import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveSigns, takeFolder, waitForSame } from '../../../../tools/site/src/turns.mjs';
import { eventually } from '../support/eventually.js';

/** Number of a process that comes after every other one. */
const LAST = 2 ** 31 - 1;

let build: string;
let other: ChildProcess;
let pid: number;

beforeEach(() => {
  build = join(mkdtempSync(join(tmpdir(), 'countersign-turns-')), 'build');
  other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  pid = other.pid as number;
});
afterEach(async () => {
  await end();
  rmSync(join(build, '..'), { recursive: true });
});

async function end(): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return;
  other.kill('SIGKILL');
  await once(other, 'exit');
}

/** Has the process of a folder have given its last sign so many seconds ago. */
function silence(folder: string, seconds: number): void {
  const then = Date.now() / 1_000 - seconds;
  utimesSync(join(folder, 'sources'), then, then);
}

describe('of two processes that make the site', () => {
  it('one waits where the sources are the same, until the other has ended, however it did', async () => {
    takeFolder(build, { pid, sources: 'same' });
    takeFolder(build, { pid: LAST, sources: 'same' });
    const order: string[] = [];
    const waited = waitForSame(build, { pid: LAST, sources: 'same' }).then(() => order.push('waited'));
    // The one with the lower number goes first.
    await waitForSame(build, { pid, sources: 'same' });
    order.push('went first');
    await end();
    await waited;
    expect(order).toEqual(['went first', 'waited']);
  });

  it('one waits until the other is done with it', async () => {
    const folder = takeFolder(build, { pid, sources: 'same' });
    const waited = waitForSame(build, { pid: LAST, sources: 'same' });
    rmSync(folder, { recursive: true });
    await waited;
    expect(other.exitCode).toBeNull();
  });

  it.each<[string, { sources?: string }, number]>([
    ['whose sources are others', { sources: 'others' }, 0],
    ['that is beside a server, at the lowest priority', {}, 0],
    ['that gave no sign for long: another process may have its number', { sources: 'same' }, 121],
  ])('none waits for one %s', async (_, given, seconds) => {
    const folder = takeFolder(build, { pid, ...given });
    if (given.sources !== undefined) silence(folder, seconds);
    await waitForSame(build, { pid: LAST, sources: 'same' });
    expect(existsSync(folder)).toBe(true);
  });

  it('one waits for the other as long as that gives signs of life', async () => {
    const folder = takeFolder(build, { pid, sources: 'same' });
    silence(folder, 3_600);
    giveSigns(folder);
    await eventually(() => expect(Date.now() - statSync(join(folder, 'sources')).mtimeMs).toBeLessThan(60_000));
    rmSync(folder, { recursive: true });
  });

  it('each removes what those have left that were ended, and leaves the others alone', async () => {
    const folder = takeFolder(build, { pid, sources: 'same' });
    mkdirSync(join(folder, 'pages'));
    takeFolder(build, { pid: process.pid, sources: 'same' });
    expect(readdirSync(build).sort()).toEqual([String(pid), String(process.pid)].sort());
    await end();
    takeFolder(build, { pid: process.pid, sources: 'same' });
    expect(readdirSync(build)).toEqual([String(process.pid)]);
  });
});
