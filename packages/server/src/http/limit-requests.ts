import type { FastifyReply, FastifyRequest } from 'fastify';
import { LruCache } from '../base/lru-cache.js';
import { RetryLater } from '../base/retry-later.js';
import type { Ledger } from '../ledgers/ledger.js';
import { rateLimits } from '../metering/rate-limits.js';
import type { Answer } from '../records/command.js';
import { bodyLimits } from './bodies/body-limits.js';
import { endAfter, lengthOf } from './bodies/bounds.js';
import { errorAnswer, sendAnswer } from './boundary.js';
import type { HttpService } from './http-service.js';
import { senderOf } from './sender.js';
import { tenantOf } from './tenant.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it is a probe of an operator, which no limit refuses. */
    isProbe?: true;
  }
}

/** A refusal that is sent again for as long as what it says of the time is right. */
interface KeptRefusal {
  readonly answer: Answer;
  readonly since: number;
}

/**
 * Answers requests of a sender that sends too many, before anything of them is read (interface/limits#rates). The refusal is signed
 * where the ledger is at hand, and kept for a second: looking for a ledger, or signing each, would be work for the one who sends too
 * much.
 *
 * @returns tells whether the request may go on; it is answered otherwise
 */
export function createRequestGate(service: HttpService): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const kept = new LruCache<string, KeptRefusal>(rateLimits.refusals);

  const refusalOf = (ledger: Ledger | undefined, error: RetryLater): Answer => {
    const key = `${ledger?.luid} ${error.retryAfter}`;
    const before = kept.get(key);
    const now = performance.now();
    if (before && now - before.since < rateLimits.kept) return before.answer;
    const answer = { ...errorAnswer(service, ledger, error), retryAfter: error.retryAfter };
    kept.set(key, { answer, since: now });
    return answer;
  };

  return (request, reply) => {
    const { isProbe, inLedger } = request.routeOptions.config ?? {};
    if (isProbe) return true;
    try {
      service.rates.admitRequest(senderOf(request.ip));
      return true;
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error;
      const named = inLedger && (tenantOf(request) || service.defaultLedger);
      const ledger = named ? service.ledgers.find(named) : undefined;
      if (request.facts) Object.assign(request.facts, { reason: error.reason, ledger: ledger?.handle });
      const answer = refusalOf(ledger, error);
      sendAnswer(lengthOf(request) > bodyLimits.small ? endAfter(request, reply) : reply, answer);
      return false;
    }
  };
}
