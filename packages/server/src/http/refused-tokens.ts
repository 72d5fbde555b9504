import type { FastifyBaseLogger } from 'fastify';
import type { TokenFault } from '../auth/token.js';
import { limitRate } from '../base/rate-limit.js';
import { requestLimits } from './request-limits.js';

/** What the log says of a refused token: the token and all other free text from the client stay out. */
export interface TokenRefusal {
  readonly method: string;
  /** The pattern of the path. */
  readonly route: string | undefined;
  /** The handle of the ledger; absent outside all ledgers. */
  readonly ledger: string | undefined;
  readonly why: TokenFault;
}

/**
 * Logs, at `info`, why a token was refused; the client learns only that it was. Anyone can send bad tokens, so the log
 * is rate-limited, and the next line counts those left out (`untold`).
 *
 * @param now milliseconds
 */
export function makeRefusedTokenLog(log: FastifyBaseLogger, now: () => number): (refused: TokenRefusal) => void {
  const pass = limitRate(requestLimits.refusedTokens, now);
  return (refused) => {
    const passed = pass();
    if (!passed) return;
    log.info({ ...refused, ...(passed.refused > 0 ? { untold: passed.refused } : {}) }, 'a token was refused');
  };
}
