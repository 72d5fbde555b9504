import { readFile, stat } from 'node:fs/promises';

/** How often a file is looked at, in milliseconds. */
const LOOK_INTERVAL = 2_000;

/** A file longer than this is none that is read here. */
const LONGEST_FILE = 4 * 1024 * 1024;

/** Codes of the system for a file that is not there. */
const ABSENT_FILE_CODES: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/**
 * What a file of the system says, read anew when it has changed. A file that is missing, or too long, is empty; one that cannot be
 * read, as while the process has too many files open, says what it said before.
 *
 * @param every milliseconds after which it is looked at again
 */
export function watchFile<T>(path: string, parse: (text: string) => T, every = LOOK_INTERVAL): () => Promise<T> {
  let looked = Number.NEGATIVE_INFINITY;
  let state = '';
  let parsed = parse('');
  let looking: Promise<void> | undefined;
  const look = async () => {
    looked = performance.now();
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const now = `${mtimeMs} ${size} ${ino}`;
      if (now === state) return;
      parsed = parse(size <= LONGEST_FILE ? await readFile(path, 'utf8') : '');
      state = now;
    } catch (error) {
      if (!ABSENT_FILE_CODES.includes((error as NodeJS.ErrnoException).code)) return;
      parsed = parse('');
      state = '';
    }
  };
  return async () => {
    if (performance.now() - looked > every) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return parsed;
  };
}
