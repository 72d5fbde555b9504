/** `count` in a window of `window` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly window: number;
}

/**
 * A rate limit over fixed windows.
 *
 * @param now milliseconds
 * @returns called before each: undefined when it exceeds the limit, else how many were refused since the last one
 *   passed
 */
export function limitRate({ count, window }: Rate, now: () => number): () => { readonly refused: number } | undefined {
  let began = Number.NEGATIVE_INFINITY;
  let passed = 0;
  let refused = 0;
  return () => {
    if (now() - began >= window) {
      began = now();
      passed = 0;
    }
    if (passed >= count) {
      refused += 1;
      return undefined;
    }
    passed += 1;
    const before = refused;
    refused = 0;
    return { refused: before };
  };
}
