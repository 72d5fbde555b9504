import type { Suite } from '@countersign/protocol';
import { LogError, type NoteKey, openCheckpoint } from '@countersign/protocol/log';
import { sha256 } from '../base/sha256.js';
import { contradictionOf } from '../log/contradiction.js';
import type { Logs } from '../log/log.js';
import type { ShownCheckpoint } from '../log/publish.js';
import type { Outbound } from '../outbound/outbound.js';
import { type AskedWitness, inFolder } from './ask.js';
import { witnessLimits } from './witness-limits.js';

/** A witness that says that it has cosigned another tree. */
export interface WitnessClaim {
  readonly ledger: number;
  readonly name: string;
  readonly asked: AskedWitness;
  /** The key of the log's checkpoints. */
  readonly key: NoteKey;
  /** The newest checkpoint; undefined when the log is stopped by now. */
  newest(): Promise<ShownCheckpoint | undefined>;
}

export interface EvidenceDeps {
  readonly logs: Pick<Logs, 'consistency'>;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly suite: Pick<Suite, 'verify'>;
}

/** What a witness can show for its claim. */
export type Evidence =
  /** The key of the log has signed what the log does not have. */
  { readonly stops: string } | { readonly why: string };

/**
 * Reads the checkpoint that a witness has cosigned last. A status alone stops no log: whoever answers in the place of a
 * witness could stop them all. What the key of the log has signed itself is evidence, whoever sends it.
 *
 * @throws OutboundFailure, Overloaded
 */
export async function seekEvidence(
  { ledger, name, asked, key, newest }: WitnessClaim,
  { logs, outbound, suite }: EvidenceDeps,
  signal: AbortSignal,
): Promise<Evidence> {
  const { status, text } = await outbound.send({
    ledger,
    method: 'GET',
    url: inFolder(asked, `${Buffer.from(sha256(Buffer.from(key.name))).toString('hex')}/checkpoint`),
    headers: { 'accept-encoding': 'identity' },
    within: witnessLimits.within,
    signal,
  });
  if (status !== 200) return { why: `it speaks of another tree, and answered ${status} when asked to show it` };
  const seen = openOwn(text, key, suite);
  if (!seen) return { why: 'it speaks of another tree, and shows none that the key of the log has signed' };
  // After what the witness shows: another process may have sealed meanwhile.
  const now = await newest();
  if (now?.origin !== key.name) return { why: 'it speaks of a log that is another one by now' };
  const contradiction = await contradictionOf(ledger, now, seen, logs);
  if (contradiction === 'shorter')
    return { stops: `it has ${now.size} leaves, and the witness ${name} has cosigned ${seen.size}` };
  return contradiction
    ? { stops: `the witness ${name} has cosigned what it does not begin with` }
    : { why: 'it speaks of another tree, and shows one that the log begins with' };
}

function openOwn(note: string, key: NoteKey, suite: Pick<Suite, 'verify'>) {
  try {
    const { checkpoint } = openCheckpoint(note, [key], suite);
    return checkpoint.origin === key.name ? checkpoint : undefined;
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}
