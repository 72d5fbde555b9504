import { Column } from './column.js';

/** A wallet or symbol, from its first to its last change, by the codes of moments; until infinity while it lives. */
export interface Life {
  readonly record: number;
  readonly from: number;
  readonly until: number;
}

/** Wallets, or symbols, of each handle, in the order in which they came: records, names and moments are numbers. */
export class Lives {
  #count = 0;
  readonly #records = new Column('int32');
  /** Where it is not when the record was born, and where there is one: of most wallets neither is. */
  readonly #from = new Column('float64');
  readonly #until = new Column('float64');
  /** The next life of the same name, the first and the last of each name, and the name of each record; all and 1 more. */
  readonly #next = new Column('int32');
  readonly #first = new Column('int32');
  readonly #last = new Column('int32');
  readonly #names = new Column('int32');

  /** @param bornAt the code of the moment of a record's first version; 0 where it has none */
  constructor(private readonly bornAt: (record: number) => number) {}

  add(name: number, { record, from, until }: Life): void {
    const life = this.#count;
    this.#count += 1;
    this.#records.set(life, record);
    if (from !== this.bornAt(record)) this.#from.set(life, from);
    if (until !== Number.POSITIVE_INFINITY) this.#until.set(life, until);
    const before = this.#last.get(name) - 1;
    if (before < 0) this.#first.set(name, life + 1);
    else this.#next.set(before, life + 1);
    this.#last.set(name, life + 1);
    this.#names.set(record, name + 1);
  }

  has(name: number): boolean {
    return name >= 0 && this.#first.get(name) > 0;
  }

  /** The name of such a record; -1 for another record, or none. */
  nameOf(record: number): number {
    return record < 0 ? -1 : this.#names.get(record) - 1;
  }

  last(name: number): number | undefined {
    return this.has(name) ? this.#records.get(this.#last.get(name) - 1) : undefined;
  }

  /** The record that has the name now; where none has, the last that had it. Records of one second come in any order. */
  current(name: number): number | undefined {
    if (!this.has(name)) return undefined;
    for (let life = this.#first.get(name) - 1; life >= 0; life = this.#next.get(life) - 1)
      if (this.#until.get(life) === 0) return this.#records.get(life);
    return this.last(name);
  }

  /** Whether one had the name at that moment, and before and after it. */
  isLived(name: number, moment: number): boolean {
    for (let life = this.#first.get(name) - 1; life >= 0; life = this.#next.get(life) - 1) {
      const until = this.#until.get(life) || Number.POSITIVE_INFINITY;
      if (this.#bornIn(life) < moment && moment < until) return true;
    }
    return false;
  }

  /** The record of that name at that moment, its first and its last included; undefined where none had it. */
  exactlyAt(name: number, moment: number): number | undefined {
    if (!this.has(name)) return undefined;
    for (let life = this.#first.get(name) - 1; life >= 0; life = this.#next.get(life) - 1) {
      const until = this.#until.get(life) || Number.POSITIVE_INFINITY;
      if (this.#bornIn(life) <= moment && moment <= until) return this.#records.get(life);
    }
    return undefined;
  }

  /** The record of that name at that moment; clocks of servers differ, so else the one that was made next, or last. */
  at(name: number, moment: number): number | undefined {
    const exact = this.exactlyAt(name, moment);
    if (exact !== undefined || !this.has(name)) return exact;
    for (let life = this.#first.get(name) - 1; life >= 0; life = this.#next.get(life) - 1) {
      if (this.#bornIn(life) > moment) return this.#records.get(life);
    }
    return this.last(name);
  }

  #bornIn(life: number): number {
    return this.#from.get(life) || this.bornAt(this.#records.get(life));
  }
}
