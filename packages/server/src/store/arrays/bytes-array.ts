/** The number PostgreSQL gives the type `bytea`. */
const BYTEA_OID = 17;

/**
 * A `bytea[]` in the binary form of PostgreSQL's protocol, which the driver passes on unchanged: in text form, each byte is two
 * digits (text-array.ts).
 */
export function bytesArray(values: readonly (Uint8Array | null)[]): Buffer {
  // Dimensions, whether there are nulls, the type; for the one dimension its length and its first index.
  const head =
    values.length === 0 ? [0, 0, BYTEA_OID] : [1, values.includes(null) ? 1 : 0, BYTEA_OID, values.length, 1];
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 4 * head.length));
  let at = 0;
  for (const number of head) at = bytes.writeInt32BE(number, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? -1, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}
