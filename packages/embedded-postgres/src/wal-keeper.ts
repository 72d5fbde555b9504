import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { appendFile, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { CHUNK_BYTES, fileExists, syncFolder, writeOnce } from './files.js';
import { type Lock, lockDataDir } from './lock.js';
import { nameSegment, PARTIAL, parsePosition, parseSegment, SEGMENT_BYTES, SUMS, segmentAt } from './wal.js';

const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;

/** What PostgreSQL keeps its log for, until the copy has it. */
const SLOT = 'countersign_backup';

export interface WalKeeperOptions {
  /** Of the role that owns the cluster. */
  readonly url: string;
  /** The folder of the copies; each database has a folder of its own in it, by its system identifier. */
  readonly folder: string;
  /** Milliseconds from one copy to the next. */
  readonly pause: number;
  /** Called before each copy: what it keeps belongs to commits that the copy then has. */
  readonly before: () => Promise<void>;
  /** Called when all that was on the disk before is copied. */
  readonly kept: () => void;
  /** Called when a copy has failed: it is tried again. */
  readonly failed: (error: Error) => void;
  /** Called when PostgreSQL has removed log that was not copied, since too much had gathered, or it was told to keep none meanwhile. */
  readonly gap: () => void;
}

/** Copies the write-ahead log of a running PostgreSQL, so that a base backup can be brought to any later moment. */
export interface WalKeeper {
  /** Copies once more, and ends. */
  stop(): Promise<void>;
}

/** Begins to copy the write-ahead log. What fails is tried again with the next copy, from the beginning of its segment. */
export function keepWal(options: WalKeeperOptions): WalKeeper {
  const keeper = new Keeper(options);
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  let isStopped = false;
  const next = () => {
    turn = turn.then(async () => {
      await keeper.copy();
      if (!isStopped) timer = setTimeout(next, options.pause);
    });
  };
  next();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      next();
      await turn;
      await keeper.close();
    },
  };
}

/** Lets PostgreSQL remove its log where it is no longer copied. */
export async function forgetWal(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1', [
      SLOT,
    ]);
  } finally {
    await client.end();
  }
}

/**
 * Removes the segments that end before a position, on every timeline. Their sums stay: the copy may be adding one.
 *
 * @returns how many
 */
export async function pruneWal(folder: string, position: string): Promise<number> {
  const first = segmentAt(parsePosition(position));
  const old = (await readdir(folder)).filter((file) => {
    const segment = parseSegment(file.replace(PARTIAL, ''));
    return segment !== undefined && segment.number < first;
  });
  for (const file of old) await rm(join(folder, file), { force: true });
  return old.length;
}

/** Whether all of a timeline up to a position is kept, from what is there of it. */
export async function isKept(folder: string, timeline: number, position: string): Promise<boolean> {
  const at = parsePosition(position);
  const name = nameSegment({ timeline, number: segmentAt(at - 1) });
  const size = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;
  const [whole, part] = [await size(join(folder, name)), await size(join(folder, `${name}${PARTIAL}`))];
  return Math.max(whole, part) >= at - segmentAt(at - 1) * SEGMENT_BYTES;
}

class Keeper {
  readonly #options: WalKeeperOptions;
  #copy: WalCopy | undefined;

  constructor(options: WalKeeperOptions) {
    this.#options = options;
  }

  async copy(): Promise<void> {
    const { before, kept, failed } = this.#options;
    try {
      await before();
      this.#copy ??= await WalCopy.begin(this.#options);
      await this.#copy.goOn();
      kept();
    } catch (error) {
      await this.close();
      failed(error as Error);
    }
  }

  async close(): Promise<void> {
    await this.#copy?.end().catch(() => {});
    this.#copy = undefined;
  }
}

/** The segment that is being copied. */
interface OpenSegment {
  readonly number: number;
  readonly file: FileHandle;
  readonly hash: Hash;
  copied: number;
}

/** A copy over one connection: PostgreSQL may have started anew before, and then writes the end of its log again. */
class WalCopy {
  readonly #client: pg.Client;
  readonly #folder: string;
  readonly #lock: Lock;
  readonly #timeline: number;
  #next: number;
  #open: OpenSegment | undefined;

  private constructor(client: pg.Client, folder: string, lock: Lock, from: { timeline: number; number: number }) {
    this.#client = client;
    this.#folder = folder;
    this.#lock = lock;
    this.#timeline = from.timeline;
    this.#next = from.number;
  }

