import { AnswerError } from './errors.js';
import type { Filter, ListOptions } from './options.js';
import type { Signed } from './shape.js';

/** One page of a list, verified. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly index: number;
  readonly limit: number;
  /** Of all pages; histories, balances and limits have it. */
  readonly total?: number;
}

/** A list: `for await` gives its items, page after page. Nothing is asked for before. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** One page, from 0. */
  page(index: number): Promise<PageOf<Item>>;
  /** The first item; undefined where there is none. */
  first(): Promise<Item | undefined>;
  /** All items, `most` of them at most; 1,000 unless given. */
  all(most?: number): Promise<Item[]>;
}

/** Pages in a row that have nothing new, after which a list is taken for one that never ends. */
const REPEATED = 20;

/**
 * Pages of a list whose pages `read` gets.
 *
 * What changes meanwhile moves to the front and pushes the others back, so a list of several pages is read from the
 * front again, down to the first item that an earlier pass has given in the same version: whatever stands behind that one
 * was given by then. One page is of one moment, so a pass that ends on it is the last.
 */
export function makePages<Item>(read: (index: number) => Promise<PageOf<Item>>): Pages<Item> {
  async function* items(): AsyncGenerator<Item> {
    const given = new Set<string>();
    const seen = new Set<string>();
    for (let index = 0, repeated = 0; ; ) {
      // Versions of this pass: those that are pushed onto its next page say nothing of what is behind them.
      const passed: string[] = [];
      for (let isMore = true; isMore; index++) {
        const page = await read(index);
        isMore = page.items.length >= page.limit;
        repeated += 1;
        for (const item of page.items) {
          const [name, version] = itemNames(item);
          if (seen.has(version)) isMore = false;
          passed.push(version);
          if (given.has(name)) continue;
          given.add(name);
          repeated = 0;
          yield item;
        }
        if (repeated >= REPEATED) throw new AnswerError('stale', `${REPEATED} pages have only items of pages before`);
      }
      if (index === 1) return;
      for (const version of passed) seen.add(version);
      index = 0;
    }
  }
  return {
    [Symbol.asyncIterator]: items,
    page: read,
    async first() {
      for await (const item of items()) return item;
      return undefined;
    },
    async all(most = 1000) {
      const all: Item[] = [];
      for await (const item of items()) if (all.push(item) >= most) break;
      return all;
    },
  };
}

/** What an item is known by, and its version by: of histories each version is an item. */
function itemNames(item: unknown): [name: string, version: string] {
  const { luid, hash, meta } = item as Signed;
  const name = `${luid} ${meta.change}`;
  return [name, `${name} ${hash} ${meta.proofs?.length}`];
}

/** The query of a list (interface/lists#filters), `?` included. */
export function queryOf({ filter = {}, limit = 100 }: ListOptions<string>, index: number): string {
  const pairs: [string, unknown][] = [
    ['page.index', index],
    ['page.limit', limit],
  ];
  for (const [member, value] of Object.entries(filter as Filter<string>)) {
    const operators = typeof value === 'object' ? Object.entries(value) : [['$eq', value]];
    for (const [operator, operand] of operators) {
      if (operand === undefined) continue;
      if (Array.isArray(operand)) {
        operand.forEach((one, at) => {
          pairs.push([`${member}.${operator}[${at}]`, one]);
        });
      } else pairs.push([`${member}.${operator}`, operand]);
    }
  }
  return `?${pairs.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('=')).join('&')}`;
}
