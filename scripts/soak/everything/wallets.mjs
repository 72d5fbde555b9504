import { createHash } from 'node:crypto';
import { readJson } from '@countersign/protocol';
import { proofOver, signed } from './signing.mjs';

/** Wallets of one customer: fewer than a page of a list holds. */
const PER_CUSTOMER = 10;

/** Status proofs of one wallet, which carries a bounded number of them. */
const MOST_PROOFS = 20;

/** Tries to find a wallet that nobody is changing. */
const TRIES = 20;

/**
 * Wallets that are created, updated, given a status, read and listed, and what was acknowledged of each. One change of a wallet is
 * under way at a time.
 */
export class Wallets {
  /** `{ number, hash, digest, updates, proofs, isBusy }`, by order of acknowledgement. */
  all = [];
  /** Hashes of all updates, each of which is told to a receiver. */
  updates = new Set();
  #byCustomer = new Map();
  #traffic;
  #findings;
  #ledger;
  #key;
  #next = 0;

  constructor({ traffic, findings, ledger, key }) {
    this.#traffic = traffic;
    this.#findings = findings;
    this.#ledger = ledger;
    this.#key = key;
  }

  async create() {
    const number = this.#next++;
    const { hash, text } = signed(dataOf({ number, updates: 0 }), this.#key, { status: 'created' });
    const answer = await this.#ask('POST', '/wallets', text);
    if (!this.#isDone(answer, 201, handleOf(number))) return;
    const wallet = { number, hash, digest: digestOf(answer.text), updates: 0, proofs: 0, isBusy: false };
    this.all.push(wallet);
    const customer = customerOf(number);
    this.#byCustomer.set(customer, [...(this.#byCustomer.get(customer) ?? []), handleOf(number)]);
  }

  async update() {
    const wallet = this.#free();
    if (wallet === undefined) return this.create();
    const updates = wallet.updates + 1;
    const data = { ...dataOf({ ...wallet, updates }), parent: wallet.hash };
    const { hash, text } = signed(data, this.#key, {});
    await this.#change(wallet, 'PUT', '', text, () => {
      Object.assign(wallet, { hash, updates });
      this.updates.add(hash);
    });
  }

  async proof() {
    const wallet = this.#free(({ proofs }) => proofs < MOST_PROOFS);
    if (wallet === undefined) return this.create();
    const text = JSON.stringify(proofOver(wallet.hash, this.#key, { status: 'active', count: wallet.proofs + 1 }));
    await this.#change(wallet, 'POST', '/proofs', text, () => {
      wallet.proofs += 1;
    });
  }

  /** Reads one, which must be as it was acknowledged last. */
  async read() {
    const wallet = this.#free();
    if (wallet === undefined) return this.create();
    await this.readAgain(wallet);
  }

  /** Reads a wallet and compares; what changes meanwhile counts as it was before or is then. */
  async readAgain(wallet) {
    const before = wallet.digest;
    const answer = await this.#ask('GET', `/wallets/${handleOf(wallet.number)}`);
    if (answer.status !== 200) {
      this.#findings.add(
        'an acknowledged wallet is missing',
        `${handleOf(wallet.number)}: ${answer.status} ${answer.text}`,
      );
    } else if (digestOf(answer.text) !== before && before === wallet.digest && !wallet.isBusy) {
      this.#findings.add('a wallet is read otherwise than it was acknowledged', `${this.#ledger} ${answer.text}`);
    }
  }

  /** Lists the wallets of a customer, those that were acknowledged before among them. */
  async list() {
    const wallet = this.#free();
    if (wallet === undefined) return this.create();
    const customer = customerOf(wallet.number);
    const expected = [...this.#byCustomer.get(customer)];
    const answer = await this.#ask('GET', `/wallets?data.custom.customer=${customer}&page.limit=20`);
    const found = answer.status === 200 ? readJson(answer.text).data : [];
    const handles = new Set(found.map(({ data }) => data.handle));
    const missing = expected.filter((handle) => !handles.has(handle));
    if (missing.length > 0)
      this.#findings.add('a list leaves out what it has', `${customer}: ${missing} ${answer.text}`);
    if (found.some(({ data }) => data.custom.customer !== customer) || found.length > PER_CUSTOMER)
      this.#findings.add('a list holds a record that its filter excludes', `${customer}: ${[...handles]}`);
  }

  /** Pages the newest ones. */
  async page() {
    const answer = await this.#ask('GET', '/wallets?page.limit=20');
    if (answer.status !== 200) this.#findings.add('a page was refused', `${answer.status} ${answer.text}`);
  }

  async #change(wallet, method, path, text, done) {
    wallet.isBusy = true;
    try {
      const answer = await this.#ask(method, `/wallets/${handleOf(wallet.number)}${path}`, text);
      if (!this.#isDone(answer, 200, handleOf(wallet.number))) return;
      wallet.digest = digestOf(answer.text);
      done();
    } finally {
      wallet.isBusy = false;
    }
  }

  #ask(method, path, text) {
    return this.#traffic.ask({ method, path, ledger: this.#ledger, text });
  }

  /** Whether it was done; a create that was sent again may have been done before. */
  #isDone({ status, text, times }, expected, handle) {
    if (status === expected || (status === 200 && times > 1)) return true;
    this.#findings.add(`a change was answered ${status}`, `${handle}, sent ${times} times: ${text.slice(0, 500)}`);
    return false;
  }

  #free(fits = () => true) {
    for (let tries = 0; tries < TRIES && this.all.length > 0; tries += 1) {
      const wallet = this.all[Math.floor(Math.random() * this.all.length)];
      if (!wallet.isBusy && fits(wallet)) return wallet;
    }
    return undefined;
  }
}

export function handleOf(number) {
  return `w-${number}`;
}

function customerOf(number) {
  return `customer-${Math.floor(number / PER_CUSTOMER)}`;
}

function dataOf({ number, updates }) {
  const custom = { customer: customerOf(number), tier: number % 4 === 0 ? 'gold' : 'standard', updates };
  return { handle: handleOf(number), custom };
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
