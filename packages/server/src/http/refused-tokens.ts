import type { FastifyBaseLogger } from 'fastify';
import type { Fault } from '../auth/token.js';
import { limitRate } from '../base/rate-limit.js';
import { limits } from '../limits.js';

/** A refused token as the log tells of it: nothing of the token itself, nor of anything else that the client sent. */
export interface RefusedToken {
  readonly method: string;
  /** The pattern of the path. */
  readonly route: string | undefined;
  /** The handle of the ledger; absent outside all ledgers. */
  readonly ledger: string | undefined;
  readonly why: Fault;
}

/**
 * Tells in the log, at `info`, why a token was refused: the client is not told. Anyone can send bad tokens, so only so
 * many are told of in a minute; the first one after that says how many were not.
 *
 * @param now milliseconds
 */
export function refusedTokens(log: FastifyBaseLogger, now: () => number): (refused: RefusedToken) => void {
  const pass = limitRate(limits.refusals, now);
  return (refused) => {
    const passed = pass();
    if (!passed) return;
    log.info({ ...refused, ...(passed.refused > 0 ? { untold: passed.refused } : {}) }, 'a token was refused');
  };
}
