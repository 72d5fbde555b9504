import type { Suite } from '@countersign/protocol';
import {
  checkConsistency,
  cosign,
  emptyRoot,
  formatNote,
  LogError,
  type NoteKey,
  type OpenedCheckpoint,
  openCheckpoint,
  parseAddCheckpoint,
  parseCheckpoint,
  parseNote,
  type SignBytes,
} from '@countersign/protocol/log';
import type { WitnessStates } from './states.js';

/** What a witness cosigns with, and what it remembers. */
export interface WitnessDeps {
  /** Keys of the logs that it knows, each under the origin of its log. */
  readonly logs: readonly NoteKey[];
  readonly key: NoteKey;
  readonly sign: SignBytes;
  readonly states: WitnessStates;
  readonly suite: Pick<Suite, 'verify'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The answer to add-checkpoint, with what the witness's log of requests says of it. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type?: string;
  readonly text: string;
  /** Origin and size, of a log that is known. */
  readonly about?: string;
}

/** The content type of an answer that is the size of a tree. */
const SIZE_TYPE = 'text/x.tlog.size';

/** Answers add-checkpoint (C2SP tlog-witness). @throws Error when the state cannot be read or written */
export async function addCheckpoint(deps: WitnessDeps, body: Uint8Array): Promise<WitnessAnswer> {
  try {
    const { old, proof, checkpoint: note } = parseAddCheckpoint(body);
    const { text, signatures } = parseNote(note);
    const { origin, size } = parseCheckpoint(text);
    const known = deps.logs.filter(({ name }) => name === origin);
    if (known.length === 0) return { status: 404, text: 'This log is unknown here.\n' };
    const about = `${origin} ${size}`;
    const own = signatures.filter(({ name, id }) => known.some((key) => key.name === name && key.id === id));
    // Each costs a verification.
    if (own.length > known.length) return { status: 400, text: 'A key signed twice.\n', about };
    const opened = openCheckpoint(note, known, deps.suite);
    if (old > size) return { status: 400, text: 'The old tree is larger than the new one.\n', about };
    return { ...(await deps.states.alone(origin, () => advance(deps, opened, old, proof))), about };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return { status: error.reason === 'unverified' ? 403 : 400, text: `${error.detail}\n` };
  }
}

/** Compares with what was cosigned last, and sets it: no two requests go on from the same tree. */
async function advance(
  { states, key, sign, now }: WitnessDeps,
  { checkpoint, note, signed }: OpenedCheckpoint,
  old: number,
  proof: readonly Uint8Array[],
): Promise<WitnessAnswer> {
  const { origin, size, root } = checkpoint;
  const last = await lastOf(states, origin);
  if (old !== last.size) return { status: 409, type: SIZE_TYPE, text: `${last.size}\n` };
  if (!checkConsistency({ old, oldRoot: last.root, size, root, proof })) {
    return { status: 422, text: `The tree is not shown to begin with the ${old} leaves that were cosigned.\n` };
  }
  const cosignature = await cosign(note.text, Math.floor(now() / 1000), key, sign);
  const own = note.signatures.filter(({ id, name }) => signed.some(({ key }) => key.id === id && key.name === name));
  const kept = formatNote({ text: note.text, signatures: [...own, cosignature] });
  if (last.number === 0 || size > last.size) {
    const isKept = await states.keep(origin, kept, last.number);
    if (!isKept) return { status: 409, type: SIZE_TYPE, text: `${(await lastOf(states, origin)).size}\n` };
  }
  return { status: 200, text: kept.slice(formatNote({ text: note.text, signatures: own }).length) };
}

async function lastOf(states: WitnessStates, origin: string) {
  try {
    return (await states.last(origin)) ?? { size: 0, root: emptyRoot(), number: 0 };
  } catch (error) {
    // What is wrong is a file here, and not the request.
    throw new Error(`The state of ${origin} cannot be read.`, { cause: error });
  }
}
