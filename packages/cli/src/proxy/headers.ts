/** Headers that are about one connection, and not passed on (RFC 9110 §7.6.1). */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers that are passed on, as names and values in their order.
 *
 * @param raw names and values in turn, as they came
 * @param without further names to leave out, in lower case
 */
export function forwardHeaders(raw: readonly string[], without: readonly string[] = []): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] as string, raw[index + 1] as string]);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  const left = new Set([...HOP_BY_HOP_HEADERS, ...named, ...without]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase()));
}
