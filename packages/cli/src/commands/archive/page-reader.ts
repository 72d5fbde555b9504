import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { ServerRefusal, type ServerSource } from './server-source.js';

/** Items of a page, the most that a server gives. */
export const PAGE_SIZE = 100;
/** Smaller pages that a page which is refused consists of. */
const SMALLER_PAGES = 10;
/** Pages in a row that may bring nothing new: writes meanwhile move what was read to later pages. */
const IDLE_PAGES = 10;
/** Items in a row that may be refused: a list that is refused as a whole never comes to its end. */
const MOST_REFUSED_ITEMS = 30;

/** What stands for a page of a list. */
export interface ListPart {
  readonly items: readonly Json[];
  readonly isLast: boolean;
}

/** How a list is read. */
export interface ReadingDeps {
  /** Tells items apart. */
  readonly keyOf: (item: JsonObject) => string;
  /** Items that are taken at most: what a liar goes on with must not fill the memory. */
  readonly most: number;
  /** Is told why the list was given up. */
  readonly givenUp: (why: string) => void;
  /** Reads what a page that is refused has, in smaller parts; undefined to give up. */
  readonly instead: (index: number, refused: ServerRefusal) => Promise<ListPart | undefined>;
}

/** Reads a list page by page, each item once. It ends with every server: a page that is not full is the last. */
export async function* itemsOf(
  served: ServerSource,
  path: string,
  { keyOf, most, givenUp, instead }: ReadingDeps,
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  let idle = 0;
  for (let index = 0; ; index += 1) {
    const page = await served.page(path, PAGE_SIZE, index);
    const part =
      page instanceof ServerRefusal ? await instead(index, page) : { items: page, isLast: page.length < PAGE_SIZE };
    if (part === undefined) return;
    const before = seen.size;
    for (const item of part.items.filter(isObject)) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      if (seen.size >= most) return givenUp(`has more than ${most} items: verify an export instead`);
      seen.add(key);
      yield item;
    }
    if (part.isLast) return;
    idle = seen.size === before ? idle + 1 : 0;
    if (idle >= IDLE_PAGES) return givenUp('goes on with pages that bring nothing new');
  }
}

/** The part of a list that can be read of a page which is refused: by smaller pages, down to those of one item. */
export async function readInParts(
  served: ServerSource,
  path: string,
  index: number,
  refused: ServerRefusal,
  report: (why: string) => void,
): Promise<ListPart | undefined> {
  const items: Json[] = [];
  // Told once it is known that the list goes on behind them.
  let row: { readonly place: number; readonly why: string }[] = [];
  const tell = () => {
    for (const { place, why } of row) report(`has an item in place ${place + 1} that ${why}`);
    row = [];
  };
  /** @returns whether the list goes on; undefined to give up */
  const read = async (size: number, at: number, before: ServerRefusal): Promise<boolean | undefined> => {
    if (size === 1) row.push({ place: at, why: before.why });
    if (row.length >= MOST_REFUSED_ITEMS || !served.hasPatience) return undefined;
    if (size === 1) return true;
    const smaller = size / SMALLER_PAGES;
    for (let part = at * SMALLER_PAGES; part < (at + 1) * SMALLER_PAGES; part += 1) {
      const page = await served.page(path, smaller, part);
      if (page instanceof ServerRefusal) {
        const goesOn = await read(smaller, part, page);
        if (!goesOn) return goesOn;
        continue;
      }
      tell();
      items.push(...page);
      if (page.length < smaller) return false;
    }
    return true;
  };
  const goesOn = await read(PAGE_SIZE, index, refused);
  if (goesOn !== undefined) {
    tell();
    return { items, isLast: !goesOn };
  }
  const from = (row[0]?.place ?? index * PAGE_SIZE) + 1;
  report(`could not be read to its end: from place ${from} on it ${(row[0] ?? refused).why}`);
  return items.length === 0 ? undefined : { items, isLast: true };
}
