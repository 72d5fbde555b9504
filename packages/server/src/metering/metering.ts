import { type RefusingLimit, tellRefusals } from './refusals.js';
import { Scheduler } from './scheduler.js';
import { type TenantRateLimits, TenantRates } from './tenant-rates.js';

interface MeteringOptions {
  /** What senders and ledgers may do in a time. */
  readonly rates: TenantRateLimits;
  readonly logger: Parameters<typeof tellRefusals>[0];
  /** Told of each refusal. */
  readonly refused: (limit: RefusingLimit) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What one process shares out between ledgers and senders: its turns, and what they may do in a time. */
export function createMetering({ rates, logger, refused, now }: MeteringOptions) {
  const limitRefused = tellRefusals(logger, refused, now);
  return {
    scheduler: new Scheduler(),
    rates: new TenantRates(rates, limitRefused),
    /** Called with each request and connection that a limit refuses. */
    limitRefused,
  };
}
