import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Metrics } from '../metrics.js';

/** Counts every answer. */
export function countAnswers(app: FastifyInstance, metrics: Metrics): void {
  // What follows an answer, such as the rest of a body that is refused, is no part of its time.
  const answered = new WeakMap<FastifyReply, number>();
  app.addHook('onSend', (_, reply, payload, done) => {
    answered.set(reply, reply.elapsedTime);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: (answered.get(reply) ?? reply.elapsedTime) / 1000,
    });
    done();
  });
}
