/** Writes are refused for a while, for a reason that was logged once: the request is answered 503. */
export class WritesRefused extends Error {}

/** Whoever may refuse writes. */
export interface WriteGuard {
  /** What every write is refused with now; undefined while writes are taken. */
  readonly refusal: WritesRefused | undefined;
}

/** What every write passes. */
export type WriteGate = ReturnType<typeof createWriteGate>;

/** One that refuses what any of these does. */
export function createWriteGate(...guards: readonly WriteGuard[]) {
  let underWay = 0;
  const assert = () => {
    for (const { refusal } of guards) if (refusal) throw refusal;
  };
  return {
    /** Whether writes are taken now. */
    isOpen: () => !guards.some(({ refusal }) => refusal),
    /** @throws WritesRefused */
    assert,
    /** How many writes are being done. */
    get underWay() {
      return underWay;
    },
    /** Does a write. @throws WritesRefused */
    async pass<T>(write: () => Promise<T>): Promise<T> {
      assert();
      underWay += 1;
      try {
        return await write();
      } finally {
        underWay -= 1;
      }
    },
  };
}
