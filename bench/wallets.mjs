import { hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { request } from './request.mjs';

/** Wallets of one customer: as many as a page of a list holds. */
const PER_CUSTOMER = 20;

/** Prime, and far more than records ever are: its multiples visit each record once before they repeat. */
const STEP = 2_654_435_761;

/**
 * The wallets of a run. What a wallet holds follows from its number, so that a million of them need no memory here:
 * only the hashes of those that were updated are kept.
 */
export class Wallets {
  /** How many were created; their numbers are 0 and up. */
  count = 0;
  /** The header of every request, if any. */
  authorization = undefined;
  #visited = 0;
  #updated = new Map();
  #ledger;
  #key;

  /**
   * @param ledger handle of the ledger they are in
   * @param key signs everything: `{ public, secret }`
   */
  constructor(ledger, key) {
    this.#ledger = ledger;
    this.#key = key;
  }

  /** A request that creates the next wallet. */
  create() {
    const data = walletData(this.count);
    this.count += 1;
    return this.#request('POST', '/wallets', this.#signed(data, hashOf(data, native), { status: 'created' }));
  }

  /** A request that updates some wallet; requests must be sent in the order they were made in. */
  update() {
    const number = this.#next();
    const data = { ...walletData(number), parent: this.#hash(number) };
    data.custom.updates = this.#visited;
    const hash = hashOf(data, native);
    this.#updated.set(number, hash);
    return this.#request('PUT', `/wallets/${data.handle}`, this.#signed(data, hash, {}));
  }

  /** A request that changes the status of some wallet. */
  proof() {
    const number = this.#next();
    const status = this.#visited % 2 === 0 ? 'active' : 'suspended';
    return this.#request('POST', `/wallets/${handleOf(number)}/proofs`, this.#proof(this.#hash(number), { status }));
  }

  read() {
    return this.#request('GET', `/wallets/${handleOf(this.#next())}`);
  }

  list() {
    return this.#request('GET', '/wallets?page.limit=20');
  }

  /** A list of which every page is one customer's wallets. */
  'filter-few'() {
    const customer = customerOf(this.#next() % (this.count - (this.count % PER_CUSTOMER)));
    return this.#request('GET', `/wallets?data.custom.customer=${customer}&page.limit=20`);
  }

  'filter-many'() {
    return this.#request('GET', '/wallets?data.custom.tier=gold&page.limit=20');
  }

  #request(method, path, body) {
    const text = body && JSON.stringify(body);
    return request(method, path, { ledger: this.#ledger, authorization: this.authorization, text });
  }

  /** Some wallet; not one of the last many. */
  #next() {
    this.#visited += 1;
    return (this.#visited * STEP) % this.count;
  }

  #hash(number) {
    return this.#updated.get(number) ?? hashOf(walletData(number), native);
  }

  #signed(data, hash, custom) {
    return { hash, data, meta: { proofs: [this.#proof(hash, custom)] } };
  }

  #proof(hash, custom) {
    return signProof({ hash, custom: { moment: new Date().toISOString(), ...custom }, ...this.#key }, native);
  }
}

function walletData(number) {
  return {
    handle: handleOf(number),
    custom: {
      customer: customerOf(number),
      tier: number % 4 === 0 ? 'gold' : 'standard',
      opened: '2024-11-21',
      rank: number % 1_000,
      contact: { email: `holder-${number}@example.org`, verified: true },
    },
  };
}

function handleOf(number) {
  return `wallet-${number}`;
}

function customerOf(number) {
  return `customer-${Math.floor(number / PER_CUSTOMER)}`;
}
