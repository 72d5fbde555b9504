/** Writes are refused for a while, for a reason that was logged once: the request is answered 503. */
export class WritesRefused extends Error {}

/** Whoever may refuse writes. */
export interface WriteGuard {
  /** @throws WritesRefused */
  assert(): void;
}

/** What every write passes. */
export interface WriteGate extends WriteGuard {
  /** Does a write. @throws WritesRefused */
  pass<T>(write: () => Promise<T>): Promise<T>;
  /** How many writes are being done. */
  readonly underWay: number;
}

/** One that refuses what any of these does. */
export function createWriteGate(...guards: WriteGuard[]): WriteGate {
  let underWay = 0;
  const assert = () => {
    for (const guard of guards) guard.assert();
  };
  return {
    assert,
    get underWay() {
      return underWay;
    },
    async pass(write) {
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
