import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '@countersign/embedded-postgres/data-dir';
import { type Checkpoint, parseCheckpoint, parseNote } from '@countersign/protocol/log';
import { cacheLimits, LruCache } from '../base/lru-cache.js';

/** A checkpoint that was shown to somebody. */
export interface PublishedCheckpoint extends Checkpoint {
  /** The signed note. */
  readonly note: string;
}

/**
 * What this server has shown of each log, kept outside the database: a database that has gone back in time
 * does not know it. A log that goes on from there would contradict what was shown (interface/log#restores).
 */
export interface Fence {
  /** The largest checkpoint of a log that a process of this server has shown. */
  last(origin: string): Promise<PublishedCheckpoint | undefined>;
  /** Keeps a checkpoint that is about to be shown. It is on the disk when this resolves. */
  raise(note: string): Promise<void>;
  /** What was shown of every log, as it is on the disk. @param since only of logs shown since, in milliseconds since 1970 */
  shown(since?: number): AsyncIterable<PublishedCheckpoint>;
  /** The database may have gone back in time: what other processes have kept is read anew. */
  reload(): void;
}

/** Milliseconds after which what other processes have kept is read again. */
const KEPT_FOR = 2_000;

interface LastShown {
  readonly last: PublishedCheckpoint | undefined;
  readonly since: number;
}

/**
 * A fence of files: in a folder for each log one file for each process, so that none overwrites another's.
 *
 * @param folder private to the server; undefined for a fence that ends with the process
 * @param process names this process among those of the server: letters, digits
 * @param clock milliseconds of a monotonic clock
 */
export function createFence(folder: string | undefined, process: string, clock: () => number): Fence {
  return new FileFence(folder, process, clock);
}

/**
 * Raises the fence of one folder to that of another: for a backup, or from one.
 *
 * @param since as that of `shown`
 */
export async function copyFence(from: string, to: string, process: string, since = 0): Promise<void> {
  const target = createFence(to, process, () => performance.now());
  for await (const { note } of createFence(from, process, () => performance.now()).shown(since))
    await target.raise(note);
}

class FileFence implements Fence {
  readonly #folder: string | undefined;
  readonly #process: string;
  readonly #clock: () => number;
  #known = new LruCache<string, LastShown>(cacheLimits.ledgers);
  /** The raise of each log that is under way: the next one waits for it. */
  readonly #raising = new Map<string, Promise<void>>();

  constructor(folder: string | undefined, process: string, clock: () => number) {
    this.#folder = folder;
    this.#process = process;
    this.#clock = clock;
  }

  async last(origin: string): Promise<PublishedCheckpoint | undefined> {
    const kept = this.#known.get(origin);
    if (kept && (this.#folder === undefined || this.#clock() - kept.since < KEPT_FOR)) return kept.last;
    const notes = this.#folder === undefined ? [] : await readNotes(folderOf(this.#folder, origin));
    return this.#keep(origin, largest(notes.map(readPublished)));
  }

  async raise(note: string): Promise<void> {
    const published = readPublished(note);
    const { origin } = published;
    const before = this.#raising.get(origin) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => this.#raise(published));
    this.#raising.set(origin, mine);
    try {
      await mine;
    } finally {
      if (this.#raising.get(origin) === mine) this.#raising.delete(origin);
    }
  }

  reload(): void {
    // In memory alone there is nothing to read anew.
    if (this.#folder !== undefined) this.#known = new LruCache(cacheLimits.ledgers);
  }

  async *shown(since = 0): AsyncGenerator<PublishedCheckpoint> {
    if (this.#folder === undefined) return;
    for (const name of await listFolder(this.#folder)) {
      if (since > 0 && (await stat(join(this.#folder, name))).mtimeMs < since) continue;
      const last = largest((await readNotes(join(this.#folder, name))).map(readPublished));
      if (last) yield last;
    }
  }

  async #raise(published: PublishedCheckpoint): Promise<void> {
    const before = await this.last(published.origin);
    if (before && before.size >= published.size) return;
    if (this.#folder !== undefined)
      await writeNote(folderOf(this.#folder, published.origin), this.#process, published.note);
    this.#keep(published.origin, published);
  }

  /** What is known never goes back. */
  #keep(origin: string, found: PublishedCheckpoint | undefined): PublishedCheckpoint | undefined {
    const kept = this.#known.get(origin)?.last;
    const last = largest([found, kept].filter((one) => one !== undefined));
    this.#known.set(origin, { last, since: this.#clock() });
    return last;
  }
}

function folderOf(folder: string, origin: string): string {
  return join(folder, createHash('sha256').update(origin).digest('hex').slice(0, 40));
}

/** The checkpoint of a signed note. @throws LogError when it is none */
export function readPublished(note: string): PublishedCheckpoint {
  return { ...parseCheckpoint(parseNote(note).text), note };
}

function largest(all: readonly PublishedCheckpoint[]): PublishedCheckpoint | undefined {
  return all.reduce<PublishedCheckpoint | undefined>(
    (most, one) => (most && most.size >= one.size ? most : one),
    undefined,
  );
}

async function readNotes(folder: string): Promise<string[]> {
  const finished = (await listFolder(folder)).filter((name) => !name.endsWith(UNFINISHED));
  return Promise.all(finished.map((name) => readFile(join(folder, name), 'utf8')));
}

function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

const UNFINISHED = '.new';

/** Replaces the file whole: after a crash it has the old note or the new one. */
async function writeNote(folder: string, name: string, note: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const file = await open(`${path}${UNFINISHED}`, 'w', 0o600);
  try {
    await file.writeFile(note);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}${UNFINISHED}`, path);
  await syncFolder(folder);
  // After mkdir the parent folders are synced, too.
  if (made !== undefined) for (const above of [dirname(folder), dirname(dirname(folder))]) await syncFolder(above);
}
