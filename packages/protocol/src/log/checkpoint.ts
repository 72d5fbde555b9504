import { encodeBase64 } from '../base64.js';
import { portable, type Suite } from '../suite.js';
import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { HASH_BYTES } from './hashing.js';
import { type NoteKey, refuseName } from './key.js';
import type { Note } from './note.js';
import { type NoteSigner, openNote } from './open-note.js';
import { boundedText, parseDecimal, parseHash, refuseControls, whole } from './text.js';

/** A checkpoint: what a log says of its tree (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** The name of the log, which is the name of its key too. */
  readonly origin: string;
  /** Leaves of the tree, at most 2^53 - 1. */
  readonly size: number;
  /** The root of the tree, 32 bytes. */
  readonly root: Uint8Array;
}

/** A checkpoint whose signature by the log was verified. */
export interface OpenedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
  /** Every known key that signed it, the log's and the witnesses'. */
  readonly signed: readonly NoteSigner[];
}

/**
 * The text of a checkpoint: three lines, the origin, the size in decimal, the root in base64. It is signed as a note.
 *
 * @throws LogError when the origin may not be the name of a key
 * @throws RangeError unless `size` is a whole number and the root has 32 bytes
 */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  refuseName(origin);
  if (root.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
  return `${origin}\n${whole(size, 'size')}\n${encodeBase64(root)}\n`;
}

/**
 * Reads the text of a checkpoint, without its signatures. Lines after the third are extensions; they are passed over.
 *
 * @throws LogError `malformed`, also for a size above 2^53 - 1 or an extension line that is empty; `too-long`
 */
export function parseCheckpoint(text: string): Checkpoint {
  refuseControls(boundedText(text, LOG_BOUNDS.note, 'a checkpoint'), 'a checkpoint');
  const lines = text.split('\n');
  const [origin, size, root] = lines;
  if (lines.length < 4 || lines.pop() !== '' || lines.includes('')) {
    throw new LogError('malformed', 'a checkpoint has three lines or more, none of them empty');
  }
  refuseName(origin!);
  return { origin: origin!, size: parseDecimal(size!, 'the size'), root: parseHash(root!, 'the root') };
}

/**
 * Reads a signed checkpoint. One of the known keys for notes must have signed it, under the name that is its origin: the
 * key of one log says nothing about another.
 *
 * @param known keys of logs and of witnesses
 * @throws LogError `malformed`, `too-long`, or `unverified`
 */
export function openCheckpoint(
  input: string | Uint8Array,
  known: readonly NoteKey[],
  suite: Pick<Suite, 'verify'> = portable,
): OpenedCheckpoint {
  const { note, signed } = openNote(input, known, suite);
  const checkpoint = parseCheckpoint(note.text);
  if (!signed.some(({ key }) => key.use === 'note' && key.name === checkpoint.origin)) {
    throw new LogError('unverified', `no known key of ${checkpoint.origin} signed the checkpoint`);
  }
  return { checkpoint, note, signed };
}
