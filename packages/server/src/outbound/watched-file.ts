import { readFile, stat } from 'node:fs/promises';

/** How often a file is looked at, in milliseconds. */
const EVERY = 2_000;

/** A file longer than this is none that is read here. */
const LONGEST = 4 * 1024 * 1024;

/** What a file of the system says, read anew when it has changed. A file that is missing, or cannot be read, is empty. */
export function watchFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let looked = Number.NEGATIVE_INFINITY;
  let state = '';
  let parsed = parse('');
  let looking: Promise<void> | undefined;
  const look = async () => {
    const found = await stat(path).catch(() => undefined);
    const now = found ? `${found.mtimeMs} ${found.size} ${found.ino}` : '';
    if (now !== state)
      parsed = parse(found && found.size <= LONGEST ? await readFile(path, 'utf8').catch(() => '') : '');
    state = now;
    looked = performance.now();
  };
  return async () => {
    if (performance.now() - looked > EVERY) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return parsed;
  };
}
