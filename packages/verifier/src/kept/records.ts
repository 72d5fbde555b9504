import type { Suite } from '@countersign/protocol';
import { Column } from './column.js';
import { Luids } from './luids.js';
import { momentNumber } from './moment.js';

/** Records that have begun, by numbers from 0. */
export class Records {
  readonly #luids: Luids;
  /** The moment of the first version. */
  readonly #born = new Column('float64');

  constructor(suite: Pick<Suite, 'sha256'>) {
    this.#luids = new Luids(suite);
  }

  /** The number of the record; -1 where it has not begun. */
  numberOf(luid: string): number {
    return this.#luids.find(luid);
  }

  luidOf(number: number): string {
    return this.#luids.get(number);
  }

  /** @returns whether the record is new */
  begin(luid: string): boolean {
    const { count } = this.#luids;
    return this.#luids.put(luid) === count;
  }

  bear(luid: string, moment: string): void {
    this.#born.set(this.numberOf(luid), momentNumber(moment));
  }

  /** The code of the moment of its first version; 0 for none. */
  bornAt(number: number): number {
    return number < 0 ? 0 : this.#born.get(number);
  }
}
