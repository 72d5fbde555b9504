import { BodyTooLarge, LedgerError } from '@countersign/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { requestInvalid } from '../kinds/refusal.js';
import { NO_JSON } from '../schemas/request.js';
import { bodyLimits } from './bodies/body-limits.js';
import { answerRequest, makeErrorReport, sendAnswer } from './boundary.js';
import type { HttpService } from './http-service.js';
import { journalAnswer } from './journal.js';
import { resolveLedger, tenantOf } from './tenant.js';

/** Answers an unknown route; signed where the request names a known ledger (interface/errors#reasons). */
export async function answerNotFound(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return refuseWith(service, request, reply, new LedgerError('api.route-not-found', 'Route not found'), 'route');
}

/** Answers errors of the framework in the interface's terms, and all other errors as the server's own. */
export async function answerFrameworkError(
  service: HttpService,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuseWith(service, request, reply, new BodyTooLarge(bodyLimits.bytes));
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refuseWith(service, request, reply, requestInvalid(NO_BODY));
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // Raised for methods unknown to every route.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return answerNotFound(service, request, reply);
    case 'FST_ERR_BAD_URL': {
      const malformed = new LedgerError('api.query-malformed', 'Malformed percent-encoding in the path');
      return refuseWith(service, request, reply, malformed, 'route');
    }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return refuseWith(service, request, reply, new LedgerError('api.body-malformed', error.message));
  }
  return refuseWith(service, request, reply, error);
}

/** The schema error of a body whose content type is missing or another than JSON (interface/records#request-bodies). */
const NO_BODY = {
  instancePath: '',
  keyword: 'type',
  params: { type: 'object' },
  message: NO_JSON.message ?? '',
};

/**
 * @param about an error of the route takes precedence over an unknown ledger, any other yields to it
 *   (interface/records#order-of-checks)
 */
async function refuseWith(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  error: Error,
  about: 'route' | 'request' = 'request',
): Promise<FastifyReply> {
  const named = tenantOf(request);
  const answer = await answerRequest(
    service,
    async () => {
      if (named === undefined) return undefined;
      return resolveLedger(service, named).catch((unknown) => {
        throw about === 'route' && unknown instanceof LedgerError ? error : unknown;
      });
    },
    async () => {
      throw error;
    },
    makeErrorReport(service, request),
    request.facts,
  );
  sendAnswer(reply, answer);
  journalAnswer(service, request, reply, answer);
  return reply;
}
