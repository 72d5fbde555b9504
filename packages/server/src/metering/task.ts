import { LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { LeakyBucket, Payer, Turns } from './account.js';
import type { Cost } from './cost.js';
import { workLimits } from './work-limits.js';

/**
 * The metered work of one request, as far as a tenant's data can make it heavy. It runs in slices: each slice has a
 * bound of steps for rules, is charged by the time that it takes, and begins with a call of `turn`, where a ledger that uses
 * much waits for its turn (decision 0015).
 */
export interface Task extends Cost {
  /**
   * To be awaited before each slice: undefined when it may begin at once.
   *
   * @param steps that are charged before the slice, where it is known to take so many
   * @throws `api.request-timeout` when the client has gone or its time is over; Overloaded when the queue is full;
   *   `auth.forbidden` when the request has used up its steps
   */
  turn(steps?: number): Promise<void> | undefined;
  /** The error for work whose client has gone or whose time is over; undefined while the client waits. */
  abandonment(): Error | undefined;
  /** Charges steps that are already taken; the bound of a slice does not apply to them. */
  chargeUnbounded(steps: number): void;
  /** Marks work that has had effects elsewhere: it is finished even when the client has gone. */
  mustFinish(): void;
  /** Whether the work has had effects elsewhere. */
  readonly finishes: boolean;
  /**
   * Says that the caller is allowed what the request asks for: from now on the ledger is charged, and for what was charged to
   * the sender until now.
   *
   * @throws `api.rate-limit-exceeded` when the ledger has no memory left for the body
   */
  grant(): void;
  /** Counts the steps of the request from zero: those of a decision that is made again after a call. */
  beginAnew(): void;
}

/** Unmetered work, of tests and of the service itself: every turn begins at once. */
export const UNBOUNDED: Task = {
  spend() {},
  chargeUnbounded() {},
  abandonment: () => undefined,
  turn: () => undefined,
  mustFinish() {},
  finishes: false,
  grant() {},
  beginAnew() {},
};

/** Who is charged for a request that may turn out to be a stranger's. */
export interface PendingCharge {
  /** The account of the ledger. */
  readonly to: LeakyBucket;
  /** Called once, when the caller is known to be allowed; it may throw. */
  readonly granted: () => void;
}

/** A task of a ledger, or of a sender until its caller is known to be allowed. */
export class LedgerTask implements Task, Payer {
  readonly #turns: Turns;
  account: LeakyBucket;
  charged = 0;
  #granting: PendingCharge | undefined;
  readonly #isOver: () => boolean;
  #slice = 0;
  #total = 0;
  #finishes = false;

  /**
   * @param isOver whether the client has gone or its time is over
   * @param granting for a task of a sender
   */
  constructor(turns: Turns, account: LeakyBucket, isOver: () => boolean, granting?: PendingCharge) {
    this.#granting = granting;
    this.#turns = turns;
    this.account = account;
    this.#isOver = isOver;
  }

  /** @throws `auth.forbidden` when the slice, or the request, has used up its steps */
  spend(steps: number): void {
    this.#slice += steps;
    this.chargeUnbounded(steps);
    if (this.#slice > workLimits.slice) throw new TooMuchWork(workLimits.slice, 'at a time');
    this.#assertWithin();
  }

  turn(steps = 0): Promise<void> | undefined {
    this.#assertWanted();
    if (steps > 0) this.chargeUnbounded(steps);
    this.#assertWithin();
    this.#slice = 0;
    const turn = this.#turns.turn(this, steps);
    return turn && this.#after(turn);
  }

  /** Work that has had effects elsewhere is finished: it was within its bounds when it began. */
  #assertWithin(): void {
    if (this.#total > workLimits.request && !this.#finishes)
      throw new TooMuchWork(workLimits.request, 'for one request');
  }

  chargeUnbounded(steps: number): void {
    this.#total += steps;
    this.charged += steps;
    this.#turns.charge(this.account, steps);
  }

  grant(): void {
    if (!this.#granting) return;
    const { to, granted } = this.#granting;
    granted();
    this.#granting = undefined;
    this.#turns.move(this.charged, this.account, to);
    this.account = to;
  }

  mustFinish(): void {
    this.#finishes = true;
  }

  get finishes(): boolean {
    return this.#finishes;
  }

  beginAnew(): void {
    this.#total = 0;
  }

  async #after(turn: Promise<void>): Promise<void> {
    await turn;
    this.#slice = 0;
    this.#assertWanted();
  }

  abandonment(): Error | undefined {
    if (this.#finishes || !this.#isOver()) return undefined;
    return new LedgerError('api.request-timeout', 'Nobody waits for the answer any more.');
  }

  #assertWanted(): void {
    const error = this.abandonment();
    if (error) throw error;
  }
}

/** Rules that cannot be judged to the end grant nothing: the refusal is the safe answer. */
export class TooMuchWork extends LedgerError {
  constructor(most: number, per: string) {
    const detail = `The rules and records of the ledger take more work to judge than the ${most} steps that there may be ${per}.`;
    super('auth.forbidden', detail);
  }
}

/** A text of up to so many characters is parsed in less than a tenth of a millisecond: it needs no slice of its own. */
const SHORT_TEXT = 4_096;

/** The turn before texts are parsed, or made: undefined where all of them are short. @throws as `turn` does */
export function turnForText(
  task: Pick<Task, 'turn'>,
  ...texts: readonly (string | undefined)[]
): Promise<void> | undefined {
  return texts.some((text) => text !== undefined && text.length > SHORT_TEXT) ? task.turn() : undefined;
}

/** The record that a stored text holds. A long text waits for its turn. @throws as `turn` does */
export async function readRecordText(task: Pick<Task, 'turn'>, text: string): Promise<RecordEnvelope> {
  await turnForText(task, text);
  return readJson(text) as RecordEnvelope;
}

/** Steps to parse a text, hash it and serialise it again. */
export function stepsOfText(text: string | undefined): number {
  return text === undefined || text.length <= SHORT_TEXT ? 0 : text.length >> 1;
}
