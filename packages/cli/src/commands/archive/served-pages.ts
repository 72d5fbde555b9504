import { isObject, type JsonObject } from '@countersign/protocol';
import { Failure } from '../../terminal/failure.js';
import type { Connection } from '../../wire/connection.js';

/** Items of a page, the most that a server gives. */
const PAGE = 100;
/** Pages in a row that may bring nothing new: writes meanwhile move what was read to later pages. */
const IDLE_PAGES = 10;

/** How a list is read. */
export interface ReadingMeans {
  /** Tells items apart. */
  readonly keyOf: (item: JsonObject) => string;
  /** Items that are taken at most: what a liar goes on with must not fill the memory. */
  readonly most: number;
  /** Is told why the list was given up. */
  readonly givenUp: (why: string) => void;
}

/** Reads a list page by page, each item once. It ends with every server: a page that is not full is the last. */
export async function* itemsOf(
  connection: Connection,
  path: string,
  { keyOf, most, givenUp }: ReadingMeans,
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  let idle = 0;
  for (let index = 0; ; index += 1) {
    const { data } = await connection.get<JsonObject>(`${path}?page.limit=${PAGE}&page.index=${index}`);
    if (!Array.isArray(data)) throw new Failure('unreachable', `${path} is answered with something else than a list.`);
    const before = seen.size;
    for (const item of data.filter(isObject)) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      if (seen.size >= most) return givenUp(`has more than ${most} items: verify an export instead`);
      seen.add(key);
      yield item;
    }
    if (data.length < PAGE) return;
    idle = seen.size === before ? idle + 1 : 0;
    if (idle >= IDLE_PAGES) return givenUp('goes on with pages that bring nothing new');
  }
}
