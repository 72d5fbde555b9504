import { Founder } from './founder.mjs';
import { Wallets } from './wallets.mjs';

/** Creates in many ledgers, in turns. */
export class Many {
  #key;
  #ledgers = [];
  #next = 0;

  /** @param key signs everything: `{ public, secret }` */
  constructor(key) {
    this.#key = key;
  }

  /** Makes the ledgers. */
  async found(port, ledgers) {
    for (let number = 0; number < ledgers; number += 1) {
      const handle = `bench-many-${number}`;
      await new Founder(port, handle, this.#key).found();
      this.#ledgers.push(new Wallets(handle, this.#key));
    }
  }

  'create-many'() {
    this.#next = (this.#next + 1) % this.#ledgers.length;
    return this.#ledgers[this.#next].create();
  }
}
