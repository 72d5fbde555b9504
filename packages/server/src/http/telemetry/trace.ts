import type { FastifyInstance } from 'fastify';
import type { RequestSpan, Tracing } from '../../tracing/tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its span; absent unless it is traced. */
    span?: RequestSpan | undefined;
  }
}

/** Has requests traced (operations/tracing): by route, status and ledger, without names of records or anything that was sent. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  if (!tracing.isOn) return;
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const { url: route = 'none', config } = routeOptions;
    const span = config?.isProbe ? undefined : tracing.request(method, headers.traceparent);
    request.span = span;
    reply.raw.once('close', () => {
      const { ledger } = request.facts ?? {};
      span?.end(`${method} ${route}`, reply.statusCode, {
        'http.route': route,
        'countersign.request.id': request.id,
        ...(ledger === undefined ? {} : { 'countersign.ledger': ledger }),
        ...(reply.raw.writableFinished ? {} : { 'countersign.gone': true }),
      });
    });
    done();
  });
  // The body has been read: its events belong to the connection, and not to the request.
  app.addHook('preHandler', ({ span }, _, done) => (span ? span.run(done) : done()));
}
