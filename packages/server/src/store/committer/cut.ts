/** What is cut of a version. */
interface Whole {
  readonly body: string;
}

/** A version as `change` keeps it. */
export type CutVersion<V extends Whole> = V & {
  /** Characters of the next version kept whole that its text begins with; `body` is what follows them. */
  readonly cut: number;
};

/**
 * Versions that are stored together with a later one, without what their texts begin with in common: the later one keeps
 * it for all (decision 0026). The view `version` puts them together again.
 *
 * @param whole the text of the later version
 */
export function cutVersions<V extends Whole>(whole: string, earlier: readonly V[]): CutVersion<V>[] {
  return earlier.map((version) => {
    const shared = commonLength(whole, version.body);
    return { ...version, body: version.body.slice(shared), cut: countCharacters(whole.slice(0, shared)) };
  });
}

/** Whether PostgreSQL counts fewer characters of the text than JavaScript: one beyond the 65,536th once. */
function mayHavePairs(text: string): boolean {
  return PAIR.test(text);
}

/** The characters of a text as PostgreSQL counts them. */
export function countCharacters(text: string): number {
  if (!mayHavePairs(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) pairs += 1;
  }
  return text.length - pairs;
}

/** Whether it is the first half of a character beyond the 65,536th. */
function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/** Whether it is the second half of one. */
function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

const PAIR = /[\ud800-\udbff]/;

/** How far two texts agree from their beginning, without ending in the middle of a character. */
function commonLength(one: string, other: string): number {
  let agreed = 0;
  let end = Math.min(one.length, other.length) + 1;
  // Comparing slices is much faster than comparing characters.
  while (end - agreed > 1) {
    const middle = (agreed + end) >> 1;
    if (one.slice(agreed, middle) === other.slice(agreed, middle)) agreed = middle;
    else end = middle;
  }
  const isSplit = agreed > 0 && PAIR.test(one.charAt(agreed - 1));
  return isSplit ? agreed - 1 : agreed;
}
