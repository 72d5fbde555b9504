import { LedgerError } from '@countersign/protocol';
import { createWeightedSemaphore, type WeightedSemaphore } from '../base/weighted-semaphore.js';
import type { ListItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Service } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import type { Task } from '../metering/task.js';
import { queryLimits } from '../store/queries/query-limits.js';
import { makeMissingVersion, type Sized, type StoredVersion, type Version } from '../store/queries/version.js';
import { listLimits } from './list-limits.js';
import type { PageQuery } from './page.js';

/** A version on a page, with its size and body once they are known. */
export type PageVersion = Pick<Version, 'luid' | 'change'> & Partial<Omit<Sized, 'luid' | 'change'>>;

/** Where the bodies of a page come from. */
export interface Source<V> {
  /** The key that the semaphore charges a large answer to. */
  readonly payer: unknown;
  /** Sizes and bodies of versions, like `Bodies`. */
  fetch(versions: readonly V[], most: number): Promise<readonly Sized[]>;
  /** Verifies a version, and makes its item. */
  itemOf(version: V & StoredVersion): ListItem | Promise<ListItem>;
}

/** The versions of one kind of record in a ledger. */
export function versionsIn({ store, items, ledger }: Session, kind: Kind): Source<PageVersion> {
  return {
    payer: ledger.id,
    fetch: (of, most) => store.lists.bodies({ ledger: ledger.id, of, most }),
    itemOf: (version) => items.of(ledger, kind, version),
  };
}

/** Bounds the bytes that large pages hold in memory while they are answered. */
export function createAnswerBytes(): WeightedSemaphore {
  return createWeightedSemaphore(listLimits.answers);
}

/**
 * Makes an item of each version, and the answer of the items. A large page waits for the semaphore before its bodies
 * are fetched.
 *
 * @param page as requested, to suggest another one in the error; `whole` for a list without pages
 * @throws `api.query-malformed` for a page over the size limit; as `WeightedSemaphore` does
 */
export async function withBodies<V extends PageVersion, T>(
  { answerBytes, task }: Pick<Service, 'answerBytes' | 'task'>,
  source: Source<NoInfer<V>>,
  page: PageQuery | 'whole',
  versions: readonly V[],
  answer: (items: readonly ListItem[]) => T,
): Promise<T> {
  const sized = versions.every(isSized) ? versions : await fetchBodies(source, versions, queryLimits.answers.atOnce);
  const sizes = sized.map(({ size = 0 }) => size);
  assertPageFits(sizes, page);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sized.every(hasBody)) return answer(await makePageItems(task, source, sized));
  return answerBytes(source.payer, bytes, async () => {
    await task.turn();
    const complete = await fetchBodies(source, sized, Math.max(bytes, queryLimits.answers.page));
    return answer(await makePageItems(task, source, complete));
  });
}

function isSized({ size }: PageVersion): boolean {
  return size !== undefined;
}

function hasBody<V extends PageVersion>(version: V): version is V & StoredVersion {
  return typeof version.body === 'string';
}

async function makePageItems<V extends PageVersion>(
  task: Task,
  source: Source<NoInfer<V>>,
  versions: readonly V[],
): Promise<readonly ListItem[]> {
  const items: ListItem[] = [];
  for (const version of versions) {
    // A missing version becomes an empty one, which its check refuses.
    const stored = hasBody(version) ? version : { ...version, ...makeMissingVersion(version) };
    const turn = task.turn();
    if (turn) await turn;
    const item = source.itemOf(stored);
    items.push(item instanceof Promise ? await item : item);
  }
  await task.turn();
  return items;
}

/** Adds the sizes of all versions, and the bodies of the first that lack them, as many as `most` bytes hold. */
async function fetchBodies<V extends PageVersion>(
  source: Source<V>,
  versions: readonly V[],
  most: number,
): Promise<readonly V[]> {
  const wanted = versions.filter((version) => !hasBody(version));
  const found = await source.fetch(wanted, most);
  const byName = new Map(found.map((one) => [`${one.luid} ${one.change}`, one]));
  return versions.map((version) => {
    const one = byName.get(`${version.luid} ${version.change}`);
    return one ? { ...version, ...one } : version;
  });
}

/**
 * Refuses a page over the size limit, unless it holds one record: a shortened page would mean the end of the list.
 *
 * @param sizes bytes, in the order of the list
 * @param page `whole` for a list without pages
 * @throws `api.query-malformed`, which names a limit to ask for
 */
export function assertPageFits(sizes: readonly number[], page: PageQuery | 'whole'): void {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= queryLimits.answers.page || sizes.length <= 1) return;
  if (page === 'whole') {
    const detail = `The list holds ${bytes} bytes, and an answer holds ${queryLimits.answers.page} at most.`;
    throw new LedgerError('api.query-malformed', `${detail} Add filters, or list the records by pages.`);
  }
  const { index, limit } = page;
  const fitting = chooseFittingLimit(sizes, queryLimits.answers.page);
  const held = `Page ${index} of ${limit} holds ${bytes} bytes, and a page holds ${queryLimits.answers.page} at most.`;
  throw new LedgerError('api.query-malformed', `${held} Ask for page.limit=${fitting}, or less of the list.`);
}

/**
 * A `page.limit` whose pages fit wherever they begin among these records, found by halving their number. 1 always fits,
 * since a page of one record is served whatever its size.
 *
 * @param sizes bytes, in the order of the list
 */
export function chooseFittingLimit(sizes: readonly number[], most: number): number {
  for (let limit = sizes.length >> 1; limit > 1; limit >>= 1) {
    if (largestRun(sizes, limit) <= most) return limit;
  }
  return 1;
}

/** The greatest sum of `count` consecutive sizes. */
function largestRun(sizes: readonly number[], count: number): number {
  let held = 0;
  let largest = 0;
  sizes.forEach((size, at) => {
    held += size - (sizes[at - count] ?? 0);
    largest = Math.max(largest, held);
  });
  return largest;
}
