import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { encodeBase64 } from '@countersign/protocol';
import { Books } from '../../../examples/bank/books.mjs';

const PROGRAM = fileURLToPath(new URL('../../../examples/bank/bank.mjs', import.meta.url));

/** The bank of a ledger: the example, as a process that is killed and started again on its journal. */
export class Bank {
  #settings;
  #folder;
  #child;

  /** @param options `{ url, ledger, system, key, folder, port, accounts }` */
  constructor({ url, ledger, system, key, folder, port, accounts }) {
    this.#folder = folder;
    this.#settings = {
      ...{ LEDGER_URL: url, LEDGER: ledger, LEDGER_KEY: system, STATE: folder },
      ...{ PUBLIC: key.public, SECRET: encodeBase64(key.secret), HOST: '127.0.0.1', PORT: port, ACCOUNTS: accounts },
    };
  }

  get url() {
    return `http://127.0.0.1:${this.#settings.PORT}`;
  }

  /** @throws Error when it does not start, such as when its port is taken; it may be called again */
  async open() {
    const env = { ...process.env, ...this.#settings };
    this.#child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let isOpen = false;
    for await (const line of createInterface({ input: this.#child.stdout })) {
      isOpen = line.startsWith('banking on ');
      if (isOpen) break;
    }
    if (!isOpen) throw new Error('the bank has ended before it listened');
    this.#child.stdout.resume();
  }

  async kill() {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** What the bank, which is killed, has in its journal. */
  books() {
    return Books.open(this.#folder);
  }
}
