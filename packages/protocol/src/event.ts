import { decodeBase64 } from './base64.js';
import { hash as hashOf } from './hash.js';
import type { JsonBounds } from './json.js';
import { isObject, type Json, type JsonObject } from './json.js';
import { verifyProof } from './proof.js';
import type { StoredProof } from './records.js';
import { parseJson } from './strict-json.js';
import { portable, type Suite } from './suite.js';

/** Source of a pattern for the handles of events (interface/receiving-events#the-event). */
export const EVENT_HANDLE_PATTERN = '^evt_[A-Za-z0-9_-]{17}$';

/**
 * Why a body is no event of the ledger: `malformed`, it has another form; `hash`, the hash is not that of the data;
 * `key`, the ledger's key has no proof in it; `proof`, a proof of that key is not one over this event.
 */
export type EventFault = 'malformed' | 'hash' | 'key' | 'proof';

/** A body that is no event of the ledger. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly reason: EventFault;

  constructor(reason: EventFault, detail: string, options?: { readonly cause: unknown }) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
  }
}

/** Bounds on the body of an event. */
export interface EventBounds extends JsonBounds {
  /** Characters of a body given as text. */
  readonly size: number;
  /** Proofs on an event. */
  readonly proofs: number;
}

/**
 * What the largest event of a ledger fits into: two versions of a record, each of 4 MiB and nested up to 67 levels, and
 * the event around them. A smaller bound would let whoever writes a large record keep its events from a receiver.
 */
export const EVENT_BOUNDS: EventBounds = { size: 9 * 1024 * 1024, depth: 80, values: 5_000_000, proofs: 10 };

/** An event that the ledger has signed (interface/receiving-events#the-event). */
export interface LedgerEvent {
  /** `evt_` and 17 characters: the same at every attempt and for all receivers. */
  readonly handle: string;
  readonly signal: string;
  /** The signed data, `handle` and `signal` among its members. */
  readonly data: JsonObject;
  /** When the ledger signed it for this receiver, ISO 8601 in UTC with milliseconds. */
  readonly moment: string;
}

/** Options of `verifyEvent`. */
export interface EventOptions {
  readonly bounds?: EventBounds;
  readonly suite?: Suite;
}

const EVENT_HANDLE = new RegExp(EVENT_HANDLE_PATTERN);
const EVENT_SIGNAL = /^([a-z-]{1,40})-(created|updated|proofs-added|dropped|received|limited)$/;
const EVENT_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LOWER_HASH = /^[0-9a-f]{64}$/;

/**
 * Verifies a delivery of an event (interface/receiving-events#what-is-verified): the hash is that of the data, the
 * ledger's key has signed it as an event, and all that is outside the signature has the one value it can have.
 *
 * The ledger signs records, lists, errors and lookups with the same key. A proof over one of them cannot be passed off as
 * an event: the proof of an event says its moment and nothing else, and the data has the members of its signal: whole
 * records, or proofs. An effect called `evt_…` has a signal, too, but a luid in its proof and no record in its data; a
 * lookup has no signal (interface/lookups#lookup).
 *
 * @param body the text as it was received, or the JSON value parsed from it
 * @param systemKey base64 of the ledger's public key, of `GET /signers/system`
 * @throws EventError unless the ledger has signed this very event; TypeError when `systemKey` is no key
 */
export function verifyEvent(body: unknown, systemKey: string, options: EventOptions = {}): LedgerEvent {
  const { bounds = EVENT_BOUNDS, suite = portable } = options;
  parseSystemKey(systemKey);
  const value = typeof body === 'string' ? parseEventText(body, bounds) : body;
  const { data, hash, proofs } = readEnvelope(value, bounds);
  const { handle, signal } = readData(data);
  if (hashOfData(data, suite) !== hash) throw new EventError('hash', 'The hash is not that of the data');
  const own = proofs.filter((proof) => isObject(proof) && proof.public === systemKey) as StoredProof[];
  const [first] = own;
  if (!first) throw new EventError('key', "No proof is by the ledger's key");
  if (!own.every((proof) => isEventProof(proof) && verifyProof(hash, proof, suite))) {
    throw new EventError('proof', "The proof of the ledger's key is not one over this event");
  }
  return { handle, signal, data, moment: String(first.custom?.moment) };
}

/**
 * The bytes of a ledger's public key, as `GET /signers/system` has it in `data.public`.
 *
 * @throws TypeError unless `text` is 32 bytes in canonical base64
 */
export function parseSystemKey(text: string): Uint8Array {
  const bytes = typeof text === 'string' && text.length === 44 ? decodeBase64(text) : undefined;
  if (bytes?.length !== 32) throw new TypeError('The key of a ledger is 32 bytes in base64');
  return bytes;
}