  static async begin({ url, folder: parent, gap }: WalKeeperOptions): Promise<WalCopy> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
    client.on('error', () => {});
    let lock: Lock | undefined;
    try {
      await client.connect();
      const { rows } = await client.query(
        `select system_identifier::text as system, pg_walfile_name(pg_current_wal_flush_lsn()) as last from pg_control_system()`,
      );
      const folder = join(parent, rows[0].system);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      lock = await lockDataDir(folder, 'the folder');
      const isKept = await reserve(client);
      await copyHistories(client, folder);
      const { timeline, number: last } = parseSegment(rows[0].last)!;
      const number = await findFirstSegment(client, timeline, last);
      if (!isKept && !(await reaches(folder, timeline, number))) gap();
      return new WalCopy(client, folder, lock, { timeline, number });
    } catch (error) {
      await client.end().catch(() => {});
      await lock?.release().catch(() => {});
      throw error;
    }
  }

  /** Copies what is on PostgreSQL's disk by now. */
  async goOn(): Promise<void> {
    const { rows } = await this.#client.query('select pg_current_wal_flush_lsn()::text as at');
    const at = parsePosition(rows[0].at);
    const last = segmentAt(at);
    for (; this.#next < last; this.#next += 1) await this.#finish(this.#next);
    await this.#copyUpTo(last, at - last * SEGMENT_BYTES);
    await this.#open?.file.sync();
    // From the beginning of the segment: another connection begins there.
    const position = last * SEGMENT_BYTES;
    const text = `${Math.floor(position / 2 ** 32).toString(16)}/${(position % 2 ** 32).toString(16)}`;
    await this.#client.query(
      'select pg_replication_slot_advance(slot_name, $2::pg_lsn) from pg_replication_slots where slot_name = $1 and restart_lsn < $2::pg_lsn',
      [SLOT, text],
    );
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
    await this.#open?.file.close().catch(() => {});
    await this.#lock.release();
  }

  async #finish(number: number): Promise<void> {
    const name = nameSegment({ timeline: this.#timeline, number });
    const path = join(this.#folder, name);
    if (await fileExists(path)) return;
    if (!(await this.#copyUpTo(number, SEGMENT_BYTES))) return;
    const { file, hash } = this.#open!;
    this.#open = undefined;
    await file.sync();
    await file.close();
    await addSum(this.#folder, name, hash.digest('hex'));
    await rename(`${path}${PARTIAL}`, path);
    await syncFolder(this.#folder);
  }

  /** @returns whether PostgreSQL still has the segment */
  async #copyUpTo(number: number, end: number): Promise<boolean> {
    const name = nameSegment({ timeline: this.#timeline, number });
    if (this.#open?.number !== number) {
      await this.#open?.file.close();
      this.#open = undefined;
      if (!(await this.#exists(name))) return false;
      // Nothing is cut off: what an earlier connection has copied stays until it is written again.
      const file = await open(join(this.#folder, `${name}${PARTIAL}`), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      this.#open = { number, file, hash: createHash('sha256'), copied: 0 };
      await syncFolder(this.#folder);
    }
    const { file, hash, copied } = this.#open;
    for (let from = copied; from < end; from += CHUNK_BYTES) {
      const piece = await this.#read(name, from, Math.min(CHUNK_BYTES, end - from));
      await file.write(piece, 0, piece.length, from);
      hash.update(piece);
      this.#open.copied += piece.length;
    }
    return true;
  }

  async #exists(name: string): Promise<boolean> {
    const { rows } = await this.#client.query('select (pg_stat_file($1, true)).size as size', [`pg_wal/${name}`]);
    return rows[0].size !== null;
  }

  async #read(name: string, from: number, length: number): Promise<Buffer> {
    const text = 'select pg_read_binary_file($1, $2, $3) as data';
    const { rows } = await this.#client.query(text, [`pg_wal/${name}`, from, length]);
    const data = rows[0].data as Buffer;
    if (data.length !== length) throw new Error(`the segment ${name} of the write-ahead log is too short`);
    return data;
  }
}

/** Has PostgreSQL keep its log from here on. @returns whether it has kept all that was not copied yet */
async function reserve(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select wal_status as status from pg_replication_slots where slot_name = $1', [
    SLOT,
  ]);
  const isLost = rows[0]?.status === 'lost';
  if (isLost) await client.query('select pg_drop_replication_slot($1)', [SLOT]);
  const isKept = rows.length > 0 && !isLost;
  if (!isKept) await client.query('select pg_create_physical_replication_slot($1, true)', [SLOT]);
  return isKept;
}

/** Whether what is in the folder goes up to a segment without a gap, or there is nothing yet. */
async function reaches(folder: string, timeline: number, first: number): Promise<boolean> {
  const ends = (await readdir(folder)).flatMap((file) => {
    const segment = parseSegment(file.replace(PARTIAL, ''));
    return segment ? [{ ...segment, end: segment.number + (file.endsWith(PARTIAL) ? 0 : 1) }] : [];
  });
  const own = ends.filter((one) => one.timeline === timeline);
  // A timeline of which there is nothing yet begins within a segment of another one.
  return ends.length === 0 || (own.length > 0 ? own : ends).some(({ end }) => end >= first);
}

/** Which timeline began where: PostgreSQL needs it to follow them. */
async function copyHistories(client: pg.Client, folder: string): Promise<void> {
  const { rows } = await client.query(
    `select name, pg_read_file('pg_wal/' || name) as text from pg_ls_waldir() where name ~ '^[0-9A-F]{8}[.]history$'`,
  );
  for (const { name, text } of rows) await writeOnce(join(folder, name), text, 0o600);
}

/** The first segment of a timeline that PostgreSQL still has. A new timeline begins within one. */
async function findFirstSegment(client: pg.Client, timeline: number, last: number): Promise<number> {
  const { rows } = await client.query('select name from pg_ls_waldir()');
  return rows
    .flatMap(({ name }) => parseSegment(name) ?? [])
    .filter((segment) => segment.timeline === timeline)
    .reduce((first, { number }) => Math.min(first, number), last);
}

/** The sum is on the disk before the segment counts as complete. */
async function addSum(folder: string, name: string, sum: string): Promise<void> {
  const path = join(folder, SUMS);
  const flag = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
  // On a line of its own, whatever a full disk has left of the one before.
  await appendFile(path, `\n${sum}  ${name}\n`, { mode: 0o600, flag, flush: true });
}
