import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../../../server/test/support/eventually.js';
import { type Cli, MAIN } from './cli.js';

/** Gives a program a terminal of its own; part of util-linux. */
const SCRIPT = '/usr/bin/script';

export const hasTerminals = process.platform === 'linux' && existsSync(SCRIPT);

/** The command at a terminal, with a person before it: reads what is shown, and types. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #shown = '';
  #read = 0;

  constructor(cli: Cli, args: readonly string[]) {
    const quoted = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const env = cli.environment({ TERM: 'xterm', SHELL: '/bin/sh' });
    // A terminal of its own begins without a size.
    this.#child = spawn(SCRIPT, ['-qefc', `stty cols 100 rows 30; exec ${quoted}`, '/dev/null'], {
      env,
      cwd: cli.home,
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
    });
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  /** Everything that was shown, without the codes of the terminal. */
  get text(): string {
    return stripVTControlCharacters(this.#shown);
  }

  /** Everything that was shown, codes and all. */
  get raw(): string {
    return this.#shown;
  }

  /** Waits until this is shown, behind what was waited for before. */
  async sees(text: string): Promise<void> {
    await eventually(() => {
      const at = this.text.indexOf(text, this.#read);
      if (at < 0) throw new Error(`'${text}' is not shown, but:\n${this.text.slice(this.#read)}`);
      this.#read = at + text.length;
    });
  }

  /** Types, and presses Enter. */
  enter(text: string): void {
    this.#child.stdin?.write(`${text}\r`);
  }

  press(key: string): void {
    this.#child.stdin?.write(key);
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }
}
