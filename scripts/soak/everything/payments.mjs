import { hash as hashOf, readJson } from '@countersign/protocol';
import { native } from '../../../packages/server/dist/auth/native-suite.js';
import { signed } from './signing.mjs';

/** Wallets whose money is the ledger's alone, those at the bank, and what each holds at first. */
export const HERE = 40;
export const THERE = 20;
export const FUNDS = 1_000_000_000;

/** More than any wallet can hold. */
const TOO_MUCH = 5_000_000_000_000;

/** Of so many payments one asks for too much, and one names an account that the bank has not. */
const ODD = 40;

/** Payments between wallets of the ledger and of a bank, in both directions, and what must have come of each. */
export class Payments {
  /** `{ handle, isRejected, hash }`, acknowledged. */
  all = [];
  /** What each wallet must hold in the end. */
  balances = new Map();
  /** What each account of the bank must hold in the end. */
  accounts = new Map();
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
    for (let number = 0; number < HERE; number += 1) this.balances.set(hereOf(number), FUNDS);
    for (let number = 0; number < THERE; number += 1) {
      this.balances.set(thereOf(number), FUNDS);
      this.accounts.set(thereOf(number), FUNDS);
    }
  }

  /** The accounts that the bank opens, as its example takes them. */
  get opened() {
    return [...this.accounts.keys()].map((account) => `${account}:usd:${FUNDS}`).join(',');
  }

  async pay() {
    const number = this.#next++;
    const { claims, isRejected } = claimsOf(number);
    const handle = `p-${number}`;
    const { hash, text } = signed({ handle, claims }, this.#key, { status: 'created' });
    const answer = await this.#traffic.ask({ method: 'POST', path: '/intents', ledger: this.#ledger, text });
    const { status, times } = answer;
    if (status !== 201 && !(status === 200 && times > 1)) {
      this.#findings.add(
        `a payment was answered ${status}`,
        `${handle}, sent ${times} times: ${answer.text.slice(0, 500)}`,
      );
      return;
    }
    this.all.push({ handle, isRejected, hash });
    if (isRejected) return;
    for (const { amount, source, target } of claims) {
      this.#move(source.handle, -amount);
      this.#move(target.handle, amount);
    }
  }

  /** Reads one, which must be what was signed and have ended as it had to. */
  async readAgain({ handle, isRejected, hash }) {
    const { status, text } = await this.#traffic.ask({ path: `/intents/${handle}`, ledger: this.#ledger });
    if (status !== 200) {
      this.#findings.add('an acknowledged payment is missing', `${handle}: ${status} ${text}`);
      return;
    }
    const found = readJson(text);
    const expected = isRejected ? 'rejected' : 'completed';
    if (found.meta.status !== expected)
      this.#findings.add(`a payment is ${found.meta.status}, not ${expected}`, `${this.#ledger} ${handle} ${text}`);
    if (found.hash !== hash || hashOf(found.data, native) !== hash)
      this.#findings.add('a payment is read otherwise than it was signed', `${this.#ledger} ${handle} ${text}`);
  }

  /** Lists completed payments. */
  async list() {
    const path = '/intents?meta.status=completed&page.limit=20';
    const { status, text } = await this.#traffic.ask({ path, ledger: this.#ledger });
    const found = status === 200 ? readJson(text).data : undefined;
    if (!found) this.#findings.add('a page was refused', `${status} ${text}`);
    else if (found.some(({ meta }) => meta.status !== 'completed'))
      this.#findings.add('a list holds a record that its filter excludes', text.slice(0, 2_000));
  }

  /** Reads what a wallet holds, which must be what the payments leave. */
  async readBalance(wallet) {
    const path = `/wallets/${wallet}/balances`;
    const { status, text } = await this.#traffic.ask({ path, ledger: this.#ledger });
    const rows = status === 200 ? readJson(text).data.map(({ data }) => data) : [];
    const of = (schema) => rows.find((row) => row.schema === schema)?.amount ?? 0;
    const [available, reserved] = [of('available'), of('reserved')];
    const expected = this.balances.get(wallet);
    if (status !== 200 || available !== expected || reserved !== 0)
      this.#findings.add(
        'a balance is wrong',
        `${this.#ledger} ${wallet}: ${available} and ${reserved} reserved, not ${expected}: ${text}`,
      );
  }

  #move(wallet, amount) {
    this.balances.set(wallet, this.balances.get(wallet) + amount);
    if (this.accounts.has(wallet)) this.accounts.set(wallet, this.accounts.get(wallet) + amount);
  }
}

export function hereOf(number) {
  return `here-${number}`;
}

export function thereOf(number) {
  return `there-${number}`;
}

/** What a payment moves follows from its number. */
function claimsOf(number) {
  const here = hereOf(number % HERE);
  const other = hereOf((number * 7 + 1 + (number % 3)) % HERE);
  const there = thereOf(number % THERE);
  const amount = 1 + (number % 1_000);
  switch (number % ODD) {
    case ODD - 1:
      return { claims: [claimOf(here, other === here ? hereOf(0) : other, TOO_MUCH)], isRejected: true };
    case ODD - 2:
      return { claims: [claimOf(here, `account:nobody@${there}`, amount)], isRejected: true };
    default:
  }
  const kinds = {
    5: () => [claimOf(here, there, amount)],
    6: () => [claimOf(here, there, amount)],
    7: () => [claimOf(there, here, amount)],
    8: () => [claimOf(there, here, amount)],
    9: () => [claimOf(there, thereOf((number + 7) % THERE), amount), claimOf(here, there, 1)],
  };
  const make = kinds[number % 10] ?? (() => [claimOf(here, other === here ? thereOf(0) : other, amount)]);
  return { claims: make(), isRejected: false };
}

function claimOf(source, target, amount) {
  return {
    action: 'transfer',
    amount,
    source: { handle: source },
    symbol: { handle: 'usd' },
    target: { handle: target },
  };
}
