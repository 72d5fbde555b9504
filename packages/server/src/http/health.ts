import type { FastifyInstance } from 'fastify';
import type { HttpService } from './http-service.js';

const PROBE = { config: { isProbe: true } } as const;

/**
 * Probes for operators, outside the tenants' paths (interface/ledgers#server-information): alive as long as the process
 * answers, ready as long as the database does. Anybody may ask, so they are answered from memory.
 *
 * A server that an operator has made read-only is ready: it answers reads, and so do all others of the deployment.
 *
 * So is one whose cluster has lost a node: it answers for the ledgers of the others, and tells which is down. One that an operator drains
 * is not: balancers are to lead clients elsewhere.
 *
 * @param countStopped how many logs are stopped, as after a failover that lost writes: told beside, since all else is served
 */
export function health(
  app: FastifyInstance,
  { readiness, drain, readOnly, nodesDown }: Pick<HttpService, 'readiness' | 'drain' | 'readOnly' | 'nodesDown'>,
  countStopped: () => number,
): void {
  app.get('/health/live', PROBE, async () => ({ status: 'UP' }));
  for (const path of ['/health', '/health/ready']) {
    app.get(path, PROBE, async (_, reply) => {
      const stopped = countStopped();
      const mode = readOnly();
      const down = nodesDown();
      if (readiness.isReady() && !drain.isDraining)
        return {
          status: 'UP',
          ...(stopped > 0 ? { logsStopped: stopped } : {}),
          ...(mode && { readOnly: mode }),
          ...(down.length > 0 && { nodesDown: down }),
        };
      return reply.code(503).send({ status: readiness.isReady() ? 'DRAINING' : 'DOWN' });
    });
  }
}
