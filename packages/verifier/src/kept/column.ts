const BITS = 13;
const PAGE = 1 << BITS;

/** Whole numbers of 32 bits take half of the memory. */
export type Sort = 'int32' | 'float64';

/** Numbers by their places from 0, in pages: it grows without a copy of all, and pages of zeros take nothing. */
export class Column {
  readonly #pages: (Int32Array | Float64Array | undefined)[] = [];

  constructor(private readonly sort: Sort) {}

  get(place: number): number {
    return this.#pages[place >>> BITS]?.[place & (PAGE - 1)] ?? 0;
  }

  set(place: number, value: number): void {
    const number = place >>> BITS;
    const at = place & (PAGE - 1);
    const page = this.#pages[number];
    if (page) page[at] = value;
    else if (value !== 0) this.#make(number)[at] = value;
  }

  #make(number: number): Int32Array | Float64Array {
    const page = this.sort === 'int32' ? new Int32Array(PAGE) : new Float64Array(PAGE);
    while (this.#pages.length < number) this.#pages.push(undefined);
    this.#pages[number] = page;
    return page;
  }

  add(place: number, value: number): void {
    this.set(place, this.get(place) + value);
  }
}
