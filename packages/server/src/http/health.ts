import type { FastifyInstance } from 'fastify';
import type { Service } from '../ledgers/service.js';

/**
 * Probes for operators, outside the tenants' paths (interface/ledgers#server-information): alive as long as the process
 * answers, ready as long as the database does.
 */
export function health(app: FastifyInstance, service: Service): void {
  app.get('/health/live', async () => ({ status: 'UP' }));
  app.get('/health/ready', async (request, reply) => {
    try {
      await service.store.ping();
      return { status: 'UP' };
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'DOWN' });
    }
  });
}
