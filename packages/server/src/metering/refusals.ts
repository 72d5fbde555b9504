import { limitRate } from '../base/rate-limit.js';
import { rateLimits } from './rate-limits.js';

/** The limits that refuse requests, or close connections: as the metric and the log name them. */
export const REFUSING_LIMITS = ['requests', 'ledgers', 'writes', 'connections', 'process-connections'] as const;

export type RefusingLimit = (typeof REFUSING_LIMITS)[number];

/**
 * Called with each refusal.
 *
 * @param of the sender, or the handle of the ledger; absent where none in particular is the cause
 */
export type TellRefusal = (limit: RefusingLimit, of?: string) => void;

interface Log {
  warn(about: object, text: string): void;
}

/**
 * Counts what limits refuse, and logs who it is: of each limit one line within a window, which counts those left out (`untold`).
 *
 * @param now milliseconds
 */
export function tellRefusals(log: Log, count: (limit: RefusingLimit) => void, now: () => number): TellRefusal {
  const passes = new Map(REFUSING_LIMITS.map((limit) => [limit, limitRate(rateLimits.lines, now)]));
  return (limit, of) => {
    count(limit);
    const passed = passes.get(limit)?.();
    if (!passed) return;
    const named = of === undefined ? {} : { [limit === 'writes' ? 'ledger' : 'sender']: of };
    const untold = passed.refused > 0 ? { untold: passed.refused } : {};
    log.warn({ limit, ...named, ...untold }, 'a limit refuses requests or connections');
  };
}
