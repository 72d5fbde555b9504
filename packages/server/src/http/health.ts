import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../store/readiness.js';

const PROBE = { config: { isProbe: true } } as const;

/**
 * Probes for operators, outside the tenants' paths (interface/ledgers#server-information): alive as long as the process
 * answers, ready as long as the database does. Anybody may ask, so they are answered from memory.
 *
 * @param countStopped how many logs are stopped, as after a failover that lost writes: told beside, since all else is served
 */
export function health(app: FastifyInstance, readiness: Readiness, countStopped: () => number): void {
  app.get('/health/live', PROBE, async () => ({ status: 'UP' }));
  for (const path of ['/health', '/health/ready']) {
    app.get(path, PROBE, async (_, reply) => {
      const stopped = countStopped();
      if (readiness.isReady()) return { status: 'UP', ...(stopped > 0 ? { logsStopped: stopped } : {}) };
      return reply.code(503).send({ status: 'DOWN' });
    });
  }
}