/** @throws EventError `malformed` for what a reader could take for something other than the ledger wrote */
function parseEventText(text: string, bounds: EventBounds): Json {
  if (text.length > bounds.size) throw new EventError('malformed', `The body has over ${bounds.size} characters`);
  let value: Json;
  try {
    value = parseJson(text, bounds);
  } catch (cause) {
    throw new EventError('malformed', 'The body is not acceptable JSON', { cause });
  }
  if (countMembersIn(text) !== countMembersOf(value)) throw new EventError('malformed', 'A member is named twice');
  return value;
}

/** Colons outside strings, of which valid JSON has one for each member it writes. */
function countMembersIn(text: string): number {
  let members = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) quoted = !quoted;
    else if (code === 0x5c) at += 1;
    else if (code === 0x3a && !quoted) members += 1;
  }
  return members;
}

/** Members of the objects in a value whose nesting is bounded. */
function countMembersOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const inner of Object.values(value)) members += countMembersOf(inner);
  return members;
}

interface Envelope {
  readonly data: JsonObject;
  readonly hash: string;
  readonly proofs: readonly Json[];
}

/** The three members of a body, which has no others: what is not signed says nothing. */
function readEnvelope(value: unknown, bounds: EventBounds): Envelope {
  if (!isObject(value) || !hasExactly(value, ['data', 'hash', 'meta'])) {
    throw new EventError('malformed', 'The body does not consist of data, hash and meta');
  }
  const { data, hash, meta } = value;
  if (!isObject(data)) throw new EventError('malformed', 'The data is not an object');
  if (typeof hash !== 'string' || !LOWER_HASH.test(hash)) throw new EventError('malformed', 'The hash is malformed');
  if (!isObject(meta) || !hasExactly(meta, ['proofs']) || !Array.isArray(meta.proofs)) {
    throw new EventError('malformed', 'The meta does not consist of proofs');
  }
  if (meta.proofs.length > bounds.proofs) throw new EventError('malformed', `There are over ${bounds.proofs} proofs`);
  return { data, hash, proofs: meta.proofs };
}

/** The handle and signal of data that has the members of its signal (interface/receiving-events#the-event). */
function readData(data: JsonObject): { readonly handle: string; readonly signal: string } {
  const { handle, signal } = data;
  if (typeof handle !== 'string' || !EVENT_HANDLE.test(handle))
    throw new EventError('malformed', 'The handle is malformed');
  const [, subject = '', verb = ''] = (typeof signal === 'string' && EVENT_SIGNAL.exec(signal)) || [];
  if (!hasMembersOf(subject, verb, data)) throw new EventError('malformed', 'The data is not that of its signal');
  return { handle, signal: signal as string };
}

function hasMembersOf(subject: string, verb: string, data: JsonObject): boolean {
  switch (verb) {
    case 'created':
      return isServedRecord(data[subject]);
    case 'updated':
      return isServedRecord(data[subject]) && (data.parent === undefined || isServedRecord(data.parent));
    case 'proofs-added':
      return typeof data[subject] === 'string' && isProofs(data.proofs);
    case 'dropped':
      return isServedRecord(data.parent);
    case 'received':
    case 'limited':
      return isObject(data.wallet);
    default:
      return false;
  }
}

/** Whether a value has the members of a record as ledgers serve it, with at least one proof. */
function isServedRecord(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { data, hash, luid, meta } = value;
  return (
    isObject(data) && typeof hash === 'string' && typeof luid === 'string' && isObject(meta) && isProofs(meta.proofs)
  );
}

/** Whether a value is a list of at least one proof. */
function isProofs(value: Json | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (proof) => isObject(proof) && isTextValue(proof.public) && isTextValue(proof.digest) && isTextValue(proof.result),
    )
  );
}

function isTextValue(value: Json | undefined): value is string {
  return typeof value === 'string';
}

/** Whether a proof says what the ledger says of an event, in the one spelling it uses. */
function isEventProof(proof: StoredProof): boolean {
  return (
    hasExactly(proof, ['custom', 'digest', 'method', 'origin', 'public', 'result', 'signer']) &&
    proof.origin === 'key-pair' &&
    proof.signer === 'system' &&
    LOWER_HASH.test(proof.digest) &&
    isObject(proof.custom) &&
    hasExactly(proof.custom, ['moment']) &&
    typeof proof.custom.moment === 'string' &&
    EVENT_MOMENT.test(proof.custom.moment)
  );
}

function hasExactly(object: object, names: readonly string[]): boolean {
  return Object.keys(object).length === names.length && names.every((name) => Object.hasOwn(object, name));
}

/** @throws EventError `malformed` for values that JSON excludes, which only a caller that parsed the body itself can give */
function hashOfData(data: JsonObject, suite: Suite): string {
  try {
    return hashOf(data, suite);
  } catch (cause) {
    throw new EventError('malformed', 'The data is not JSON', { cause });
  }
}
