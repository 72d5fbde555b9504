import { portable, type Suite } from '../suite.js';
import { verifyCosignature } from './cosignature.js';
import { LogError } from './fault.js';
import type { NoteKey } from './key.js';
import { type Note, type NoteSignature, parseNote } from './note.js';
import { utf8 } from './text.js';

/** A known key that signed a note. */
export interface NoteSigner {
  readonly key: NoteKey;
  /** Unix time in seconds of a cosignature; undefined of a signature of a note. */
  readonly time: number | undefined;
}

/**
 * Which of the known keys signed the note (C2SP signed-note). Lines by unknown keys are ignored.
 *
 * @returns one for each line by a known key, in their order; a key that signed twice is there twice
 * @throws LogError `unverified` when a line by a known key does not verify
 */
export function verifyNote(
  note: Note,
  known: readonly NoteKey[],
  suite: Pick<Suite, 'verify'> = portable,
): NoteSigner[] {
  return note.signatures.flatMap((line) => {
    const candidates = known.filter(({ name, id }) => name === line.name && id === line.id);
    if (candidates.length === 0) return [];
    for (const key of candidates) {
      const signed = verifyLine(note.text, line, key, suite);
      if (signed !== undefined) return [signed];
    }
    throw new LogError('unverified', `the signature by ${line.name} does not verify`);
  });
}

/**
 * Reads a note that a known key signed.
 *
 * @throws LogError what `parseNote` throws; `unverified` when no known key signed it, or a line by one does not verify
 */
export function openNote(
  input: string | Uint8Array,
  known: readonly NoteKey[],
  suite: Pick<Suite, 'verify'> = portable,
): { note: Note; signed: NoteSigner[] } {
  const note = parseNote(input);
  const signed = verifyNote(note, known, suite);
  if (signed.length === 0) throw new LogError('unverified', 'no known key signed the note');
  return { note, signed };
}

function verifyLine(
  text: string,
  { signature }: NoteSignature,
  key: NoteKey,
  suite: Pick<Suite, 'verify'>,
): NoteSigner | undefined {
  if (key.use === 'note') {
    return suite.verify(signature, utf8(text), key.publicKey) ? { key, time: undefined } : undefined;
  }
  const time = verifyCosignature(text, signature, key, suite);
  return time === undefined ? undefined : { key, time };
}
