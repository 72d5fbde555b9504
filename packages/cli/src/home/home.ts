import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, localFailure } from '../terminal/failure.js';
import type { Surroundings } from '../terminal/surroundings.js';

/** The folder of the command's keys and settings. Only its owner may enter it, and only the owner may read the files. */
export class Home {
  readonly folder: string;

  constructor({ env, userHome }: Pick<Surroundings, 'env' | 'userHome'>) {
    this.folder = env.COUNTERSIGN_HOME || join(userHome, '.countersign');
  }

  /** The text of a file; undefined when there is none. */
  async read(...path: string[]): Promise<string | undefined> {
    const file = join(this.folder, ...path);
    try {
      await assertPrivate(file);
      return await readFile(file, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The names of the files in a folder. */
  async list(folder: string): Promise<string[]> {
    try {
      return (await readdir(join(this.folder, folder))).sort();
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Writes a file that may be there already: readers see the old text or the new one, never a part. */
  async write(text: string, ...path: string[]): Promise<void> {
    await this.#place(text, path, rename);
  }

  /** Writes a file anew that has the text `before`, and is no link; any other is left as it is. */
  async replace(before: string, text: string, ...path: string[]): Promise<void> {
    const isLink = (await lstat(join(this.folder, ...path))).isSymbolicLink();
    if (!isLink && (await this.read(...path)) === before) await this.write(text, ...path);
  }

  /**
   * Writes a file that must be new.
   *
   * @returns false when there is one of this name, which is left as it is
   */
  async add(text: string, ...path: string[]): Promise<boolean> {
    try {
      await this.#place(text, path, link);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Deletes a file. */
  async remove(...path: string[]): Promise<void> {
    await rm(join(this.folder, ...path), { force: true });
  }

  async #place(text: string, path: string[], put: (from: string, to: string) => Promise<void>): Promise<void> {
    const file = join(this.folder, ...path);
    const folder = join(file, '..');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The mode above is for new folders, and the umask may have changed it.
    await chmod(this.folder, 0o700);
    await chmod(folder, 0o700);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
      await put(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** The text of a file that nobody else may read. */
export async function readPrivate(file: string): Promise<string> {
  try {
    await assertPrivate(file);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw error instanceof Failure ? error : localFailure(`${file} cannot be read: ${systemCodeOf(error)}.`);
  }
}

/** Refuses a file that others may read: what it protects may be known to them. */
async function assertPrivate(file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await ((await lstat(file)).isSymbolicLink() ? stat(file) : lstat(file));
  if ((mode & 0o077) !== 0) {
    throw localFailure(
      `Others may read or change ${file}.`,
      `chmod 600 ${file}; choose a new key or password if somebody may have read it`,
    );
  }
}

function systemCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
