import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chooseAccount, giveAll } from './account.js';
import { makeAddress } from './address.js';
import { findBinaries } from './binaries.js';
import { clusterIn, passwordIn, renewSettings } from './cluster.js';
import { openDataDir } from './data-dir.js';
import { fileExists, syncFolder } from './files.js';
import { findLaunch } from './launch.js';
import { lockDataDir } from './lock.js';
import { startServer } from './server.js';
import { LEAST_CONNECTIONS } from './settings.js';
import { connectionString } from './start.js';
import { parseHistory } from './timelines.js';
import { untar } from './untar.js';
import { nameSegment, PARTIAL, parsePosition, parseSegment, SEGMENT_BYTES, SUMS, segmentAt } from './wal.js';

export interface RestoreOptions {
  /** As a server is started with; it has no `postgres` yet. */
  readonly dataDir: string;
  readonly name: string;
  readonly dataDirSetting?: string;
  /** The tar file of a base backup, and the password of the role that owns it. */
  readonly tar: string;
  readonly password: string;
  /** Where the base backup begins in the write-ahead log. */
  readonly start: string;
  /** The folder with the write-ahead log that was kept since; absent to restore the base backup alone. */
  readonly wal?: string;
  /** Replay what was committed until then, an instant in UTC as `toISOString` writes it; all that there is unless given. */
  readonly to?: string;
  /** The timeline to follow; the newest unless given. */
  readonly timeline?: number;
  /** Called with a connection string once all is replayed, before PostgreSQL is stopped. Do not log it: it holds the password. */
  readonly replayed?: (url: string) => Promise<void>;
  readonly progress: (doing: 'unpacking' | 'copying' | 'replaying', done: number, all: number) => void;
}

/** What a restored database has. */
export interface Restored {
  /** When the last transaction was committed that it has; undefined where none was, since the base backup. */
  readonly lastCommit: string | undefined;
  /** The timeline that was replayed, and the new one that it goes on in. */
  readonly followed: number;
  readonly timeline: number;
  /** Bytes of the kept log, at its end, that were no whole record. */
  readonly unread: number;
}

/** A base backup, or what is kept of the log since, does not lead where it is to; in words for the operator. */
export class CannotRestore extends Error {
  override readonly name = 'CannotRestore';
}

/**
 * Restores a base backup into a data directory, and replays what is kept of the write-ahead log since. The database goes on in a
 * timeline of its own. It is made beside its place, and takes it at the very end.
 *
 * @throws CannotRestore; Error as `startPostgres` does
 */
export async function restorePostgres(options: RestoreOptions): Promise<Restored> {
  const { dataDir, dataDirSetting = 'the data directory' } = options;
  const root = await openDataDir(dataDir, dataDirSetting);
  const lock = await lockDataDir(root, dataDirSetting);
  const home = join(root, 'postgres');
  // The next start removes a draft that is left.
  const draft = await mkdtemp(`${home}.draft-`);
  try {
    if (await fileExists(home)) throw new CannotRestore(`${home} is there already`);
    const { size } = await stat(options.tar);
    await untar(options.tar, clusterIn(draft), (done) => options.progress('unpacking', done, size));
    await writeFile(passwordIn(draft), options.password, { mode: 0o600, flush: true });
    const kept = options.wal === undefined ? [] : await addWal(options, options.wal, clusterIn(draft));
    const restored = await replay(options, root, draft, kept);
    await rm(join(clusterIn(draft), 'backup_label.old'), { force: true });
    await syncFolder(draft);
    await rename(draft, home);
    await syncFolder(root);
    return restored;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  } finally {
    await lock.release();
  }
}

/** A kept segment, and how many bytes of it there are. */
interface KeptSegment {
  readonly timeline: number;
  readonly number: number;
  readonly bytes: number;
}

