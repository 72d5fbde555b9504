import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64 } from './base64.js';
import { EVENT_BOUNDS, EVENT_HANDLE_PATTERN, parseSystemKey } from './event.js';
import { portable, type Suite } from './suite.js';

/** The headers of the Standard Webhooks specification (interface/receiving-events#webhook-signature). */
export interface WebhookHeaders {
  /** The handle of the event. */
  readonly 'webhook-id': string;
  /** Unix time of the attempt in seconds. */
  readonly 'webhook-timestamp': string;
  /** `v1a,` and base64 of the Ed25519 signature. */
  readonly 'webhook-signature': string;
}

/** What `signWebhook` signs, and with which key. */
export interface WebhookInput {
  /** The handle of the event. */
  readonly id: string;
  /** Unix time of the attempt in whole seconds. */
  readonly timestamp: number;
  /** The body as it is sent. */
  readonly body: string;
  /** The 32-byte seed of the ledger's key. */
  readonly secret: Uint8Array;
}

/** A delivery whose headers were verified. */
export interface WebhookAttempt {
  /** The handle of the event. */
  readonly id: string;
  /** Unix time of the attempt in seconds. */
  readonly timestamp: number;
}

/**
 * Why a delivery is refused: `malformed`, headers are missing or have another form; `time`, it was signed too long ago
 * or ahead of time; `signature`, none in it is by the key over this id, time and body.
 */
export type WebhookFault = 'malformed' | 'time' | 'signature';

/** A delivery whose headers do not verify. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}

/** Headers of a request: those of `fetch`, or an object with names in lower case, as Node.js has them. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** When a delivery is received, and how far its time may be off. */
export interface WebhookOptions {
  /** Unix time now in milliseconds, as `Date.now()` gives it. */
  readonly now: number;
  /** Seconds; 300 unless given. */
  readonly tolerance?: number;
  readonly suite?: Suite;
}

const WEBHOOK_ID = new RegExp(EVENT_HANDLE_PATTERN);
const WEBHOOK_SECONDS = /^[1-9]\d{9}$/;
const WEBHOOK_TOLERANCE = 300;
/** Two keys may sign while one replaces the other; each signature costs a pass over the body. */
const SIGNATURES = 4;

/**
 * The headers of one attempt (interface/receiving-events#webhook-signature).
 *
 * The key signs three kinds of message, and none of them can be taken for another:
 *
 * - A proof is over the 32 bytes of a digest. The text here has 33 bytes or more: 21 of the id, 10 of the time, two dots.
 * - A token (RFC 7515 §5.1) is over `<base64url>.<base64url>`, which has one dot. The text here has at least two. Its
 *   part before the first begins with `evt_`, which decodes to the byte 0x7a, and so to no JSON object.
 *
 * All of that holds because the id and the time have these forms, so any other is refused here and by `verifyWebhook`.
 *
 * @throws TypeError unless `id` is the handle of an event and `timestamp` a time between 2001 and 2286 in whole seconds
 */
export function signWebhook(input: WebhookInput, suite: Suite = portable): WebhookHeaders {
  const timestamp = String(input.timestamp);
  if (!WEBHOOK_ID.test(input.id)) throw new TypeError('The id of a webhook is the handle of its event');
  if (!WEBHOOK_SECONDS.test(timestamp)) throw new TypeError('The timestamp of a webhook is in whole seconds');
  const signature = suite.sign(bytesToSign(input.id, timestamp, input.body), input.secret);
  return {
    'webhook-id': input.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1a,${encodeBase64(signature)}`,
  };
}

/**
 * Verifies the headers of a delivery (interface/receiving-events#webhook-signature). Each attempt is signed anew, so what
 * was overheard is refused once it is older than the tolerance; `verifyEvent` and the handle deal with the rest.
 *
 * @param body the bytes, or the text, as received
 * @param systemKey base64 of the ledger's public key, of `GET /signers/system`
 * @throws WebhookError unless the key has signed this id, time and body, within the tolerance of now; TypeError when
 *   `systemKey` is no key
 */
export function verifyWebhook(
  headers: HeaderSource,
  body: string | Uint8Array,
  systemKey: string,
  { now, tolerance = WEBHOOK_TOLERANCE, suite = portable }: WebhookOptions,
): WebhookAttempt {
  const key = parseSystemKey(systemKey);
  const id = readHeader(headers, 'webhook-id');
  const seconds = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ', SIGNATURES + 1);
  if (!WEBHOOK_ID.test(id)) throw new WebhookError('malformed', 'webhook-id is not the handle of an event');
  if (!WEBHOOK_SECONDS.test(seconds)) throw new WebhookError('malformed', 'webhook-timestamp is not in seconds');
  if (signatures.length > SIGNATURES) throw new WebhookError('malformed', `There are over ${SIGNATURES} signatures`);
  if (body.length > EVENT_BOUNDS.size) throw new WebhookError('malformed', 'The body is larger than any event');
  const timestamp = Number(seconds);
  // Written so that a time that is not a number fails.
  if (!(Math.abs(now - timestamp * 1000) <= tolerance * 1000)) {
    throw new WebhookError('time', `webhook-timestamp is more than ${tolerance} seconds off`);
  }
  const message = bytesToSign(id, seconds, body);
  const candidates = signatures.flatMap((text) => signatureOf(text) ?? []);
  if (!candidates.some((signature) => suite.verify(signature, message, key))) {
    throw new WebhookError('signature', "No v1a signature is by the ledger's key over this delivery");
  }
  return { id, timestamp };
}

/** What is signed: `<id>.<timestamp>.<body>`. */
function bytesToSign(id: string, timestamp: string, body: string | Uint8Array): Uint8Array {
  return concatBytes(utf8ToBytes(`${id}.${timestamp}.`), typeof body === 'string' ? utf8ToBytes(body) : body);
}

/** The bytes of a signature of version `v1a`; those of other versions are another key's affair. */
function signatureOf(text: string): Uint8Array | undefined {
  const encoded = text.startsWith('v1a,') ? text.slice(4) : '';
  const bytes = encoded.length === 88 ? decodeBase64(encoded) : undefined;
  return bytes?.length === 64 ? bytes : undefined;
}

function readHeader(headers: HeaderSource, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
  if (typeof value !== 'string') throw new WebhookError('malformed', `There is not exactly one header ${name}`);
  return value;
}
