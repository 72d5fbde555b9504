import { setTimeout as pause } from 'node:timers/promises';
import { Seconds } from '../../../bench/scheme/seconds.mjs';

/** Of so many operations, in turns: what each does. */
const TURNS = [
  ...['create', 'pay', 'read', 'list', 'update', 'pay', 'read', 'create', 'proof', 'pay'],
  ...['read', 'page', 'create', 'pay', 'update', 'read', 'payments', 'pay', 'create', 'read'],
];

/** What is measured apart. */
const SORTS = { create: 'write', update: 'write', proof: 'write', pay: 'payment', read: 'read' };

/** Operations under way beyond which none begins: those that are due wait, and count from when they were due. */
const MOST = 64;

/** Seconds after the end in which operations begin that were due before. */
const GRACE = 60;

/** Part of the operations due that must have begun. */
const BEGUN = 0.95;

/** Begins operations at an even rate, whatever becomes of those before. */
export class Load {
  /** Time from due to answered, by sort; of `delivered` from the signature of a payment until a receiver is told that it is final. */
  times = {
    ...{ write: new Seconds(), payment: new Seconds(), read: new Seconds(), list: new Seconds() },
    delivered: new Seconds(),
  };
  begun = 0;
  /** Operations that were due: those that have not begun had too many before them that were not answered. */
  due = 0;
  underWay = 0;
  #tenants;
  #findings;
  #rate;

  constructor({ tenants, findings, rate }) {
    this.#tenants = tenants;
    this.#findings = findings;
    this.#rate = rate;
    for (const times of Object.values(this.times)) times.begin();
  }

  /** Runs for so many seconds, and until the last operation has ended. Too few that have begun are a finding. */
  async run(seconds, isOver) {
    const began = performance.now();
    const due = (number) => began + (number * 1_000) / this.#rate;
    const all = Math.ceil(seconds * this.#rate);
    while (this.begun < all && performance.now() < began + (seconds + GRACE) * 1_000 && !isOver()) {
      while (this.begun < all && due(this.begun) <= performance.now() && this.underWay < MOST) {
        void this.#begin(this.begun, due(this.begun));
        this.begun += 1;
      }
      await pause(2);
    }
    this.due = Math.min(all, Math.ceil(((performance.now() - began) * this.#rate) / 1_000));
    if (this.begun < BEGUN * this.due)
      this.#findings.add('operations that were due have never begun', `${this.due - this.begun} of ${this.due}`);
    while (this.underWay > 0 && !isOver()) await pause(20);
  }

  async #begin(number, from) {
    this.underWay += 1;
    const turn = Math.floor(number / this.#tenants.length);
    const name = TURNS[turn % TURNS.length];
    const { wallets, payments } = this.#tenants[number % this.#tenants.length];
    const operations = { pay: () => payments.pay(), payments: () => payments.list() };
    try {
      await (operations[name] ?? (() => wallets[name]()))();
    } catch (error) {
      this.#findings.add('an operation failed', `${name}: ${error.stack}`);
    }
    this.underWay -= 1;
    this.times[SORTS[name] ?? 'list'].add(performance.now() - from);
  }
}
