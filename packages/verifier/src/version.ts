import { type ChangeAction, canonical, isObject, type RecordEnvelope } from '@countersign/protocol';
import { jsonText } from './json/json-text.js';

/** One version of a record, as a source has it. */
export interface RecordVersion {
  readonly kind: string;
  readonly luid: string;
  readonly change: number;
  readonly action: ChangeAction;
  /** As it was served when it was the newest: `hash`, `data`, `luid`, `meta`. Unchecked. */
  readonly record: RecordEnvelope;
  /** The text of `record`, where the source has it. */
  readonly text?: string;
  /** What the source says of it beside the record. */
  readonly moment?: string;
  readonly hash?: string;
}

const VERSION_MEMBERS = ['hash', 'data', 'luid', 'meta'];
const META_MEMBERS = ['proofs', 'status', 'moment', 'owners', 'labels', 'domain'];
const META_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['intent', ['routed', 'thread', 'domains']],
  ['report', ['assets']],
]);
const PROOF = ['custom', 'digest', 'method', 'origin', 'public', 'result', 'signer', 'issuer'];
const ORIGINS = ['key-pair', 'self-signed-token', 'oauth2-token'];

const HASH_TEXT = /^[0-9a-f]{64}$/;
const MOMENT = /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const THREAD = /^[A-Za-z0-9_-]{17}$/;

/** Whether the text has the form of a moment: ISO 8601 in UTC with milliseconds. The calendar may not have it. */
export function isMomentText(text: unknown): text is string {
  return typeof text === 'string' && MOMENT.test(text);
}

/**
 * What is wrong with the form of a version (interface/envelope#record): nothing that a ledger would not write stands in
 * it, since all that is outside `data` and outside the signatures would otherwise be free to be altered.
 *
 * @returns a defect in words; undefined when the form is right, so that all types hold
 */
export function formDefect({ kind, luid, record, text, moment, hash }: RecordVersion): string | undefined {
  if (!isObject(record)) return 'is not a record';
  const extra = Object.keys(record).find((member) => !VERSION_MEMBERS.includes(member));
  if (extra !== undefined) return `has an unknown member '${extra}'`;
  if (typeof record.hash !== 'string' || !HASH_TEXT.test(record.hash)) return 'has no hash';
  if (!isObject(record.data)) return 'has no data';
  if (record.luid !== luid) return `names another record, ${jsonText(record.luid)}`;
  if (text !== undefined && JSON.stringify(record) !== text) return 'is not written as the ledger writes it';
  if (text?.includes('\\ud') && !isCanonical(record)) return 'has a text that is not Unicode';
  if (hash !== undefined && hash !== record.hash) return `has the hash ${record.hash}, and the index says ${hash}`;
  return metaDefect(kind, record.meta, moment);
}

/** Whether it can be hashed: half of a character cannot. */
function isCanonical(record: RecordEnvelope): boolean {
  try {
    return canonical(record) !== '';
  } catch {
    return false;
  }
}

function metaDefect(kind: string, meta: unknown, moment: string | undefined): string | undefined {
  if (!isObject(meta)) return 'has no meta';
  const allowed = [...META_MEMBERS, ...(META_OF.get(kind) ?? [])];
  const extra = Object.keys(meta).find((member) => !allowed.includes(member));
  if (extra !== undefined) return `has an unknown member 'meta.${extra}'`;
  if (!isMomentText(meta.moment)) return "has no moment in 'meta'";
  if (moment !== undefined && moment !== meta.moment)
    return `has the moment ${meta.moment}, and the index says ${moment}`;
  if (meta.status !== undefined && typeof meta.status !== 'string') return "has no status in 'meta.status'";
  if (meta.domain !== undefined && typeof meta.domain !== 'string') return "has no domain in 'meta.domain'";
  if (!isListOfTexts(meta.owners)) return "has no owners in 'meta.owners'";
  if (meta.labels !== undefined && (!isListOfTexts(meta.labels) || meta.labels.length === 0))
    return "has no labels in 'meta.labels'";
  if (kind === 'intent') {
    if (meta.routed !== undefined && meta.routed !== true) return "has another value than true in 'meta.routed'";
    if (typeof meta.thread !== 'string' || !THREAD.test(meta.thread)) return "has no thread in 'meta.thread'";
    if (!isListOfTexts(meta.domains)) return "has no domains in 'meta.domains'";
  }
  if (!Array.isArray(meta.proofs)) return "has no proofs in 'meta.proofs'";
  for (const [index, proof] of meta.proofs.entries()) {
    const defect = proofDefect(proof);
    if (defect !== undefined) return `has a proof ${index + 1} that ${defect}`;
  }
  return undefined;
}

/** What is wrong with the form of a proof; undefined where it is right. */
export function proofDefect(proof: unknown): string | undefined {
  if (!isObject(proof)) return 'is not a proof';
  const extra = Object.keys(proof).find((member) => !PROOF.includes(member));
  if (extra !== undefined) return `has an unknown member '${extra}'`;
  const { method, digest, result, origin, signer, issuer, custom } = proof as unknown as Record<string, unknown>;
  const isText = [method, proof.public, result].every((member) => typeof member === 'string');
  if (!isText || typeof digest !== 'string' || !HASH_TEXT.test(digest)) return 'lacks a member';
  if (custom !== undefined && !isObject(custom)) return 'says no object';
  if (origin !== undefined && !ORIGINS.includes(origin as string)) return `has an unknown origin '${jsonText(origin)}'`;
  if (signer !== undefined && typeof signer !== 'string') return 'has a malformed signer';
  return issuer !== undefined && typeof issuer !== 'string' ? 'has a malformed issuer' : undefined;
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
