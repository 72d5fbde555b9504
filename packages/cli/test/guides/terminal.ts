import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longest that a command may take, in milliseconds. */
const PATIENCE = 60_000;

/** A shell that a reader has open: what one block sets, the next one has. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #printed = '';

  /** @param before the program, and its arguments, that runs the shell */
  constructor(folder: string, env: Readonly<Record<string, string>>, before: readonly string[] = []) {
    const [program = '', ...args] = [...before, 'bash', '--noprofile', '--norc'];
    // A process group of its own, so that what runs in it is stopped with it.
    this.#shell = spawn(program, args, { cwd: folder, env, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        for (const look of this.#waiting) look();
      });
    }
    this.#shell.stdin?.on('error', () => {});
  }

  /** Runs commands to their end: what they print, and whether one of them failed. */
  async run(commands: string): Promise<{ readonly output: string; readonly failed: boolean }> {
    const end = `end-of-block-${this.#printed.length}`;
    // Commands must not read what is to be run next.
    const typed = `failed=0; trap 'failed=1' ERR; eval ${quoted(commands)} </dev/null; echo "${end} $failed"\n`;
    const output = await this.#type(typed, new RegExp(`^(.*?)${end} (\\d)\\n`, 's'));
    return { output: output[1] ?? '', failed: output[2] !== '0' };
  }

  /** Starts commands that go on, and waits until they print a text. */
  async start(commands: string, until: string): Promise<void> {
    await this.#type(`eval ${quoted(commands)} </dev/null\n`, new RegExp(escaped(until)));
  }

  /** Stops everything that runs in it. */
  async close(): Promise<void> {
    const { pid } = this.#shell;
    if (pid === undefined || this.#shell.exitCode !== null) return;
    const closed = once(this.#shell, 'close');
    process.kill(-pid, 'SIGTERM');
    // A shell that waits for input ends by the end of it.
    this.#shell.stdin?.end();
    await closed;
  }

  #type(text: string, end: RegExp): Promise<RegExpExecArray> {
    const from = this.#printed.length;
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(look);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`Not ended after ${PATIENCE} ms:\n${text}\n${this.#printed.slice(from)}`));
      }, PATIENCE);
      const look = () => {
        const found = end.exec(this.#printed.slice(from));
        if (!found) return;
        stop();
        resolve(found);
      };
      this.#waiting.add(look);
      this.#shell.stdin?.write(text);
    });
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
