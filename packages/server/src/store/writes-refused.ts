/** Writes are refused for a while, for a reason that was logged once: the request is answered 503. */
export class WritesRefused extends Error {}

/** Whoever may refuse writes. */
export interface WriteGuard {
  /** @throws WritesRefused */
  assert(): void;
}

/** One that refuses what any of them does. */
export function askAll(...guards: WriteGuard[]): WriteGuard {
  return {
    assert() {
      for (const guard of guards) guard.assert();
    },
  };
}
