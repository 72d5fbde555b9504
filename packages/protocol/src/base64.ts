const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PAD = 0x3d;

/** The value of each ASCII character; 64 marks those outside the alphabet. */
const SEXTETS = new Uint8Array(128).fill(64);
for (let value = 0; value < 64; value++) SEXTETS[BASE64_ALPHABET.charCodeAt(value)] = value;

/** Base64 of `bytes`: standard alphabet, padded (interface/envelope#hash-and-digest). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += BASE64_ALPHABET[group >> 18]! + BASE64_ALPHABET[(group >> 12) & 63]!;
    text += left > 1 ? BASE64_ALPHABET[(group >> 6) & 63]! : '=';
    text += left > 2 ? BASE64_ALPHABET[group & 63]! : '=';
  }
  return text;
}

/**
 * The bytes that `text` encodes; undefined unless `text` is exactly what `encodeBase64` writes for them: padded, free
 * of white space and stray bits. Keys are compared as text, so each must have one form only.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const { length } = text;
  if (length % 4 !== 0) return undefined;
  let padding = 0;
  if (length > 0 && text.charCodeAt(length - 1) === PAD) padding = text.charCodeAt(length - 2) === PAD ? 2 : 1;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  const digits = length - padding;
  let held = 0;
  let bits = 0;
  let to = 0;
  for (let at = 0; at < digits; at++) {
    const value = SEXTETS[text.charCodeAt(at)] ?? 64;
    if (value === 64) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[to++] = held >> bits;
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}
