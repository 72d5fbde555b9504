/** The clocks of servers that run on one of the test's. */
const clocks = new Set<() => number>();

/** The last moment that was given, and how often. */
const last = { now: 0, times: 0 };

/** The moment that a client signs: ahead of the clock of no server that runs, and another each time that one stands still. */
export function signingMoment(): string {
  const now = Math.min(Date.now(), ...[...clocks].map((now) => now()));
  last.times = now === last.now ? last.times + 1 : 0;
  last.now = now;
  return new Date(now - last.times).toISOString();
}

/** Has clients sign moments that are not ahead of a clock. @returns what ends that */
export function signBy(now: () => number): () => void {
  clocks.add(now);
  return () => clocks.delete(now);
}
