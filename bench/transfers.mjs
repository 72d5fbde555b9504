import { hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { request } from './request.mjs';

/** Wallets that money moves between unless told otherwise, and what each is given at first. */
const WALLETS = 1_000;
const FUNDS = 1_000_000_000;

/** Claims of one intent. */
const CLAIMS = 100;

/** Prime to the number of wallets. */
const STEP = 617;

/** Transfers between the wallets of a ledger. What they move follows from their number. */
export class Transfers {
  #count = 0;
  #ledger;
  #key;
  #wallets;

  /**
   * @param ledger handle of the ledger
   * @param key signs everything: `{ public, secret }`
   * @param wallets a multiple of the claims of one intent
   */
  constructor(ledger, key, wallets = WALLETS) {
    this.#ledger = ledger;
    this.#key = key;
    this.#wallets = wallets;
  }

  /** Makes the ledger, a symbol and the wallets, and issues to each. */
  async found(founder) {
    await founder.found();
    await founder.create('/symbols', { handle: 'usd', factor: 100 });
    for (let first = 0; first < this.#wallets; first += CLAIMS) {
      const handles = Array.from({ length: CLAIMS }, (_, index) => `w-${first + index}`);
      await Promise.all(handles.map((handle) => founder.create('/wallets', { handle })));
      const claims = handles.map((handle) => ({
        action: 'issue',
        amount: FUNDS,
        symbol: { handle: 'usd' },
        target: { handle },
      }));
      await founder.create('/intents', { handle: `issue-${first}`, claims });
    }
  }

  /** From some wallet to some other. */
  transfer() {
    const number = this.#next();
    return this.#send(`w-${number % this.#wallets}`, `w-${(number * STEP + 1 + (number % 3)) % this.#wallets}`);
  }

  /** To or from the first wallet, in turns. */
  'transfer-hot'() {
    const number = this.#next();
    const other = `w-${1 + (number % (this.#wallets - 1))}`;
    return number % 2 === 0 ? this.#send('w-0', other) : this.#send(other, 'w-0');
  }

  #next() {
    this.#count += 1;
    return this.#count;
  }

  #send(source, target) {
    const claim = {
      action: 'transfer',
      amount: 1 + (this.#count % 1_000),
      source: { handle: source },
      symbol: { handle: 'usd' },
      target: { handle: source === target ? 'w-0' : target },
    };
    const data = { handle: `t-${this.#count}`, claims: [claim] };
    const hash = hashOf(data, native);
    const custom = { moment: new Date().toISOString(), status: 'created' };
    const body = { hash, data, meta: { proofs: [signProof({ hash, custom, ...this.#key }, native)] } };
    return request('POST', '/intents', { ledger: this.#ledger, text: JSON.stringify(body) });
  }
}
