import { hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';

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
  #visited = 0;
  #updated = new Map();
  #key;

  /** `key` signs everything: `{ public, secret }`. */
  constructor(key) {
    this.#key = key;
  }

  /** A request that creates the next wallet. */
  create() {
    const data = walletData(this.count);
    this.count += 1;
    return post('/wallets', this.#signed(data, hashOf(data, native), { status: 'created' }));
  }

  /** A request that updates some wallet; requests must be sent in the order they were made in. */
  update() {
    const number = this.#next();
    const data = { ...walletData(number), parent: this.#hash(number) };
    data.custom.updates = this.#visited;
    const hash = hashOf(data, native);
    this.#updated.set(number, hash);
    return put(`/wallets/${data.handle}`, this.#signed(data, hash, {}));
  }

  /** A request that changes the status of some wallet. */
  proof() {
    const number = this.#next();
    const status = this.#visited % 2 === 0 ? 'active' : 'suspended';
    return post(`/wallets/${handleOf(number)}/proofs`, this.#proof(this.#hash(number), { status }));
  }

  read() {
    return get(`/wallets/${handleOf(this.#next())}`);
  }

  list() {
    return get('/wallets?page.limit=20');
  }

  /** A list of which every page is one customer's wallets. */
  'filter-few'() {
    const customer = customerOf(this.#next() % (this.count - (this.count % PER_CUSTOMER)));
    return get(`/wallets?data.custom.customer=${customer}&page.limit=20`);
  }

  'filter-many'() {
    return get('/wallets?data.custom.tier=gold&page.limit=20');
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

const post = (path, body) => request('POST', path, body);
const put = (path, body) => request('PUT', path, body);
const get = (path) => request('GET', path);

/** A request as it goes over the wire. */
function request(method, path, body) {
  const head = `${method} /v2${path} HTTP/1.1\r\nhost: localhost\r\nx-ledger: bench\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  const text = JSON.stringify(body);
  const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${head}${type}\r\n${text}`);
}
