import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.js';

/**
 * Counts every answer, and serves the counts.
 *
 * @param collect the metrics of all processes of the deployment, in the text format of Prometheus
 */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, collect: () => Promise<string>): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
  app.get('/metrics', async (_, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await collect()),
  );
}
