import { encodeBase64 } from '../base64.js';
import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { boundedText, parseDecimal, parseHash, refuseControls, whole } from './text.js';

/** What a log asks of a witness (C2SP tlog-witness). */
export interface AddCheckpoint {
  /** Leaves of the tree that the witness cosigned last; 0 when it knows none. */
  readonly old: number;
  /** The hashes of the proof of consistency from `old`, at most 63 of 32 bytes. */
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint as text. */
  readonly checkpoint: string;
}

/**
 * The body of add-checkpoint: `old` and the size, a line for each hash of the proof, an empty line, the checkpoint.
 *
 * @throws LogError when it could not be read again
 * @throws RangeError unless `old` is a whole number
 */
export function formatAddCheckpoint({ old, proof, checkpoint }: AddCheckpoint): string {
  const body = `old ${whole(old, 'old')}\n${formatHashes(proof)}\n${checkpoint}`;
  parseAddCheckpoint(body);
  return body;
}

/**
 * Reads the body of add-checkpoint. The checkpoint in it is left as it is: `openCheckpoint` reads it.
 *
 * @throws LogError `malformed` or `too-long`
 */
export function parseAddCheckpoint(input: string | Uint8Array): AddCheckpoint {
  const { lines, note } = splitHead(boundedText(input, LOG_BOUNDS.withNote, 'an add-checkpoint'), 'an add-checkpoint');
  const [first, ...hashes] = lines;
  return { old: parseLabelled(first!, 'old'), proof: parseHashes(hashes), checkpoint: note };
}

/** The lines before the first empty line, and the text after it. @throws LogError */
export function splitHead(text: string, what: string): { lines: string[]; note: string } {
  refuseControls(text, what);
  const split = text.indexOf('\n\n');
  const note = text.slice(split + 2);
  if (split < 0 || note === '') throw new LogError('malformed', `${what} ends with a checkpoint after an empty line`);
  if (note.length > LOG_BOUNDS.note)
    throw new LogError('too-long', `a checkpoint has more than ${LOG_BOUNDS.note} bytes`);
  return { lines: text.slice(0, split).split('\n'), note };
}

/** The number after `label` and a space. @throws LogError */
export function parseLabelled(line: string, label: string): number {
  if (!line.startsWith(`${label} `)) throw new LogError('malformed', `there is no line of ${label}`);
  return parseDecimal(line.slice(label.length + 1), label);
}

/** The hashes of a proof, one a line. @throws LogError */
export function parseHashes(lines: readonly string[]): Uint8Array[] {
  if (lines.length > LOG_BOUNDS.hashes)
    throw new LogError('too-long', `a proof has more than ${LOG_BOUNDS.hashes} hashes`);
  return lines.map((line) => parseHash(line, 'a hash of the proof'));
}

/** The lines of a proof, each with its newline. */
export function formatHashes(proof: readonly Uint8Array[]): string {
  return proof.map((hash) => `${encodeBase64(hash)}\n`).join('');
}
