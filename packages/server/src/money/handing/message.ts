import { type JsonObject, LedgerError, type Reason, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Ledger } from '../../ledgers/ledger.js';
import type { NewIntent } from '../../ledgers/service.js';
import { Garbled } from '../../siblings/frames.js';
import type { Outcome, Write } from '../../store/committer/write.js';

/** An intent as one process hands it to another: what its create has decided, on which version of the ledger. */
export interface HandedIntent {
  /** Luid. */
  readonly ledger: string;
  readonly version: number;
  readonly record: RecordEnvelope;
  readonly write: Write;
  /** Keys that its create took as unregistered. */
  readonly strangers: readonly string[];
}

/** What becomes of it. */
export type Answered =
  | { readonly outcome: Outcome }
  /** What the client is told. */
  | { readonly refusal: LedgerError }
  /** Nothing was stored: too many wait, or the process is not the ledger's home. */
  | { readonly overloaded: string }
  | { readonly elsewhere: true }
  /** Whether it was stored is unknown: the database was out of reach. */
  | { readonly lost: true }
  | { readonly failed: string };

/** What the home makes anew of the version that it stores. */
type Handed = Omit<Write, 'body' | 'judged' | 'mac' | 'assumedUnregistered'>;

/**
 * Luid and version of the ledger, the write, and the record, each on a line: who reads it takes turns by the ledger before
 * it parses the rest.
 */
export function formatIntent(ledger: Ledger, { session, write }: Omit<NewIntent, 'record'>): string {
  const { body, judged: _, mac: __, assumedUnregistered: ___, ...handed } = write;
  const strangers = [...session.assumedUnregistered];
  return `${JSON.stringify([ledger.luid, ledger.version])}\n${JSON.stringify([strangers, handed])}\n${body}`;
}

/** What a process has to know of a handed intent before it parses it. */
export interface UnparsedIntent {
  readonly ledger: string;
  readonly version: number;
  /** The write, and the record. */
  readonly rest: readonly [write: string, body: string];
}

/** @throws Garbled */
export function parseHead(text: string): UnparsedIntent {
  const [head, write, body, ...more] = text.split('\n');
  const [ledger, version, ...others] = parseList(head);
  const isWhole = write !== undefined && body !== undefined && more.length === 0 && others.length === 0;
  if (!isWhole || typeof ledger !== 'string' || !Number.isSafeInteger(version)) throw new Garbled('No handed intent.');
  return { ledger, version: Number(version), rest: [write, body] };
}

/** @throws Garbled for one that is not of that ledger, or no new intent */
export function parseIntent(ledger: Ledger, { version, rest: [text, body] }: UnparsedIntent): HandedIntent {
  const [strangers, write, ...others] = parseList(text);
  const handed = write as Handed;
  const record = parse(body) as RecordEnvelope;
  if (others.length > 0 || !isTexts(strangers) || !isNewIntent(handed) || !isRecordOf(handed, record))
    throw new Garbled('No handed intent.');
  if (handed.ledger !== ledger.id || handed.version !== version) throw new Garbled('A write of another ledger.');
  return {
    ledger: ledger.luid,
    version,
    record,
    write: { ...handed, body, assumedUnregistered: strangers },
    strangers,
  };
}

function isNewIntent(write: unknown): write is Handed {
  if (!isObject(write)) return false;
  const { action, kind, change, key, luid, hash, moment, document, mustExist, proofs, veiled } = write;
  return (
    action === 'create' &&
    kind === 'intent' &&
    change === 1 &&
    isTexts([key, luid, hash, moment, document]) &&
    Array.isArray(mustExist) &&
    isTexts(proofs) &&
    isTexts(veiled)
  );
}

function isRecordOf({ key, luid, hash }: Handed, record: unknown): boolean {
  if (!isObject(record) || !isObject(record.data) || !isObject(record.meta)) return false;
  const { data, meta } = record;
  return record.luid === luid && record.hash === hash && data.handle === key && Array.isArray(meta.proofs);
}

export function formatAnswer(answered: Answered): string {
  if (!('refusal' in answered)) return JSON.stringify(answered);
  const { reason, detail, custom } = answered.refusal;
  return JSON.stringify({ refusal: [reason, detail, custom] });
}

const RESULTS: readonly unknown[] = ['done', 'duplicated', 'reused', 'stale'];

/** @throws Garbled */
export function parseAnswer(text: string): Answered {
  const answered = parse(text) as Record<string, unknown>;
  const { outcome, refusal, overloaded, failed } = answered;
  if (isObject(outcome) && RESULTS.includes(outcome.result) && Number.isSafeInteger(outcome.version))
    return { outcome: outcome as unknown as Outcome };
  if (Array.isArray(refusal)) {
    const [reason, detail, custom] = refusal as [Reason, string, JsonObject | null];
    return { refusal: new LedgerError(reason, detail, custom ?? undefined) };
  }
  if (typeof overloaded === 'string') return { overloaded };
  if (typeof failed === 'string') return { failed };
  if (answered.elsewhere === true) return { elsewhere: true };
  if (answered.lost === true) return { lost: true };
  throw new Garbled('No answer.');
}

function parse(text: string | undefined): unknown {
  try {
    const value: unknown = readJson(text ?? '');
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new Garbled('No JSON.');
}

function parseList(text: string | undefined): unknown[] {
  const value = parse(text);
  if (!Array.isArray(value)) throw new Garbled('No list.');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(values: unknown): values is string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
