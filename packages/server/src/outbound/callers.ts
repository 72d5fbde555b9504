/** Of what no call leads to. */
const NO_LEDGER_ID = 0;

/** Which ledgers call which hosts. */
export type Callers = ReturnType<typeof createCallers>;

export function createCallers() {
  const calls = new Map<string, Map<number, number>>();
  return {
    /** Marks a call of a ledger to a host, until the returned function is called. */
    add(ledger: number, host: string): () => void {
      const ledgers = calls.get(host) ?? new Map<number, number>();
      calls.set(host, ledgers);
      countUp(ledgers, ledger, 1);
      return () => {
        countUp(ledgers, ledger, -1);
        if (ledgers.size === 0 && calls.get(host) === ledgers) calls.delete(host);
      };
    },
    /** Whether any ledger calls a host. */
    has: (host: string): boolean => calls.has(host),
    /** The ledgers that call a host; one that none has where no call leads to it. */
    of: (host: string): readonly number[] => [...(calls.get(host)?.keys() ?? [NO_LEDGER_ID])],
  };
}

/**
 * Charges work for a host to one of the ledgers that call it: to the one that has least of it under way. So who has much does not
 * hold up others that call the same host.
 */
export function chargeCallers(callers: Callers): <T>(host: string, work: (ledger: number) => Promise<T>) => Promise<T> {
  const underWay = new Map<number, number>();
  const of = (ledger: number) => underWay.get(ledger) ?? 0;
  return async (host, work) => {
    const ledger = callers.of(host).reduce((least, one) => (of(one) < of(least) ? one : least));
    countUp(underWay, ledger, 1);
    try {
      return await work(ledger);
    } finally {
      countUp(underWay, ledger, -1);
    }
  };
}

function countUp(counts: Map<number, number>, key: number, by: number): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
