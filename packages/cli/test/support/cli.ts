import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { COMMANDS } from '../../src/commands/all.js';
import { runProgram } from '../../src/program.js';

/** The command, compiled; and all of it in a few files, which a process loads in less than half the time (scripts/testing/bundle.mjs). */
export const COMPILED = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
export const MAIN = fileURLToPath(new URL('../.bundle/main.js', import.meta.url));

/** Keys of tests are guessed in no time: the work against that is most of what a call takes. */
const NO_WORK = { N: 2, r: 1, p: 1 };

/** How a call of the command ended, and what it wrote. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly json: any;
}

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Calls the command as scripts do: without a terminal. */
export class Cli {
  constructor(
    readonly home: string,
    readonly env: Readonly<Record<string, string>> = {},
  ) {}

  /** The environment of a call: nothing of this process's own settings. */
  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { PATH = '' } = process.env;
    return { PATH, HOME: this.home, COUNTERSIGN_HOME: join(this.home, 'state'), ...this.env, ...more };
  }

  /** The same home with further variables. */
  with(env: Readonly<Record<string, string>>): Cli {
    return new Cli(this.home, { ...this.env, ...env });
  }

  /** Calls the command in this process, which is quicker: what `main.ts` does, with streams that are no terminal. */
  async call(args: readonly string[], { env = {}, input = '' }: CallOptions = {}): Promise<Outcome> {
    const [stdout, stderr] = [new Sink(), new Sink()];
    const code = await runProgram(args, COMMANDS, '0.0.0', {
      env: this.environment(env),
      stdin: Readable.from([Buffer.from(input)]),
      stdout,
      stderr,
      userHome: this.home,
      now: Date.now,
      stopped: () => new Promise(() => {}),
      keyWork: NO_WORK,
    });
    return outcomeOf(code, stdout.text, stderr.text);
  }

  /** Calls the command in a process of its own. */
  async spawn(args: readonly string[], { env = {}, input = '' }: CallOptions = {}): Promise<Outcome> {
    const child = this.start(args, env);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.on('error', () => {}).end(input);
    const [code] = await once(child, 'close');
    return outcomeOf(code, out, err);
  }

  /** A process of the command that goes on until it is stopped. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return spawn(process.execPath, [MAIN, ...args], { env: this.environment(env), cwd: this.home });
  }

  /** The same, for a call that must succeed. */
  async done(args: readonly string[], options: CallOptions = {}): Promise<Outcome> {
    const outcome = await this.call(args, options);
    if (outcome.code !== 0)
      throw new Error(`countersign ${args.join(' ')} ended with ${outcome.code}:\n${outcome.err}`);
    return outcome;
  }
}

/** Keeps what is written to it. */
class Sink extends Writable {
  text = '';

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function outcomeOf(code: number | null, out: string, err: string): Outcome {
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}

/** A folder of its own for the tests of a file. */
export function withFolder(): { readonly path: string } {
  let path: string | undefined;
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'countersign-cli-'));
  });
  afterAll(async () => {
    if (path !== undefined) await rm(path, { recursive: true, force: true });
  });
  return {
    get path() {
      if (path === undefined) throw new Error('The folder is made before the tests.');
      return path;
    },
  };
}
