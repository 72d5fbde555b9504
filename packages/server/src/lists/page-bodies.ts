import { LedgerError } from '@countersign/protocol';
import type { Item } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Service } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import { stepsOfText, type Task } from '../metering/task.js';
import { missing, type Sized, type StoredVersion, type Version } from '../store/queries/version.js';
import type { PageQuery } from './page.js';

/** A version that is to be on a page: its size and body where they are known by now. */
export type Shown = Pick<Version, 'luid' | 'change'> & Partial<Omit<Sized, 'luid' | 'change'>>;

/** Where the bodies of a page come from. */
export interface Source<V> {
  /** Whose share of the bytes under way a large answer takes. */
  readonly payer: unknown;
  /** Sizes and bodies of versions, as `Bodies` tells. */
  fetch(versions: readonly V[], most: number): Promise<readonly Sized[]>;
  /** Makes sure of a version, and an item of it. */
  itemOf(version: V & StoredVersion): Item | Promise<Item>;
}

/** The versions of one kind of record in a ledger. */
export function versionsIn({ store, items, ledger }: Session, kind: Kind): Source<Shown> {
  return {
    payer: ledger.id,
    fetch: (of, most) => store.lists.bodies({ ledger: ledger.id, kind: kind.name, of, most }),
    itemOf: (version) => items.of(ledger, kind, version),
  };
}

/**
 * Makes an answer of versions: of each an item, of the items the answer. A large page waits at the semaphore first, and
 * its bodies are fetched then.
 *
 * @param page as it was asked for, to say what to ask for instead
 * @throws `api.query-malformed` when they are more than a page may hold; as `WeightedSemaphore` does
 */
export async function withBodies<V extends Shown, T>(
  { answerBytes, task }: Pick<Service, 'answerBytes' | 'task'>,
  source: Source<NoInfer<V>>,
  page: PageQuery,
  versions: readonly V[],
  answer: (items: readonly Item[]) => T,
): Promise<T> {
  const sized = versions.every(isSized) ? versions : await fetched(source, versions, limits.answers.atOnce);
  const bytes = sized.reduce((sum, { size = 0 }) => sum + size, 0);
  if (bytes > limits.answers.page) assertFits(sized, page, bytes);
  if (sized.every(hasBody)) return answer(await made(task, source, sized));
  return answerBytes(source.payer, bytes, async () => {
    await task.turn();
    const complete = await fetched(source, sized, Math.max(bytes, limits.answers.page));
    return answer(await made(task, source, complete));
  });
}

function isSized({ size }: Shown): boolean {
  return size !== undefined;
}

function hasBody<V extends Shown>(version: V): version is V & StoredVersion {
  return typeof version.body === 'string';
}

async function made<V extends Shown>(
  task: Task,
  source: Source<NoInfer<V>>,
  versions: readonly V[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const version of versions) {
    // One that is not there is made of nothing, and refused.
    const stored = hasBody(version) ? version : { ...version, ...missing(version) };
    const turn = task.turn(stepsOfText(stored.body));
    if (turn) await turn;
    const item = source.itemOf(stored);
    items.push(item instanceof Promise ? await item : item);
  }
  await task.turn();
  return items;
}

/** The versions with the sizes of all and the bodies of the first that had none, as many as `most` bytes hold. */
async function fetched<V extends Shown>(
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

/** A short page is the end of a list: one that would hold too much is refused, unless it holds one record. */
function assertFits(versions: readonly Shown[], { index, limit }: PageQuery, bytes: number): void {
  if (versions.length <= 1) return;
  const sizes = versions.map(({ size = 0 }) => size);
  const fitting = fittingLimit(sizes, limits.answers.page);
  const held = `Page ${index} of ${limit} holds ${bytes} bytes, and a page holds ${limits.answers.page} at most.`;
  throw new LedgerError('api.query-malformed', `${held} Ask for page.limit=${fitting}, or less of the list.`);
}

/**
 * A `page.limit` that fits wherever among these records a page of it begins: half of how many they are, or half of that,
 * until it does. One always does, since a page of one record is served whatever it holds.
 *
 * @param sizes bytes, in the order of the list
 */
export function fittingLimit(sizes: readonly number[], most: number): number {
  for (let limit = sizes.length >> 1; limit > 1; limit >>= 1) {
    if (largestRun(sizes, limit) <= most) return limit;
  }
  return 1;
}

/** The most that so many records in a row hold together. */
function largestRun(sizes: readonly number[], count: number): number {
  let held = 0;
  let largest = 0;
  sizes.forEach((size, at) => {
    held += size - (sizes[at - count] ?? 0);
    largest = Math.max(largest, held);
  });
  return largest;
}
