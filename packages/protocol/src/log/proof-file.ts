import { encodeBase64 } from '../base64.js';
import { portable, type Suite } from '../suite.js';
import { LOG_BOUNDS } from './bounds.js';
import { checkInclusion } from './check.js';
import { type Checkpoint, openCheckpoint } from './checkpoint.js';
import { LogError } from './fault.js';
import { leafHash } from './hashing.js';
import { isQuorumMet, type Policy } from './policy.js';
import { boundedText, parseBase64, whole } from './text.js';
import { formatHashes, parseHashes, parseLabelled, splitHead } from './witness.js';

/** The proof that an entry is in a log, for use without the log (C2SP tlog-proof). */
export interface ProofFile {
  /** Bytes of the application, at most 4096: the salt of a leaf. */
  readonly extra: Uint8Array | undefined;
  /** The position of the leaf, from 0. */
  readonly index: number;
  /** The hashes of the proof of inclusion, those nearest to the leaf first. */
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint as text. */
  readonly checkpoint: string;
}

/** A checkpoint that a policy takes. */
export interface AcceptedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The names in the policy of the witnesses that cosigned it, with the latest Unix time in seconds of each. */
  readonly witnesses: ReadonlyMap<string, number>;
}

/** An entry that is in a log. */
export interface Inclusion extends AcceptedCheckpoint {
  readonly index: number;
  readonly extra: Uint8Array | undefined;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
const EXTRA = 'extra ';

/**
 * The text of a proof file.
 *
 * @throws LogError when it could not be read again
 * @throws RangeError unless `index` is a whole number
 */
export function formatProofFile({ extra, index, proof, checkpoint }: ProofFile): string {
  const more = extra === undefined ? '' : `${EXTRA}${encodeBase64(extra)}\n`;
  const text = `${HEADER}\n${more}index ${whole(index, 'index')}\n${formatHashes(proof)}\n${checkpoint}`;
  parseProofFile(text);
  return text;
}

/**
 * Reads a proof file. Nothing of it is verified: `checkProofFile` does.
 *
 * @throws LogError `malformed` or `too-long`
 */
export function parseProofFile(input: string | Uint8Array): ProofFile {
  const { lines, note } = splitHead(boundedText(input, LOG_BOUNDS.withNote, 'a proof file'), 'a proof file');
  if (lines.shift() !== HEADER) throw new LogError('malformed', 'this is not a proof file of version 1');
  const extra = lines[0]?.startsWith(EXTRA) ? parseExtra(lines.shift()!) : undefined;
  const index = parseLabelled(lines.shift() ?? '', 'index');
  return { extra, index, proof: parseHashes(lines), checkpoint: note };
}

/**
 * Reads a proof file and checks that the entry is in a log of the policy: the signature of the log, the cosignatures,
 * the quorum, the proof of inclusion.
 *
 * @throws LogError `malformed`, `too-long`, or `unverified`
 */
export function checkProofFile(
  input: string | Uint8Array,
  entry: Uint8Array,
  policy: Policy,
  suite: Pick<Suite, 'verify'> = portable,
): Inclusion {
  const { extra, index, proof, checkpoint: signed } = parseProofFile(input);
  const accepted = acceptCheckpoint(signed, policy, suite);
  const { size, root } = accepted.checkpoint;
  if (!checkInclusion({ leaf: leafHash(entry), index, size, root, proof })) {
    throw new LogError('unverified', `the entry is not at ${index} of the tree`);
  }
  return { ...accepted, index, extra };
}

/**
 * Reads a signed checkpoint that the policy takes: of one of its logs, cosigned by its quorum.
 *
 * @throws LogError `malformed`, `too-long`, or `unverified`
 */
export function acceptCheckpoint(
  input: string | Uint8Array,
  policy: Policy,
  suite: Pick<Suite, 'verify'> = portable,
): AcceptedCheckpoint {
  const known = [...policy.logs, ...[...policy.witnesses.values()].map(({ key }) => key)];
  const { checkpoint, signed } = openCheckpoint(input, known, suite);
  const witnesses = new Map<string, number>();
  for (const [name, { key }] of policy.witnesses) {
    const times = signed.flatMap((one) => (one.key === key && one.time !== undefined ? [one.time] : []));
    if (times.length > 0) witnesses.set(name, Math.max(...times));
  }
  if (!isQuorumMet(policy, witnesses.keys())) throw new LogError('unverified', 'the quorum of the policy is not met');
  return { checkpoint, witnesses };
}

function parseExtra(line: string): Uint8Array {
  const extra = parseBase64(line.slice(EXTRA.length), 'extra');
  if (extra.length > LOG_BOUNDS.extra) throw new LogError('too-long', `extra has more than ${LOG_BOUNDS.extra} bytes`);
  return extra;
}
