/** A span of time, and what falls into it. */
export interface Bucket {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The exact sum. */
  readonly value: bigint;
}

/** Spans that a picture has. */
const COUNT = 24;

/** Spans that are easy to read, in milliseconds: from a second to a year. */
const SPANS = [1, 5, 15, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 604_800, 2_592_000, 31_536_000].map(
  (seconds) => seconds * 1000,
);

/**
 * Puts values into spans of one length, from the first to the last.
 *
 * @param values each with its moment in milliseconds
 */
export function bucketsOf(values: readonly { readonly at: number; readonly value: bigint }[]): Bucket[] {
  const known = values.filter(({ at }) => Number.isFinite(at));
  if (known.length === 0) return [];
  const first = known.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = known.reduce((most, { at }) => Math.max(most, at), 0);
  const span = SPANS.find((one) => (last - first) / one < COUNT - 1) ?? (last - first) / (COUNT - 1);
  const start = Math.floor(first / span) * span;
  const sums = new Array<bigint>(COUNT).fill(0n);
  for (const { at, value } of known) {
    const place = Math.min(COUNT - 1, Math.floor((at - start) / span));
    sums[place] = (sums[place] ?? 0n) + value;
  }
  return sums.map((value, index) => ({ from: start + index * span, to: start + (index + 1) * span, value }));
}

/** How often each text occurs, the most frequent first. */
export function countsOf(texts: readonly string[]): (readonly [text: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
