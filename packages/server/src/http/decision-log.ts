import type { FastifyRequest } from 'fastify';
import { describeDecision } from '../access/explain.js';
import type { Service } from '../ledgers/service.js';

/**
 * The service as one request uses it: at log level `debug` or `trace` it logs each decision on access with the id of
 * the request; else it is the service itself.
 */
export function withDecisionLog(service: Service, { log }: Pick<FastifyRequest, 'log'>): Service {
  if (log.level !== 'debug' && log.level !== 'trace') return service;
  return { ...service, explain: (explanation) => log.debug(explanation, describeDecision(explanation)) };
}
