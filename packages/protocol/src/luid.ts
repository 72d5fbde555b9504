/**
 * Digits of a luid, ascending in value and in ASCII, so that luids of one kind sort by age (interface/envelope#luids).
 */
const LUID_ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/** Unix seconds that luids count from (interface/envelope#luids). */
const LUID_EPOCH = 1_724_413_118;

const TIME_DIGITS = 6;
const RANDOM_DIGITS = 11;

/** Bytes of randomness that `luid` asks for. */
export const LUID_RANDOM = RANDOM_DIGITS;

/** Characters of every luid: `$`, three letters, a dot and the digits. */
export const LUID_LENGTH = 5 + TIME_DIGITS + RANDOM_DIGITS;

/** Source of a pattern for luids (interface/envelope#luids). */
export const LUID_PATTERN = '^\\$[a-z]{3}\\.[A-Za-z0-9_-]{17}$';

const LUID = new RegExp(LUID_PATTERN);

/**
 * A new luid (interface/envelope#luids). `prefix` is the kind's three letters after the `$`, `seconds` the Unix time (a
 * fraction is dropped), `random` at least `LUID_RANDOM` bytes of cryptographic randomness, of which six bits each are
 * used: 64 letters, all equally likely.
 *
 * @throws RangeError unless the prefix is three letters, the time fits into six digits, and randomness suffices
 */
export function luid(prefix: string, seconds: number, random: Uint8Array): string {
  if (!/^[a-z]{3}$/.test(prefix)) throw new RangeError(`'${prefix}' is not a luid prefix`);
  const elapsed = Math.floor(seconds) - LUID_EPOCH;
  if (!(elapsed >= 0 && elapsed < 64 ** TIME_DIGITS)) throw new RangeError(`A luid cannot tell the time ${seconds}`);
  if (random.length < RANDOM_DIGITS) throw new RangeError(`A luid takes ${RANDOM_DIGITS} bytes of randomness`);
  let time = '';
  for (let left = elapsed, at = 0; at < TIME_DIGITS; at++) {
    time = LUID_ALPHABET[left % 64]! + time;
    left = Math.floor(left / 64);
  }
  let id = time;
  for (let at = 0; at < RANDOM_DIGITS; at++) id += LUID_ALPHABET[random[at]! & 63]!;
  return `$${prefix}.${id}`;
}

/** Whether `text` has the form of a luid, of the kind with `prefix` (three letters) when one is given. */
export function isLuid(text: string, prefix?: string): boolean {
  return LUID.test(text) && (prefix === undefined || text.startsWith(`$${prefix}.`));
}

/** The part of a luid after the kind: an intent's `meta.thread` (interface/envelope#luids). */
export function luidId(luid: string): string {
  return luid.slice(luid.indexOf('.') + 1);
}
