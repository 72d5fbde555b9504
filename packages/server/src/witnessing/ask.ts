import type { Suite } from '@countersign/protocol';
import { formatAddCheckpoint, formatNote, type NoteKey, parseNote, verifyNote } from '@countersign/protocol/log';
import type { Outbound } from '../outbound/outbound.js';
import { witnessLimits } from './witness-limits.js';

/** A checkpoint, and what a witness is asked to go on from. */
export interface Request {
  readonly ledger: number;
  readonly old: number;
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint. */
  readonly note: string;
  readonly size: number;
}

/** What a witness answered. */
export type WitnessAnswered =
  | { readonly outcome: 'cosigned'; readonly line: string }
  /** It has cosigned a tree of another size last. */
  | { readonly outcome: 'elsewhere'; readonly size: number }
  /** It says that what it has cosigned is no beginning of this tree. */
  | { readonly outcome: 'contradicted' }
  | { readonly outcome: 'refused' | 'invalid' | 'failed'; readonly why: string };

/** Where a witness is asked, and the key of its cosignatures. */
export interface AskedWitness {
  readonly key: NoteKey;
  /** Its address without `add-checkpoint`. */
  readonly url: string;
}

/** Statuses that have to do with the log that is asked for, and not with the witness. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 405, 410, 413];

/**
 * Asks a witness for a cosignature (C2SP tlog-witness, `add-checkpoint`).
 *
 * @throws OutboundFailure, Overloaded
 */
export async function askWitness(
  asked: AskedWitness,
  { ledger, old, proof, note, size }: Request,
  outbound: Pick<Outbound, 'send'>,
  suite: Pick<Suite, 'verify'>,
  signal: AbortSignal,
): Promise<WitnessAnswered> {
  const { status, text } = await outbound.send({
    ledger,
    method: 'POST',
    url: inFolder(asked, 'add-checkpoint'),
    headers: { 'content-type': 'text/plain; charset=utf-8', 'accept-encoding': 'identity' },
    body: formatAddCheckpoint({ old, proof, checkpoint: note }),
    within: witnessLimits.within,
    signal,
  });
  if (status === 200) return readCosignature(asked.key, note, text, suite);
  if (status === 422) return { outcome: 'contradicted' };
  if (status === 409) return readSize(text, old, size);
  return { outcome: REFUSALS.includes(status) ? 'refused' : 'failed', why: `it answered ${status}` };
}

/** The address of something that a witness serves. */
export function inFolder({ url }: AskedWitness, path: string): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

function readCosignature(key: NoteKey, note: string, lines: string, suite: Pick<Suite, 'verify'>): WitnessAnswered {
  try {
    const { text, signatures } = parseNote(note + lines);
    if (text !== parseNote(note).text) throw new Error('what it answered is more than signatures');
    const own = signatures.filter(({ name, id }) => name === key.name && id === key.id).slice(0, 1);
    if (verifyNote({ text, signatures: own }, [key], suite).length === 0) throw new Error('its cosignature is missing');
    return { outcome: 'cosigned', line: formatNote({ text, signatures: own }).slice(text.length + 1) };
  } catch (error) {
    return { outcome: 'invalid', why: (error as Error).message };
  }
}

function readSize(text: string, old: number, size: number): WitnessAnswered {
  const known = /^(?:0|[1-9]\d{0,15})\n?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(known)) return { outcome: 'invalid', why: 'it answered 409 without a size' };
  if (known !== old) return { outcome: 'elsewhere', size: known };
  // It has a tree of this size, of another root.
  return old === size
    ? { outcome: 'contradicted' }
    : { outcome: 'invalid', why: 'it answered 409 with the size asked for' };
}
