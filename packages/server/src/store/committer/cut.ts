import type { EarlierVersion } from './write.js';

/** What is cut of a version. */
type Whole = Pick<EarlierVersion, 'body' | 'shared'>;

/** A version as `change` keeps it. */
export type CutVersion<V extends Whole> = V & {
  /** Characters of the next version kept whole that its text begins with; `body` is what follows them. */
  readonly cut: number;
};

/**
 * Versions that are stored together with a later one, without what their texts begin with in common: the later one keeps
 * it for all (decision 0027). The view `version` puts them together again.
 *
 * @param whole the text of the later version
 */
export function cutVersions<V extends Whole>(whole: string, earlier: readonly V[] = []): CutVersion<V>[] {
  // PostgreSQL counts characters beyond the 65,536th as one, JavaScript as two.
  const hasPairs = earlier.length > 0 && PAIR.test(whole);
  return earlier.map((version) => {
    const shared = knownLength(whole, version) ?? sharedLength(whole, version.body);
    const cut = hasPairs ? [...whole.slice(0, shared)].length : shared;
    return { ...version, body: version.body.slice(shared), cut };
  });
}

const PAIR = /[\ud800-\udbff]/;

/** What the maker of the texts has told, if it is true: comparing once is much faster than finding it. */
function knownLength(whole: string, { body, shared }: Whole): number | undefined {
  if (shared === undefined || isSplitAt(whole, shared)) return undefined;
  return whole.startsWith(body.slice(0, shared)) ? shared : undefined;
}

/** How far two texts agree from their beginning, without ending in the middle of a character. */
function sharedLength(one: string, other: string): number {
  let agreed = 0;
  let end = Math.min(one.length, other.length) + 1;
  // Comparing slices is much faster than comparing characters.
  while (end - agreed > 1) {
    const middle = (agreed + end) >> 1;
    if (one.slice(agreed, middle) === other.slice(agreed, middle)) agreed = middle;
    else end = middle;
  }
  return isSplitAt(one, agreed) ? agreed - 1 : agreed;
}

/** Whether a cut there ends in the middle of a character. */
function isSplitAt(text: string, at: number): boolean {
  return at > 0 && PAIR.test(text.charAt(at - 1));
}
