import { decodeBase64 } from '../base64.js';
import { LogError } from './fault.js';
import { HASH_BYTES } from './hashing.js';

/** Of WebCrypto's platforms and Node.js alike; the language's own library has neither. */
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
};

/** One for all texts: an export has two of them on each line. */
const encoder = new TextEncoder();

/** Characters of a text that fits into the reused bytes: each takes three bytes at most. */
const FITTING_CHARACTERS = 16_384;
const reused = new Uint8Array(3 * FITTING_CHARACTERS);

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;
/** ASCII control characters other than newline, which signed-note forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f]/;

/** The UTF-8 bytes of `text`. @throws TypeError for a lone surrogate, which has no UTF-8 */
export function utf8(text: string): Uint8Array {
  refuseLone(text);
  return encoder.encode(text);
}

/**
 * What `read` makes of the UTF-8 bytes of `text`, which it may not keep: a short text is written where the one before was.
 *
 * @throws TypeError for a lone surrogate, which has no UTF-8
 */
export function withUtf8<T>(text: string, read: (bytes: Uint8Array) => T): T {
  if (text.length > FITTING_CHARACTERS) return read(utf8(text));
  refuseLone(text);
  return read(reused.subarray(0, encoder.encodeInto(text, reused).written));
}

function refuseLone(text: string): void {
  if (!(text as unknown as { isWellFormed(): boolean }).isWellFormed()) throw new TypeError('text is not Unicode');
}

/**
 * The text of `input`, which is to be UTF-8 of at most `limit` bytes; `what` names it for people.
 *
 * @throws LogError `too-long`; `malformed` unless it is Unicode
 */
export function boundedText(input: string | Uint8Array, limit: number, what: string): string {
  if (input.length > limit) throw new LogError('too-long', `${what} has more than ${limit} bytes`);
  try {
    if (typeof input !== 'string') {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
    }
    if (utf8(input).length <= limit) return input;
  } catch {
    throw new LogError('malformed', `${what} is not UTF-8`);
  }
  throw new LogError('too-long', `${what} has more than ${limit} bytes`);
}

/** @throws LogError `malformed` when `text` has a control character that signed-note forbids */
export function refuseControls(text: string, what: string): void {
  if (CONTROL_CHARACTERS.test(text)) throw new LogError('malformed', `${what} has a control character`);
}

/**
 * The number that `text` says in decimal without leading zeros, at most 2^53 - 1.
 *
 * @throws LogError `malformed`
 */
export function parseDecimal(text: string, what: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new LogError('malformed', `${what} is not a number from 0 to 2^53 - 1`);
  return value;
}

/** The bytes that `text` has in strict, padded base64. @throws LogError `malformed` */
export function parseBase64(text: string, what: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new LogError('malformed', `${what} is not base64`);
  return bytes;
}

/** The 32 bytes of a hash in base64. @throws LogError `malformed` */
export function parseHash(text: string, what: string): Uint8Array {
  const bytes = parseBase64(text, what);
  if (bytes.length !== HASH_BYTES) throw new LogError('malformed', `${what} does not have ${HASH_BYTES} bytes`);
  return bytes;
}

/** `value` as it is. @throws RangeError unless it is a whole number from `least` to 2^53 - 1 */
export function whole(value: number, what: string, least = 0): number {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`${what} is not a whole number from ${least} on`);
  return value;
}
