import { Failure } from '../../terminal/failure.js';
import { ServerRefusal, type ServerSource } from './server-source.js';

/** Handles that are looked for in one list: each takes some hundred requests. */
const MOST_HANDLES = 5;
/** Characters of a handle that are looked for. */
const LONGEST_HANDLE = 64;
/** The most that a server gives at once: of longer lists a refusal could be missed. */
const WHOLE = 1000;
const [FIRST_CODE, LAST_CODE] = [0x21, 0x7e];

/**
 * Handles of records that a list refuses to show. No answer names them, but filters tell them: what is between two
 * handles is refused with them, or answered without.
 *
 * @param known handles of the list that are read
 */
export async function findRefusedHandles(
  served: ServerSource,
  path: string,
  known: readonly string[],
): Promise<string[]> {
  const handles: string[] = [];
  if (known.length + MOST_HANDLES >= WHOLE) return handles;
  const search = new Search(served, path, [...known].sort());
  try {
    if (!(await search.tells())) return handles;
    while (handles.length < MOST_HANDLES) {
      const handle = await search.after(handles.at(-1));
      if (handle === undefined) break;
      handles.push(handle);
    }
  } catch (error) {
    // Of a list that takes no such filter, or holds too much for one page, the places are told.
    if (!(error instanceof Failure && error.exit === 'refused')) throw error;
  }
  return handles;
}

class Search {
  constructor(
    private readonly served: ServerSource,
    private readonly path: string,
    private readonly known: readonly string[],
  ) {}

  /** Whether filters make a difference: what nothing can match is answered. */
  async tells(): Promise<boolean> {
    return !(await this.#isRefused({ $gt: '~', $lt: '!' }));
  }

  /** The first refused handle after another one; undefined where there is none. */
  async after(above: string | undefined): Promise<string | undefined> {
    if (!(await this.#isRefused({ $gt: above }))) return undefined;
    const known = this.known.filter((handle) => above === undefined || handle > above);
    const next = await firstWhere(0, known.length, (at) => this.#isRefused({ $gt: above, $lt: known[at] }));
    const $gt = known[next - 1] ?? above;
    let handle = '';
    while (handle.length < LONGEST_HANDLE && this.served.hasPatience) {
      const code = await firstWhere(FIRST_CODE, LAST_CODE, (at) =>
        this.#isRefused({ $gt, $lt: handle + String.fromCharCode(at + 1) }),
      );
      handle += String.fromCharCode(code);
      if (await this.#isRefused({ $eq: handle })) return handle;
    }
    return undefined;
  }

  async #isRefused(filter: Readonly<Record<string, string | undefined>>): Promise<boolean> {
    const parts = Object.entries(filter).flatMap(([operator, value]) =>
      value === undefined ? [] : [`&data.handle.${operator}=${encodeURIComponent(value)}`],
    );
    return (await this.served.get(`${this.path}?page.limit=${WHOLE}${parts.join('')}`)) instanceof ServerRefusal;
  }
}

/** The first number that holds, of those where all that follow hold, too; `end` where none does. */
async function firstWhere(start: number, end: number, holds: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
