import { isObject, type JsonObject } from '@countersign/protocol';
import { itemsOf, type ListPart, PAGE_SIZE } from './page-reader.js';
import { ServerRefusal, type ServerSource } from './server-source.js';

/** Versions of one record that are read: they are verified oldest first, and the server gives the newest first. */
const MOST_VERSIONS = 100_000;
/** Versions in a row that may be refused, where the number of the newest is unknown. */
const MOST_REFUSED_VERSIONS = 10;
const MISSING_CHANGE = 'is missing: the server has no such change';

/** The versions of a record as they were served, and which of them were not. */
export interface ServedHistory {
  /** Newest first. */
  readonly items: readonly JsonObject[];
  /** Numbers of versions that could not be read, and why: completes a sentence that begins with the version. */
  readonly unread: ReadonlyMap<number, string>;
  /** What is wrong with the history as a whole, as sentences. */
  readonly defects: readonly string[];
}

/** Reads the history of the record at a path: page by page, and one by one where a page is refused. */
export async function readHistory(served: ServerSource, path: string): Promise<ServedHistory> {
  const history = new HistoryReader(served, path);
  await history.read();
  return history;
}

class HistoryReader implements ServedHistory {
  readonly items: JsonObject[] = [];
  readonly unread = new Map<number, string>();
  readonly defects: string[] = [];
  /** The last number that was read, or asked for. */
  #lowest = Number.POSITIVE_INFINITY;

  constructor(
    private readonly served: ServerSource,
    private readonly path: string,
  ) {}

  async read(): Promise<void> {
    const changes = `${this.path}/changes`;
    let last = Number.POSITIVE_INFINITY;
    const items = itemsOf(this.served, changes, {
      keyOf: (item) => String(versionNumber(item)),
      most: MOST_VERSIONS,
      givenUp: (why) => this.defects.push(`${changes} ${why}`),
      instead: (index, refused) => this.#instead(index, refused),
    });
    for await (const item of items) {
      const number = versionNumber(item);
      // Numbers that do not fall would go on for ever.
      if (!(number < last && number >= 1)) {
        this.#defect('has changes whose numbers do not fall');
        break;
      }
      last = number;
      this.#lowest = Math.min(this.#lowest, number);
      this.items.push(item);
    }
  }

  async #instead(index: number, refused: ServerRefusal): Promise<ListPart | undefined> {
    if (!this.served.hasPatience) {
      this.#defect(refused.why);
      return undefined;
    }
    if (index > 0) return this.#down(this.#lowest - 1);
    const newest = await this.served.page(`${this.path}/changes`, 1, 0);
    if (newest instanceof ServerRefusal) return this.#up(refused);
    const { meta } = newest.filter(isObject)[0] ?? {};
    const { change, action } = isObject(meta) ? meta : {};
    // Nothing is left below an erasure.
    const isCounted = Number.isSafeInteger(change) && Number(change) > 0 && action !== 'erase';
    return isCounted ? this.#down(Number(change)) : { items: newest, isLast: true };
  }

  /** From the newest version on down, as many as a page has. */
  async #down(newest: number): Promise<ListPart> {
    const items: JsonObject[] = [];
    const end = Math.max(0, newest - PAGE_SIZE);
    for (let number = newest; number > end && this.served.hasPatience; number -= 1) {
      const version = await this.#one(number);
      if (version) items.push(version);
      this.#lowest = number;
    }
    if (!this.served.hasPatience) this.#defect('could not be read to its end: too much is refused');
    return { items, isLast: end === 0 || !this.served.hasPatience };
  }

  /** From the first on, until one is not there: nothing says which is the newest. */
  async #up(refused: ServerRefusal): Promise<ListPart> {
    const items: JsonObject[] = [];
    for (let number = 1, row = 0; row < MOST_REFUSED_VERSIONS && number <= MOST_VERSIONS; number += 1) {
      const version = await this.#one(number);
      if (version) items.push(version);
      row = version ? 0 : row + 1;
      const isEnd = this.unread.get(number) === MISSING_CHANGE;
      if (isEnd) this.unread.delete(number);
      if (isEnd && this.unread.size > 0) return { items: items.reverse(), isLast: true };
      if (isEnd || items.length === 0) break;
    }
    // The newest says who may read the others.
    if (items.length === 0) this.unread.clear();
    this.#defect(`${refused.why}, ${items.length === 0 ? 'with all its changes' : 'where its newest change is'}`);
    return { items: items.reverse(), isLast: true };
  }

  async #one(number: number): Promise<JsonObject | undefined> {
    const version = await this.served.change(this.path, number);
    if (version === undefined) this.unread.set(number, MISSING_CHANGE);
    else if (version instanceof ServerRefusal) this.unread.set(number, version.why);
    else if (versionNumber(version) === number) return version;
    else this.unread.set(number, `is answered with change ${versionNumber(version)}`);
    return undefined;
  }

  #defect(why: string): void {
    this.defects.push(`${this.path} ${why}`);
  }
}

function versionNumber({ meta }: JsonObject): number {
  return Number(isObject(meta) ? meta.change : Number.NaN);
}
