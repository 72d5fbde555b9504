import type { FastifyRequest } from 'fastify';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Command } from '../records/command.js';
import { authenticate, type HttpRequest, parseBody } from './authenticate.js';

/** The parts of a request that its answer follows from. */
export type Received = Pick<
  FastifyRequest,
  'id' | 'method' | 'url' | 'headers' | 'params' | 'body' | 'ip' | 'raw' | 'log' | 'routeOptions'
>;

/** The prefix of all paths except probes and metrics (interface/README#requests). */
export const BASE = '/v2';

/**
 * The request as operations take it: its body parsed, its token verified. `params.id` defaults to the luid of the
 * ledger. The body of a GET is ignored.
 *
 * @param base the prefix of the path, which the URL of the service ends in
 * @throws `api.body-malformed`, then `auth.unauthorized` (interface/records#order-of-checks)
 */
export async function makeCommand(
  service: Service,
  ledger: Ledger | undefined,
  request: Received,
  base = BASE,
): Promise<Command> {
  const sent = toRequest(request, base);
  await service.task.turn();
  const body = sent.method === 'GET' ? undefined : parseBody(sent);
  const token = await authenticate(service, ledger, sent, body);
  const params = request.params as Record<string, string>;
  const mark = sent.url.indexOf('?');
  return {
    params: params.id === undefined && ledger ? { ...params, id: ledger.luid } : params,
    query: mark < 0 ? '' : sent.url.slice(mark + 1),
    body,
    token,
    request: sent,
  };
}

function toRequest({ method, url, headers, body }: Received, base: string): HttpRequest {
  // A proxy may send the whole URL where the path belongs (RFC 9112 §3.2.2).
  const below = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').slice(base.length);
  return { method, url: below, headers, ...(typeof body === 'string' ? { text: body } : {}) };
}
