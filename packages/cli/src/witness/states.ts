import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, parseCheckpoint, parseNote } from '@countersign/protocol/log';
import { lockFolder } from './lock.js';
import { addVersion, readLatest } from './versions.js';

/** The checkpoint of a log that was cosigned last. */
export interface CosignedCheckpoint extends Checkpoint {
  /** The note, signed by the log and the witness. */
  readonly note: string;
  /** How many were kept of the log, with this one. */
  readonly number: number;
}

/** What a witness remembers: of each log the checkpoint that it cosigned last, in a folder of its own. */
export interface WitnessStates {
  /** @throws Error when the file holds something else: without it the witness could be led back */
  last(origin: string): Promise<CosignedCheckpoint | undefined>;
  /** The note by the name of its folder: SHA-256 of the origin in hex. */
  byName(name: string): Promise<string | undefined>;
  /**
   * Remembers a note after the one that was read. It is on the disk when this resolves.
   *
   * @param after the number of that one; 0 where there was none
   * @returns false when another was remembered meanwhile, by whatever process: this one is not
   */
  keep(origin: string, note: string, after: number): Promise<boolean>;
  /** Runs one thing at a time for each log. */
  alone<T>(origin: string, work: () => Promise<T>): Promise<T>;
}

/** States that nobody else uses until they are closed. */
export interface OpenStates extends WitnessStates {
  /** Lets go of the folder. */
  close(): Promise<void>;
}

/** Opens a folder of states, for this process alone. @throws Failure when another witness has it */
export async function openStates(folder: string): Promise<OpenStates> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const close = await lockFolder(folder);
  return { ...statesIn(folder), close };
}

/** The states in a folder. Processes that share it, as containers may, still never go on from the same checkpoint. */
export function statesIn(folder: string): WitnessStates {
  const waiting = new Map<string, Promise<unknown>>();
  return {
    byName: async (name) => (await readLatest(join(folder, name)))?.text,
    async last(origin) {
      const version = await readLatest(join(folder, folderName(origin)));
      if (version === undefined) return undefined;
      const checkpoint = parseCheckpoint(parseNote(version.text).text);
      if (checkpoint.origin !== origin) throw new Error(`The file of ${origin} is about ${checkpoint.origin}.`);
      return { ...checkpoint, note: version.text, number: version.number };
    },
    keep: (origin, note, after) => addVersion(join(folder, folderName(origin)), after, note),
    alone<T>(origin: string, work: () => Promise<T>): Promise<T> {
      const done = (waiting.get(origin) ?? Promise.resolve()).then(work);
      const settled = done
        .catch(() => {})
        .then(() => {
          if (waiting.get(origin) === settled) waiting.delete(origin);
        });
      waiting.set(origin, settled);
      return done;
    },
  };
}

/** The name of the folder of a log. */
export function folderName(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
