import { encodeBase64 } from '../base64.js';
import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { ID_BYTES, joinId, type NoteKey, refuseName, type SignBytes, splitId } from './key.js';
import { boundedText, parseBase64, refuseControls, utf8 } from './text.js';

/** A signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** The id of the key: four bytes in lower-case hex. */
  readonly id: string;
  /** What follows the id: the 64 bytes of Ed25519, or what the type of the key has there. */
  readonly signature: Uint8Array;
}

/** A signed note (C2SP signed-note). Nothing of it is verified. */
export interface Note {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const SIGNATURE_START = '— ';

/**
 * Reads a note.
 *
 * @throws LogError `malformed`: no UTF-8, a control character, no signatures, or a line of another form; `too-long`:
 *   over 64 KiB, or over 100 signatures
 */
export function parseNote(input: string | Uint8Array): Note {
  const whole = boundedText(input, LOG_BOUNDS.note, 'a note');
  refuseControls(whole, 'a note');
  const split = whole.lastIndexOf('\n\n');
  if (split < 0 || !whole.endsWith('\n')) throw new LogError('malformed', 'a note has no signatures');
  const lines = whole.slice(split + 2, -1).split('\n', LOG_BOUNDS.signatures + 1);
  if (lines.length > LOG_BOUNDS.signatures) {
    throw new LogError('too-long', `a note has more than ${LOG_BOUNDS.signatures} signatures`);
  }
  return { text: whole.slice(0, split + 1), signatures: lines.map(parseSignatureLine) };
}

/**
 * The note as text: its own text, an empty line, a line for each signature.
 *
 * @throws LogError when it could not be read again
 */
export function formatNote({ text, signatures }: Note): string {
  const lines = signatures.map(
    ({ name, id, signature }) => `${SIGNATURE_START}${name} ${encodeBase64(joinId(id, signature))}\n`,
  );
  const note = `${text}\n${lines.join('')}`;
  const again = parseNote(note);
  if (again.text !== text || again.signatures.length !== signatures.length) {
    throw new LogError('malformed', 'the text of a note ends with a newline');
  }
  return note;
}

/**
 * Signs the text of a note with a key for notes (type 0x01): Ed25519 over its UTF-8 bytes.
 *
 * @throws TypeError when the key is for cosignatures, or the text is not Unicode that ends with a newline
 */
export async function signNote(text: string, key: NoteKey, sign: SignBytes): Promise<NoteSignature> {
  if (key.use !== 'note') throw new TypeError('the key is not for notes');
  if (!text.endsWith('\n')) throw new TypeError('the text of a note ends with a newline');
  return { name: key.name, id: key.id, signature: await sign(utf8(text)) };
}

function parseSignatureLine(line: string): NoteSignature {
  const [dash, name, encoded, ...more] = line.split(' ');
  if (`${dash} ` !== SIGNATURE_START || encoded === undefined || more.length > 0) {
    throw new LogError('malformed', 'a signature line has another form');
  }
  refuseName(name!);
  const bytes = parseBase64(encoded, 'a signature line');
  if (bytes.length <= ID_BYTES) throw new LogError('malformed', 'a signature line has no signature');
  return { name: name!, ...splitId(bytes) };
}
