import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Metrics } from '../metrics.js';
import type { HttpService } from './http-service.js';
import { measureLedgers } from './telemetry/ledger-metrics.js';

/** Counts every answer, and those of the ledgers that have metrics of their own. */
export function countAnswers(
  app: FastifyInstance,
  metrics: Metrics,
  { measuredLedgers = [], store }: HttpService,
): void {
  const forLedger = measureLedgers(metrics.registry, measuredLedgers, store.ledgers.storedBytes);
  // What follows an answer, such as the rest of a body that is refused, is no part of its time.
  const answered = new WeakMap<FastifyReply, number>();
  app.addHook('onSend', (_, reply, payload, done) => {
    answered.set(reply, reply.elapsedTime);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, facts } = request;
    const { statusCode: status } = reply;
    const seconds = (answered.get(reply) ?? reply.elapsedTime) / 1000;
    metrics.answered({ method, route: routeOptions.url ?? 'none', status, seconds });
    forLedger(facts?.ledger, status, seconds);
    done();
  });
}
