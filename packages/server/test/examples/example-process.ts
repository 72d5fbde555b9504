import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../support/documents.js';
import { eventually } from '../support/eventually.js';

/** An example, as a process of its own. */
export class ExampleProcess {
  out = '';
  err = '';
  url = '';
  readonly #child: ChildProcess;

  /** @param path of its script, below the repository */
  constructor(path: string, settings: Record<string, string>) {
    const { PATH = '' } = process.env;
    this.#child = spawn(process.execPath, [join(root, path)], { env: { PATH, PORT: '0', ...settings } });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
  }

  /** Waits until it prints where it listens. */
  async listens(line: RegExp): Promise<void> {
    this.url = await eventually(() => {
      const [, url] = line.exec(this.out) ?? [];
      if (url === undefined) throw new Error(`The example does not listen: ${this.err}`);
      return url;
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill(signal);
      await once(this.#child, 'close');
    }
  }

  /** Waits until it has ended by itself. @returns the exit code */
  async ended(): Promise<number | null> {
    const [code] = await once(this.#child, 'close');
    return code;
  }
}
