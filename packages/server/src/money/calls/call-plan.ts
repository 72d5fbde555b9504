import {
  hash as hashOf,
  type Json,
  type JsonObject,
  type RecordEnvelope,
  readJson,
  type Suite,
} from '@countersign/protocol';
import type { Reference } from '../../events/event.js';
import type { Countersigner } from '../../keys/countersigner.js';

/** What a call is for: the three verbs name an entry, `status` tells how the intent stands (interface/bridges#calls). */
export type Purpose = 'prepare' | 'commit' | 'abort' | 'status';

/**
 * A call of a bridge as the outbox keeps it: the version of the intent that it shows, and what else its body says. Versions
 * never change, so the body is the same at every attempt.
 */
export interface CallPlan {
  /** Method and path below the bridge's server. */
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** The members of `data` beside the intent; absent where the body is the intent itself. */
  readonly data?: JsonObject;
  readonly intent: Reference;
  /** Whether the intent is shown with `meta.domains`. */
  readonly hasDomains: boolean;
}

/** The body of a call before it is signed. */
export interface CallBody {
  /** What traits with a filter look at. */
  readonly data: JsonObject;
  /** Absent where the body is the intent itself, with its own proofs. */
  readonly hash?: string;
  readonly record: RecordEnvelope;
}

/** @param text of the version that the plan refers to */
export function composeCall({ data, hasDomains }: CallPlan, text: string, suite: Suite): CallBody {
  const { hash, data: said, luid, meta } = readJson(text) as RecordEnvelope;
  const { domains, ...others } = meta as RecordEnvelope['meta'] & { domains?: Json };
  const record: RecordEnvelope = hasDomains
    ? { hash, data: said, luid, meta }
    : { hash, data: said, luid, meta: others };
  if (!data) return { data: said, record };
  const whole: JsonObject = { ...data, intent: record as unknown as Json };
  return { data: whole, hash: hashOf(whole, suite), record };
}

/**
 * The body that a bridge is sent (interface/bridges#calls). Signatures of Ed25519 are deterministic, so it is the same text at
 * every attempt.
 *
 * @param signed moment of the proof, which is that of the first attempt
 */
export function outputOfCall({ data, hash, record }: CallBody, system: Countersigner, signed: Date): string {
  if (hash === undefined) return JSON.stringify(record);
  return JSON.stringify({ hash, data, meta: { proofs: [system.stored(hash, { moment: signed.toISOString() })] } });
}
