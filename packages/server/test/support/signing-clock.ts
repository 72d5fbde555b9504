/** The clocks of servers that run on one of the test's. */
const clocks = new Set<() => number>();

/** The moment that a client signs: ahead of the clock of no server that runs. */
export function signingMoment(): string {
  return new Date(Math.min(Date.now(), ...[...clocks].map((now) => now()))).toISOString();
}

/** Has clients sign moments that are not ahead of a clock. @returns what ends that */
export function signBy(now: () => number): () => void {
  clocks.add(now);
  return () => clocks.delete(now);
}
