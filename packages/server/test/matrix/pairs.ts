/**
 * Some of `cases`, such that each two values of different columns that stand together in a case stand together in one of these:
 * a fault that two values make together is met, in far fewer cases than all.
 */
export function pairwise<T>(cases: readonly T[], columns: (one: T) => readonly string[]): T[] {
  const numbers = new Map<string, number>();
  const pairsOf = cases.map((one) => {
    const values = columns(one);
    const pairs = values.flatMap((a, i) => values.slice(i + 1).map((b, j) => `${i} ${a}\n${i + 1 + j} ${b}`));
    return pairs.map((pair) => {
      if (!numbers.has(pair)) numbers.set(pair, numbers.size);
      return numbers.get(pair)!;
    });
  });
  const left = new Set(numbers.values());
  const chosen = new Set<number>();
  while (left.size > 0) {
    let [best, most] = [0, 0];
    for (const [index, pairs] of pairsOf.entries()) {
      let gain = 0;
      for (const pair of pairs) if (left.has(pair)) gain++;
      if (gain > most) [best, most] = [index, gain];
    }
    chosen.add(best);
    for (const pair of pairsOf[best]!) left.delete(pair);
  }
  return cases.filter((_, index) => chosen.has(index));
}
