import type { Suite } from '@countersign/protocol';
import { Column } from './column.js';
import { codeOf } from './moment.js';
import { Names } from './names.js';
import { Texts } from './texts.js';

/** Records that have begun, by numbers from 0. */
export class Records {
  readonly #names: Names;
  readonly #luids = new Texts();
  /** The moment of the first version. */
  readonly #born = new Column('any');

  constructor(suite: Pick<Suite, 'sha256'>) {
    this.#names = new Names(suite);
  }

  /** The number of the record; -1 where it has not begun. */
  numberOf(luid: string): number {
    return this.#names.find(luid);
  }

  luidOf(number: number): string {
    return this.#luids.get(number);
  }

  /** @returns whether the record is new */
  begin(luid: string): boolean {
    const { count } = this.#names;
    const number = this.#names.put(luid);
    if (number < count) return false;
    this.#luids.set(number, luid);
    return true;
  }

  bear(luid: string, moment: string): void {
    this.#born.set(this.numberOf(luid), codeOf(moment));
  }

  /** The code of the moment of its first version; 0 for none. */
  bornAt(number: number): number {
    return number < 0 ? 0 : this.#born.get(number);
  }
}