/** Puts the kept log where PostgreSQL looks for it. @returns the segments, with those that the base backup begins with */
async function addWal({ start, progress }: RestoreOptions, wal: string, cluster: string): Promise<KeptSegment[]> {
  const first = segmentAt(parsePosition(start));
  const names = await readdir(wal);
  const sums = await readSums(wal);
  const there = new Set(await readdir(join(cluster, 'pg_wal')));
  const wanted = names
    .flatMap((file) => {
      const name = file.endsWith(PARTIAL) ? file.slice(0, -PARTIAL.length) : file;
      const segment = parseSegment(name);
      // A complete one takes the place of what was there of it before.
      const isOlder = file !== name && names.includes(name);
      return segment && segment.number >= first && !isOlder ? { ...segment, name, file } : [];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const kept: KeptSegment[] = [];
  for (const [index, { timeline, number, name, file }] of wanted.entries()) {
    const [from, to] = [join(wal, file), join(cluster, 'pg_wal', name)];
    const { size: bytes } = await stat(from);
    if (file === name && (bytes !== SEGMENT_BYTES || sums.get(name) !== (await sumOf(from))))
      throw new CannotRestore(
        `${from} was altered: move it and those after it elsewhere to restore what comes before them`,
      );
    kept.push({ timeline, number, bytes });
    if (!there.has(name)) {
      await copyFile(from, to);
      await truncate(to, SEGMENT_BYTES);
    }
    progress('copying', index + 1, wanted.length);
  }
  for (const name of names.filter((one) => /^[0-9A-F]{8}\.history$/.test(one)))
    await copyFile(join(wal, name), join(cluster, 'pg_wal', name));
  return kept;
}

async function readSums(wal: string): Promise<Map<string, string>> {
  const text = await readFile(join(wal, SUMS), 'utf8').catch(() => '');
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) {2}([0-9A-F]{24})$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  );
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** What PostgreSQL says of a recovery. Its language is fixed by its environment. */
const SAYS = {
  at: /redo (?:in progress|starts|done).*?(?:LSN:|at) ([0-9A-F]+\/[0-9A-F]+)/,
  commit: /last completed transaction was at log time (.+)$/,
  tooEarly: /recovery ended before configured recovery target was reached/,
} as const;

/** Runs PostgreSQL until it has replayed its log, and stops it. */
async function replay(
  { name, password, to, timeline, start, replayed, progress }: RestoreOptions,
  root: string,
  draft: string,
  kept: readonly KeptSegment[],
): Promise<Restored> {
  const cluster = clusterIn(draft);
  await writeFile(join(cluster, 'recovery.signal'), '');
  const account = await chooseAccount(join(root, 'postgres'));
  const binaries = await findBinaries();
  const address = await makeAddress(root, name, account);
  let lastCommit: string | undefined;
  try {
    const launch = await findLaunch(account, binaries.postgres, [root, ...address.folders]);
    await renewSettings(draft, binaries.initdb, launch, account);
    if (account !== undefined) await giveAll(draft, account);
    const goal = kept.reduce((most, { number, bytes }) => Math.max(most, number * SEGMENT_BYTES + bytes), 0);
    const log = (line: string) => {
      const [, at] = SAYS.at.exec(line) ?? [];
      if (at !== undefined)
        progress('replaying', parsePosition(at) - parsePosition(start), goal - parsePosition(start));
      lastCommit = SAYS.commit.exec(line)?.[1] ?? lastCommit;
    };
    const settings = {
      // All of it is in the folder of the log, and each file's name is looked for there when this fails.
      restore_command: 'exit 1',
      recovery_target_timeline: timeline === undefined ? 'latest' : String(timeline),
      recovery_target_action: 'promote',
      log_startup_progress_interval: '1s',
      // As a standby that answers it would need as many connections as the server had.
      hot_standby: 'off',
      ...(to === undefined ? {} : { recovery_target_time: to.replace('Z', '+00') }),
    };
    const server = startServer(binaries, launch, draft, address, { connections: LEAST_CONNECTIONS, settings, log });
    let ended: string | undefined;
    void server.ended.then((why) => {
      ended = why;
    });
    while (ended === undefined && !(await isPromoted(cluster))) await pause(100);
    if (ended !== undefined) throw explain(ended, server.lastWords(), lastCommit, to);
    try {
      await replayed?.(connectionString(name, address, password));
    } finally {
      await server.stop();
    }
  } finally {
    await address.close();
  }
  const next = await findEnd(cluster);
  const last = kept
    .filter((one) => one.timeline === next.parent)
    .reduce((most, { number, bytes }) => Math.max(most, number * SEGMENT_BYTES + bytes), 0);
  const unread = to === undefined ? Math.max(0, last - next.end) : 0;
  if (unread > SEGMENT_BYTES)
    throw new CannotRestore(
      `The log cannot be read on from ${nameSegment({ timeline: next.parent, number: segmentAt(next.end) })}: ` +
        'a later segment is missing. Move those after the gap elsewhere to restore what comes before it',
    );
  return { lastCommit, followed: next.parent, timeline: next.timeline, unread };
}

async function isPromoted(cluster: string): Promise<boolean> {
  const status = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return /^ready\s*$/m.test(status) && !(await fileExists(join(cluster, 'recovery.signal')));
}

function explain(ended: string, said: string, lastCommit: string | undefined, to: string | undefined): Error {
  if (SAYS.tooEarly.test(said))
    return new CannotRestore(
      `What is kept has no commit later than ${to}` +
        `${lastCommit === undefined ? '' : `: its last one was at ${lastCommit}`}. Name an earlier moment, or none for all that is kept`,
    );
  const fatal = /^(?:FATAL|PANIC): *(.+)$/m.exec(said)?.[1];
  return new CannotRestore(`PostgreSQL cannot restore it: ${fatal ?? `it ended with ${ended}:\n${said}`}`);
}

/** Where the former timeline was left: the newest history file says so. */
async function findEnd(cluster: string): Promise<{ timeline: number; parent: number; end: number }> {
  const histories = (await readdir(join(cluster, 'pg_wal'))).filter((name) => name.endsWith('.history')).sort();
  const newest = histories.at(-1);
  const left = newest && parseHistory(await readFile(join(cluster, 'pg_wal', newest), 'utf8')).at(-1);
  if (!newest || !left) throw new CannotRestore('PostgreSQL has not begun a timeline of its own');
  return { timeline: Number.parseInt(newest.slice(0, 8), 16), parent: left.timeline, end: left.end };
}
