import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../store/readiness.js';

const PROBE = { config: { isProbe: true } } as const;

/**
 * Probes for operators, outside the tenants' paths (interface/ledgers#server-information): alive as long as the process
 * answers, ready as long as the database does. Anybody may ask, so they are answered from memory.
 */
export function health(app: FastifyInstance, readiness: Readiness): void {
  app.get('/health/live', PROBE, async () => ({ status: 'UP' }));
  for (const path of ['/health', '/health/ready']) {
    app.get(path, PROBE, async (_, reply) => {
      if (readiness.isReady()) return { status: 'UP' };
      return reply.code(503).send({ status: 'DOWN' });
    });
  }
}
