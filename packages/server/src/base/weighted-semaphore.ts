import { LedgerError } from '@countersign/protocol';
import { Overloaded } from './gather.js';

export interface SemaphoreBounds {
  /** Greatest number of bytes under way: of the process, and of one ledger. */
  readonly process: number;
  readonly ledger: number;
  /** Greatest number of waiting callers of one ledger; those that waited too long do not count. */
  readonly waiting: number;
  /** Milliseconds that a caller waits at most. */
  readonly patience: number;
  /** The detail for who waited too long; that of answers unless given. */
  readonly late?: string;
}

/**
 * A weighted semaphore that is fair to ledgers: `work` runs when so many bytes are free, and releases them when it
 * ends. Work that is larger than the bytes of a ledger takes all of them.
 *
 * @throws Overloaded when the ledger's queue is full; `api.request-timeout` when it waited too long; what `work` throws
 */
export type WeightedSemaphore = <T>(ledger: unknown, bytes: number, work: () => Promise<T>) => Promise<T>;

interface SemaphoreWaiter {
  readonly bytes: number;
  readonly since: number;
  enter(): void;
  reject(error: unknown): void;
}

interface SemaphoreShare {
  taken: number;
  readonly waiting: SemaphoreWaiter[];
}

const ANSWERS_LATE = 'Other large answers took too long. Ask for smaller pages.';

/**
 * Ledgers take turns. A large answer that waits holds back the small ones behind it, so that it is served in the end.
 */
export function createWeightedSemaphore(
  bounds: SemaphoreBounds,
  now: () => number = () => performance.now(),
): WeightedSemaphore {
  // In the order of their turns; a ledger that neither holds bytes nor waits is deleted.
  const shares = new Map<unknown, SemaphoreShare>();
  let taken = 0;

  /** The first waiter in turn that fits its ledger's bytes. While the process lacks room for it, all behind it wait. */
  const first = (): [unknown, SemaphoreShare, SemaphoreWaiter] | undefined => {
    for (const [ledger, share] of shares) {
      const one = share.waiting[0];
      if (one && share.taken + one.bytes <= bounds.ledger) return [ledger, share, one];
    }
    return undefined;
  };

  /** Refuses those that waited too long: they came first. */
  const refuseLate = (share: SemaphoreShare) => {
    const late = share.waiting.findIndex(({ since }) => now() - since <= bounds.patience);
    for (const { reject } of share.waiting.splice(0, late < 0 ? share.waiting.length : late)) {
      reject(new LedgerError('api.request-timeout', bounds.late ?? ANSWERS_LATE));
    }
  };

  const next = () => {
    for (let turn = first(); turn; turn = first()) {
      const [ledger, share, one] = turn;
      refuseLate(share);
      if (share.waiting[0] !== one) {
        forget(ledger, share);
        continue;
      }
      if (taken + one.bytes > bounds.process) return;
      share.waiting.shift();
      shares.delete(ledger);
      shares.set(ledger, share);
      share.taken += one.bytes;
      taken += one.bytes;
      one.enter();
    }
  };

  const forget = (ledger: unknown, share: SemaphoreShare) => {
    if (share.taken === 0 && share.waiting.length === 0) shares.delete(ledger);
  };

  const leave = (ledger: unknown, share: SemaphoreShare, bytes: number) => {
    share.taken -= bytes;
    taken -= bytes;
    forget(ledger, share);
    next();
  };

  return async (ledger, wanted, work) => {
    const share = shares.get(ledger) ?? { taken: 0, waiting: [] };
    if (share.waiting.length >= bounds.waiting) refuseLate(share);
    if (share.waiting.length >= bounds.waiting) throw new Overloaded();
    shares.set(ledger, share);
    const bytes = Math.min(wanted, bounds.ledger);
    await new Promise<void>((enter, reject) => {
      share.waiting.push({ bytes, since: now(), enter, reject });
      next();
    });
    try {
      return await work();
    } finally {
      leave(ledger, share, bytes);
    }
  };
}
