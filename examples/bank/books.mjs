import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '@countersign/protocol';

/**
 * Accounts and entries of a bank, kept in a journal: what is not on disk has not happened. A crash in the middle of a line
 * leaves that line out, since nothing was answered of it yet.
 */
export class Books {
  /** Units of each symbol in each account: `Map` of `account symbol` to `{available, held}`. */
  #accounts = new Map();
  /** By handle of the entry. */
  #entries = new Map();
  #written = Promise.resolve();

  static async open(folder) {
    await mkdir(folder, { recursive: true });
    const books = new Books();
    const path = join(folder, 'journal');
    const text = await readFile(path, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    for (const line of text.split('\n')) if (line !== '') books.#apply(parseLine(line));
    books.file = await open(path, 'a');
    return books;
  }

  close() {
    return this.#written.then(() => this.file.close());
  }

  /** Opens an account, or pays into it at the counter. */
  async deposit(account, symbol, amount) {
    await this.#keep({ deposit: account, symbol, amount });
  }

  balance(account, symbol) {
    return this.#accounts.get(`${account} ${symbol}`) ?? { available: 0, held: 0 };
  }

  has(account, symbol) {
    return this.#accounts.has(`${account} ${symbol}`);
  }

  /** All that the bank owes its customers in a symbol. */
  total(symbol) {
    const all = [...this.#accounts].filter(([key]) => key.endsWith(` ${symbol}`));
    return all.reduce((sum, [, { available, held }]) => sum + available + held, 0);
  }

  entry(handle) {
    return this.#entries.get(handle);
  }

  /** The entries that the ledger has not taken the last report of. */
  unreported() {
    return [...this.#entries.values()].filter(({ reported, status }) => reported !== status);
  }

  /**
   * Holds a debit, or notes a credit to come: once for each handle, whatever is asked again.
   *
   * @returns the entry as it is now
   */
  async prepare(asked) {
    const known = this.#entries.get(asked.handle);
    if (known) return known.written.then(() => known);
    const refusal = this.#refusalOf(asked);
    return this.#keep({ entry: { ...asked, status: refusal ? 'failed' : 'prepared', ...refusal } });
  }

  /** Commits or aborts an entry: once. @returns undefined for one that cannot be committed */
  async end(handle, action, intent) {
    const entry = this.#entries.get(handle);
    const status = action === 'commit' ? 'committed' : 'aborted';
    if (entry?.status === status) return entry.written.then(() => entry);
    if (action === 'commit') return entry?.status === 'prepared' ? this.#keep({ ended: handle, status }) : undefined;
    if (entry?.status === 'committed') return undefined;
    // An abort may overtake its prepare, which is refused then.
    return this.#keep(entry ? { ended: handle, status } : { entry: { ...intent, handle, status } });
  }

  async reported(handle, status) {
    await this.#keep({ reported: handle, status });
  }

  #refusalOf({ schema, account, symbol, amount }) {
    if (!this.has(account, symbol)) {
      return { reason: 'bridge.account-not-found', detail: `There is no account ${account}` };
    }
    if (schema === 'debit' && this.balance(account, symbol).available < amount) {
      return { reason: 'bridge.account-insufficient-balance', detail: `Account ${account} holds less than that` };
    }
    return undefined;
  }

  /** Decides at once, so that no other request comes between, and resolves when it is on disk. */
  async #keep(line) {
    const entry = this.#apply(line);
    // The line break comes first, and so ends what a crash has left of the line before.
    const write = async () => {
      await this.file.appendFile(`\n${JSON.stringify(line)}`);
      await this.file.datasync();
    };
    const written = this.#written.then(write);
    this.#written = written;
    if (entry) entry.written = written;
    await written;
    return entry;
  }

  #apply(line) {
    if (!line) return undefined;
    if (line.deposit) return void this.#move(line.deposit, line.symbol, line.amount, 0);
    if (line.reported) {
      this.#entries.get(line.reported).reported = line.status;
      return undefined;
    }
    if (line.entry) {
      const entry = { ...line.entry, written: Promise.resolve() };
      this.#entries.set(entry.handle, entry);
      const { status, schema, account, symbol, amount } = entry;
      if (status === 'prepared' && schema === 'debit') this.#move(account, symbol, -amount, amount);
      return entry;
    }
    const entry = this.#entries.get(line.ended);
    const { schema, account, symbol, amount, status: before } = entry;
    entry.status = line.status;
    if (before !== 'prepared') return entry;
    if (schema === 'debit') this.#move(account, symbol, line.status === 'aborted' ? amount : 0, -amount);
    else if (line.status === 'committed') this.#move(account, symbol, amount, 0);
    return entry;
  }

  #move(account, symbol, available, held) {
    const key = `${account} ${symbol}`;
    const before = this.#accounts.get(key) ?? { available: 0, held: 0 };
    this.#accounts.set(key, { available: before.available + available, held: before.held + held });
  }
}

function parseLine(line) {
  try {
    return readJson(line);
  } catch {
    return undefined;
  }
}
