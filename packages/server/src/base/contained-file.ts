import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** A regular file that is open for reading. Whoever has it reads or closes it: either lets go of it. */
export interface OpenFile {
  /** Bytes that it had when it was opened, and that are read of it. */
  readonly size: number;
  /** Its bytes, once. The stream fails when the file has become shorter. */
  read(): Readable;
  close(): void;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
}

/** Bytes of a name that file systems take. */
const LONGEST_FILE_NAME = 255;

/** Errors by which a system says that there is no such file: a symbolic link at its place counts as none. */
const ABSENCE_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENAMETOOLONG', 'ENXIO']);

/** Not to wait for the other end of a pipe, and not to follow a link; Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file below a folder. No step of the path leads out of the folder or through a symbolic link: a name
 * with a separator, `.` and `..` is none, and what was opened is compared with what the path without links leads to.
 *
 * @param folder it may itself be reached through links: it is the operator's
 * @param path a name for each step
 * @returns nothing where there is no such file
 * @throws what the system says else, as when the file may not be read
 */
export async function openWithin(folder: string, path: readonly string[]): Promise<OpenFile | undefined> {
  if (!path.every(isFileName)) return undefined;
  let handle: FileHandle | undefined;
  try {
    const place = join(await realpath(folder), ...path);
    handle = await open(place, FLAGS);
    const opened = await handle.stat();
    if (opened.isFile() && (await realpath(place)) === place && isSameFile(opened, await stat(place))) {
      return toOpenFile(handle, opened.size);
    }
    await handle.close();
  } catch (error) {
    await handle?.close();
    if (!ABSENCE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return undefined;
}

function isFileName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || Buffer.byteLength(name) > LONGEST_FILE_NAME) return false;
  return !/[/\\\0]/.test(name);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function toOpenFile(handle: FileHandle, size: number): OpenFile {
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const close = () => void handle.close().then(ended, ended);
  return {
    size,
    closed,
    close,
    read: () => Readable.from(bytesOf(handle, size), { objectMode: false }).once('close', close),
  };
}

/** The answer has told how many bytes there are: who gets fewer would take what comes next for the rest. */
async function* bytesOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return;
  let read = 0;
  for await (const chunk of handle.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
    read += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (read < size) throw new Error('The file has become shorter while it was read.');
}
