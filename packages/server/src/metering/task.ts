import { LedgerError } from '@countersign/protocol';
import { limits } from '../limits.js';
import type { Account, Turns } from './account.js';
import type { Cost } from './cost.js';

/**
 * The work of one request, as far as a tenant's data can make it heavy. It goes on in slices: between two calls of `turn`
 * it may take so many steps and no more, and a ledger that uses much waits there until it is its turn (decision 0015).
 */
export interface Task extends Cost {
  /**
   * To be awaited before each slice: nothing when it may begin at once.
   *
   * @param steps what the slice is known to take, beside what is charged as it goes
   * @throws `api.request-timeout` when nobody waits for the answer any more; Overloaded when too many wait; `auth.forbidden`
   *   when the request has had all it may have
   */
  turn(steps?: number): Promise<void> | undefined;
  /** The refusal for who would begin something that nobody waits for any more; nothing while somebody does. */
  abandoned(): Error | undefined;
  /** Takes note of steps that were taken in this slice, however many. */
  note(steps: number): void;
  /** Says that the work has had effects elsewhere, and is to be finished whoever waits for it. */
  mustFinish(): void;
}

/** Work that is nobody's: of tests, and of the service itself. It is not bounded, and never waits. */
export const UNBOUNDED: Task = {
  spend() {},
  note() {},
  abandoned: () => undefined,
  turn: () => undefined,
  mustFinish() {},
};

/** A task of a ledger. */
export class LedgerTask implements Task {
  readonly #turns: Turns;
  readonly #account: Account;
  readonly #isOver: () => boolean;
  #slice = 0;
  #total = 0;
  #finishes = false;

  /** @param isOver whether nobody waits for the answer any more */
  constructor(turns: Turns, account: Account, isOver: () => boolean) {
    this.#turns = turns;
    this.#account = account;
    this.#isOver = isOver;
  }

  /** @throws `auth.forbidden` when the slice, or the request, has had all it may have */
  spend(steps: number): void {
    this.#slice += steps;
    this.#total += steps;
    this.#turns.charge(this.#account, steps);
    if (this.#slice > limits.work.slice) throw tooMuch(limits.work.slice, 'at a time');
    this.#assertWithin();
  }

  turn(steps = 0): Promise<void> | undefined {
    this.#assertWanted();
    if (steps > 0) this.note(steps);
    this.#assertWithin();
    this.#slice = 0;
    const turn = this.#turns.turn(this.#account);
    return turn && this.#after(turn);
  }

  /** What has had effects elsewhere is finished: it was within its bounds when it began. */
  #assertWithin(): void {
    if (this.#total > limits.work.request && !this.#finishes) throw tooMuch(limits.work.request, 'for one request');
  }

  note(steps: number): void {
    this.#total += steps;
    this.#turns.charge(this.#account, steps);
  }

  mustFinish(): void {
    this.#finishes = true;
  }

  async #after(turn: Promise<void>): Promise<void> {
    await turn;
    this.#assertWanted();
  }

  abandoned(): Error | undefined {
    if (this.#finishes || !this.#isOver()) return undefined;
    return new LedgerError('api.request-timeout', 'Nobody waits for the answer any more.');
  }

  #assertWanted(): void {
    const error = this.abandoned();
    if (error) throw error;
  }
}

/** Rules that cannot be judged to the end grant nothing, whatever they would have said. */
function tooMuch(most: number, per: string): LedgerError {
  const detail = `The rules and records of the ledger take more work to judge than the ${most} steps that there may be ${per}.`;
  return new LedgerError('auth.forbidden', detail);
}

/** Bodies up to so many characters are not charged: next to what else a request takes, they cost nothing. */
const FREE = 4_096;

/** Steps that it takes to parse a text, to hash it and to make it anew. */
export function stepsOfText(text: string | undefined): number {
  return text === undefined || text.length <= FREE ? 0 : text.length >> 1;
}
