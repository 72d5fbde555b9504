#!/usr/bin/env node
// Imported first: a module that is loaded earlier may keep the `JSON.parse` it finds.
import '@countersign/protocol/replace-json-parse';

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { readJson } from '@countersign/protocol';
import { COMMANDS } from './commands/all.js';
import { runProgram } from './program.js';
import { EXIT } from './terminal/failure.js';
import type { Surroundings } from './terminal/surroundings.js';

const { version } = readJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

let isReaderNeeded = false;

const surroundings: Surroundings = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  userHome: homedir(),
  // biome-ignore lint/plugin: this is where the clock comes from
  now: Date.now,
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      if (process.env.npm_lifecycle_event === 'npx') void awaitEnd(process.ppid).then(resolve);
    }),
  needsReader: () => {
    isReaderNeeded = true;
  },
};

/** Between npx and this process there may be a shell, which ends by a signal without passing it on. */
function awaitEnd(parent: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, 100);
    timer.unref();
  });
}

// Whoever reads the output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!isReaderNeeded) process.exit(EXIT.done.code);
  process.stderr.write('Standard output was closed before all was written.\n');
  process.exit(EXIT.local.code);
});
// What is said beside results may go unread: the exit code still tells.
process.stderr.on('error', () => {});
process.exitCode = await runProgram(process.argv.slice(2), COMMANDS, version, surroundings);
// A terminal that was asked keeps the process alive otherwise.
process.stdin.unref?.();
