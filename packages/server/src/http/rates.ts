import type { FastifyInstance } from 'fastify';
import { RetryLater } from '../base/retry-later.js';
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

/**
 * Refuses requests of a sender that sends too many, before anything of them is read (interface/limits#rates). The refusal is signed
 * where the ledger is at hand: looking for it would be work for the one who sends too much.
 */
export function limitRates(app: FastifyInstance, service: HttpService): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { isProbe, inLedger } = request.routeOptions.config;
    if (isProbe) return done();
    try {
      service.rates.admitRequest(senderOf(request.ip));
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error;
      const named = inLedger && (tenantOf(request) || service.defaultLedger);
      const ledger = named ? service.ledgers.find(named) : undefined;
      const isLong = lengthOf(request) > bodyLimits.small;
      const { retryAfter } = error;
      sendAnswer(isLong ? endAfter(request, reply) : reply, { ...errorAnswer(service, ledger, error), retryAfter });
      return;
    }
    done();
  });
}
