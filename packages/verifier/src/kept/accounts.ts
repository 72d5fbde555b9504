import type { Suite } from '@countersign/protocol';
import { Column } from './column.js';
import { TextNumbers } from './text-numbers.js';
import { Texts } from './texts.js';

/** Numbers what holds a symbol: a wallet, or all that have had one handle. */
export class Accounts {
  readonly #names: TextNumbers;
  readonly #owners = new Column('int32');
  readonly #symbols = new Column('int32');
  readonly #texts = new Texts();

  constructor(
    suite: Pick<Suite, 'sha256'>,
    private readonly symbols: Symbols,
  ) {
    this.#names = new TextNumbers(suite);
  }

  get count(): number {
    return this.#names.count;
  }

  /** The number of the account; -1 where it has none. */
  find(owner: number, symbol: string): number {
    return this.#names.find(`${owner} ${symbol}`);
  }

  /** The number of the account, which is the next one where it is new. */
  put(owner: number, symbol: string, text = ''): number {
    const { count } = this.#names;
    const account = this.#names.put(`${owner} ${symbol}`);
    if (account === count) {
      this.#owners.set(account, owner);
      this.#symbols.set(account, this.symbols.put(symbol));
      if (text !== '') this.#texts.set(account, text);
    }
    return account;
  }

  ownerOf(account: number): number {
    return this.#owners.get(account);
  }

  symbolOf(account: number): string {
    return this.symbols.get(this.#symbols.get(account));
  }

  /** What the owner is called. */
  textOf(account: number): string {
    return this.#texts.get(account);
  }
}

/** Handles of symbols, which are few. */
export class Symbols {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get(number: number): string {
    return this.#texts[number]!;
  }

  put(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }
}

/** Amounts by accounts, each with a number that says what they are of: 0 where nothing is. */
export class AccountAmounts {
  readonly #available = new Column('float64');
  readonly #reserved = new Column('float64');
  readonly #of = new Column('float64');

  availableOf(account: number): number {
    return this.#available.get(account);
  }

  reservedOf(account: number): number {
    return this.#reserved.get(account);
  }

  of(account: number): number {
    return this.#of.get(account);
  }

  set(account: number, available: number, reserved: number, of: number): void {
    this.#available.set(account, available);
    this.#reserved.set(account, reserved);
    this.#of.set(account, of);
  }

  add(account: number, available: number, reserved: number, of: number): void {
    this.set(account, this.availableOf(account) + available, this.reservedOf(account) + reserved, of);
  }
}
