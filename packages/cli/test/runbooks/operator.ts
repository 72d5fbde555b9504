import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../../server/test/support/documents.js';
import { wordsOf } from '../../../server/test/support/page.js';
import { Terminal } from '../guides/terminal.js';
import { Cli } from '../support/cli.js';

const BUNDLES = {
  countersign: 'packages/cli/test/.bundle/countersign.js',
  'countersign-server': 'packages/server/test/.bundle/main.js',
} as const;

/** A call of the command without anything for a shell to do. */
const CALL = /^countersign (?:'[^']*'|[^'"|&;<>$`*\\#(){}])+$/;

/** Somebody who types at the machine of a server, and its server. */
export class Operator {
  readonly #folder: string;
  readonly #settings: Record<string, string> = {};
  #shell: Terminal | undefined;
  #server: ChildProcess | undefined;

  /** @param folder an empty one, in which both work */
  constructor(folder: string) {
    this.#folder = folder;
    for (const name of ['bin', 'home']) mkdirSync(join(folder, name));
    for (const [name, bundle] of Object.entries(BUNDLES)) {
      const program = join(folder, 'bin', name);
      writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, bundle)}' "$@"\n`);
      chmodSync(program, 0o755);
    }
  }

  /** Settings of the server, which the shell has as well. */
  set(settings: Readonly<Record<string, string>>): void {
    Object.assign(this.#settings, settings);
  }

  /** What is printed, and whether a command has failed. Calls of the command alone are made in this process, which is quicker. */
  async try(commands: string): Promise<{ readonly output: string; readonly failed: boolean }> {
    const lines = commands.trim().split('\n');
    if (!lines.every((line) => CALL.test(line))) {
      this.#shell ??= new Terminal(this.#folder, this.#environment());
      return this.#shell.run(commands);
    }
    const cli = new Cli(join(this.#folder, 'home'), { ...this.#environment(), COUNTERSIGN_HOME: '' });
    let output = '';
    for (const line of lines) {
      const { code, out, err } = await cli.call(wordsOf(line).slice(1));
      output += out + err;
      if (code !== 0) return { output, failed: true };
    }
    return { output, failed: false };
  }

  /** What commands print, which must succeed. */
  async type(commands: string): Promise<string> {
    const { output, failed } = await this.try(commands);
    expect(failed, `${commands}\n${output}`).toBe(false);
    return output;
  }

  /** What a call of the command answers with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  async ask(call: string): Promise<any> {
    return JSON.parse(await this.type(`${call} --json`));
  }

  /** The public half of a key of theirs. */
  async keyOf(name: string): Promise<string> {
    const keys = (await this.ask('countersign key list')) as { name: string; public: string }[];
    return keys.find((key) => key.name === name)?.public ?? '';
  }

  /** Starts the server, and gives what it prints. */
  async start(): Promise<string> {
    const child = spawn(join(this.#folder, 'bin/countersign-server'), { cwd: this.#folder, env: this.#environment() });
    this.#server = child;
    const said = { out: '', err: '' };
    child.stderr.on('data', (text: Buffer) => {
      said.err += text;
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => {
        said.out += text;
        if (/^master key in .*\n/m.test(said.out)) resolve();
      });
      child.once('exit', () => reject(new Error(`The server has ended:\n${said.err}`)));
    });
    return said.out;
  }

  async stop(): Promise<void> {
    const child = this.#server;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }

  async leave(): Promise<void> {
    await this.#shell?.close();
    await this.stop();
  }

  #environment(): Record<string, string> {
    const { PATH = '' } = process.env;
    const home = join(this.#folder, 'home');
    return {
      ...{ PATH: `${join(this.#folder, 'bin')}:${PATH}`, HOME: home, COUNTERSIGN_PASSWORD: 'secret' },
      ...this.#settings,
    };
  }
}
