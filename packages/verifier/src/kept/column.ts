const COLUMN_PAGE_BITS = 13;
const COLUMN_PAGE = 1 << COLUMN_PAGE_BITS;

/** Whole numbers of 32 bits take half of the memory. */
export type ColumnType = 'int32' | 'float64';

/** Numbers by their places from 0, in pages: it grows without a copy of all, and pages of zeros take nothing. */
export class Column {
  readonly #pages: (Int32Array | Float64Array | undefined)[] = [];

  constructor(private readonly sort: ColumnType) {}

  get(place: number): number {
    return this.#pages[place >>> COLUMN_PAGE_BITS]?.[place & (COLUMN_PAGE - 1)] ?? 0;
  }

  set(place: number, value: number): void {
    const number = place >>> COLUMN_PAGE_BITS;
    const at = place & (COLUMN_PAGE - 1);
    const page = this.#pages[number];
    if (page) page[at] = value;
    else if (value !== 0) this.#make(number)[at] = value;
  }

  #make(number: number): Int32Array | Float64Array {
    const page = this.sort === 'int32' ? new Int32Array(COLUMN_PAGE) : new Float64Array(COLUMN_PAGE);
    while (this.#pages.length < number) this.#pages.push(undefined);
    this.#pages[number] = page;
    return page;
  }

  add(place: number, value: number): void {
    this.set(place, this.get(place) + value);
  }
}
