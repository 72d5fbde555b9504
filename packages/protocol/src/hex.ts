const HEX_DIGITS = '0123456789abcdef';

/** Lower-case hex of `bytes`. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX_DIGITS[byte >> 4]! + HEX_DIGITS[byte & 15]!;
  return text;
}

/** The bytes that `text` encodes in hex of either case; undefined unless it is hex of whole bytes. */
export function decodeHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const high = digit(text.charCodeAt(2 * at));
    const low = digit(text.charCodeAt(2 * at + 1));
    if (high === undefined || low === undefined) return undefined;
    bytes[at] = (high << 4) | low;
  }
  return bytes;
}

function digit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined;
}
