import { Founder } from './founder.mjs';
import { Transfers } from './transfers.mjs';
import { Wallets } from './wallets.mjs';

/** Wallets of each ledger that money moves between. */
const PAYERS = 100;

/** Works in many ledgers, in turns. */
export class Many {
  #key;
  #ledgers = [];
  #payments = [];
  #next = 0;

  /** @param key signs everything: `{ public, secret }` */
  constructor(key) {
    this.#key = key;
  }

  /**
   * Makes the ledgers.
   *
   * @param money whether each gets wallets with money
   */
  async found(port, ledgers, money = false) {
    for (let number = 0; number < ledgers; number += 1) {
      const handle = `bench-many-${number}`;
      const founder = new Founder(port, handle, this.#key);
      const payments = new Transfers(handle, this.#key, PAYERS);
      if (money) await payments.found(founder);
      else await founder.found();
      this.#ledgers.push(new Wallets(handle, this.#key));
      this.#payments.push(payments);
    }
  }

  'create-many'() {
    return this.#turn(this.#ledgers).create();
  }

  'read-many'() {
    return this.#turn(this.#ledgers).read();
  }

  'list-many'() {
    return this.#turn(this.#ledgers).list();
  }

  'transfer-many'() {
    return this.#turn(this.#payments).transfer();
  }

  /** Takes the last wallets back, whose requests were made and not sent. */
  takeBack(count) {
    for (let left = count; left > 0; left -= 1) {
      this.#ledgers[this.#next].count -= 1;
      this.#next = (this.#next + this.#ledgers.length - 1) % this.#ledgers.length;
    }
  }

  #turn(of) {
    this.#next = (this.#next + 1) % of.length;
    return of[this.#next];
  }
}
