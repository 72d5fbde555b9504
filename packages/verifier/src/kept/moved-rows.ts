import type { ProvenMovement } from '../movements.js';
import { Column } from './column.js';

/** A movement whose record and account are numbers, and its moment a code. */
export interface MovedRow extends Pick<ProvenMovement, 'change' | 'availableBy' | 'reservedBy' | 'isJudged'> {
  readonly intent: number;
  readonly account: number;
  readonly moment: number;
}

const JUDGED = 1;
const SEEN = 2;

/** What all intents have moved, by numbers from 0: 44 bytes for each. Those of an intent stand together, in order. */
export class MovedRows {
  #count = 0;
  readonly #intents = new Column('int32');
  readonly #changes = new Column('int32');
  readonly #accounts = new Column('int32');
  readonly #available = new Column('float64');
  readonly #reserved = new Column('float64');
  readonly #moments = new Column('float64');
  readonly #marks = new Column('int32');
  /** The first of each intent, and how many it has. */
  readonly #first = new Column('int32');
  readonly #many = new Column('int32');

  get count(): number {
    return this.#count;
  }

  get(row: number): MovedRow {
    return {
      intent: this.#intents.get(row),
      change: this.#changes.get(row),
      account: this.#accounts.get(row),
      availableBy: this.#available.get(row),
      reservedBy: this.#reserved.get(row),
      moment: this.#moments.get(row),
      isJudged: (this.#marks.get(row) & JUDGED) !== 0,
    };
  }

  /** Adds all that an intent has moved. */
  add(intent: number, moved: readonly MovedRow[]): void {
    this.#first.set(intent, this.#count);
    this.#many.set(intent, moved.length);
    for (const one of [...moved].sort(compareMoved)) {
      const row = this.#count;
      this.#count += 1;
      this.#intents.set(row, intent);
      this.#changes.set(row, one.change);
      this.#accounts.set(row, one.account);
      this.#available.set(row, one.availableBy);
      this.#reserved.set(row, one.reservedBy);
      this.#moments.set(row, one.moment);
      this.#marks.set(row, one.isJudged ? JUDGED : 0);
    }
  }

  /** What an intent has moved on an account at a change; -1 for nothing. */
  find(intent: number, change: number, account: number): number {
    if (intent < 0 || account < 0) return -1;
    let from = this.#first.get(intent);
    const end = from + this.#many.get(intent);
    for (let to = end; from < to; ) {
      const middle = (from + to) >>> 1;
      const by = this.#changes.get(middle) - change || this.#accounts.get(middle) - account;
      if (by < 0) from = middle + 1;
      else to = middle;
    }
    const isFound = from < end && this.#changes.get(from) === change && this.#accounts.get(from) === account;
    return isFound ? from : -1;
  }

  see(row: number): void {
    this.#marks.set(row, this.#marks.get(row) | SEEN);
  }

  isSeen(row: number): boolean {
    return (this.#marks.get(row) & SEEN) !== 0;
  }

  /** All, by their moments; those of one moment as they came. */
  byMoment(): Uint32Array {
    const rows = Uint32Array.from({ length: this.#count }, (_, row) => row);
    return rows.sort((one, other) => this.#moments.get(one) - this.#moments.get(other) || one - other);
  }
}

function compareMoved(one: MovedRow, other: MovedRow): number {
  return one.change - other.change || one.account - other.account;
}
