import { LedgerError } from '@countersign/protocol';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { candidateFor, findClient, knowsSecret } from '../auth/client.js';
import { type ClaimedCredentials, clientCredentials } from '../auth/client-credentials.js';
import { FailureCounts } from '../auth/failures.js';
import { mint } from '../auth/mint.js';
import { native } from '../auth/native-suite.js';
import { Overloaded } from '../base/gather.js';
import type { Ledger } from '../ledgers/ledger.js';
import { openSession, type Session } from '../ledgers/session.js';
import { LedgerSuspended } from '../ledgers/suspension.js';
import { failedAttemptLimits } from '../store/queries/failed-attempts.js';
import { isUnavailable } from '../store/unavailable.js';
import { answerInTime } from './boundary.js';
import type { HttpService } from './http-service.js';
import { requestLimits } from './request-limits.js';
import { senderOf } from './sender.js';
import { resolveLedger } from './tenant.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** An answer of the token endpoint: plain, unsigned JSON (interface/tokens#token-endpoint). */
interface TokenAnswer {
  readonly status: number;
  readonly body: object;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
}

/**
 * `POST /oauth/token` below `base` (interface/tokens#token-endpoint; RFC 6749 §4.4): a client's credentials for an access
 * token.
 */
export function tokenRoute(app: FastifyInstance, service: HttpService, base: string): void {
  const failures = new FailureCounts(service.runtime.now, failedAttemptLimits);
  // A Fastify scope of its own, because its bodies are forms.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const parser = { parseAs: 'buffer', bodyLimit: requestLimits.form } as const;
    scope.addContentTypeParser(FORM_TYPE, parser, (_, body, done) => done(null, body.toString()));
    scope.addContentTypeParser('*', parser, (_, __, done) => done(null, undefined));
    scope.setErrorHandler((error: FastifyError, request, reply) =>
      sendTokenAnswer(reply, toFrameworkError(error, request)),
    );
    scope.post(`${base}/oauth/token`, async (request, reply) => {
      const answer = answerInTime(service.requestTimeout, answerTo(service, failures, request));
      return sendTokenAnswer(reply, await answer.catch((error: unknown) => serverError(error, request)));
    });
  });
}

/** Resolves the ledger, then checks in the order of interface/tokens#token-endpoint. */
async function answerTo(service: HttpService, failures: FailureCounts, request: FastifyRequest): Promise<TokenAnswer> {
  const ledger = await resolveTokenLedger(service, request);
  if ('status' in ledger) return ledger;
  if (request.facts) request.facts.ledger = ledger.handle;
  const task = service.scheduler.task(ledger.id, () => request.raw.socket.destroyed);
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  const names = [...form.keys()];
  if (new Set(names).size < names.length) return invalidRequest('The request includes a parameter more than once.');
  const grant = form.get('grant_type');
  if (!grant) return invalidRequest('The request is missing a required parameter: grant_type');
  if (grant !== 'client_credentials') {
    return tokenError(
      400,
      'unsupported_grant_type',
      'The authorization grant type is not supported. Expected: client_credentials',
    );
  }
  const credentials = clientCredentials(request.headers.authorization, form);
  if (credentials === 'none') {
    return invalidRequest(
      'Client credentials must be provided either via Basic authentication or as client_id and client_secret in the request body.',
    );
  }
  if (credentials === 'malformed') return invalidClient();
  return issueToken(
    openSession({ ...service, task, facts: request.facts }, ledger),
    credentials,
    failures,
    senderOf(request.ip),
  );
}

/**
 * Failures are counted by ledger, client and sender: by client alone, a stranger could lock a client out; by
 * sender alone, one client's wrong settings would lock out its neighbours.
 */
async function issueToken(
  session: Session,
  { id, secret }: ClaimedCredentials,
  failures: FailureCounts,
  sender: string,
): Promise<TokenAnswer> {
  const attempt = native.sha256(JSON.stringify([session.ledger.luid, id, sender]));
  if (failures.wait(attempt) > 0) return tooManyFailures(failures.wait(attempt));
  const candidate = await candidateFor(session, id);
  const factor = knowsSecret(candidate, secret) ? candidate.factor : undefined;
  if (!factor) failures.add(attempt);
  // Other attempts may have failed meanwhile, here or at other processes: the database has them in one order.
  const wait = await session.failedAttempts.note(session.ledger.luid, attempt, !factor);
  if (wait > 0) return tooManyFailures(wait);
  if (!factor) return invalidClient();
  const found = await findClient(session, factor);
  if (!found.client) return invalidClient();
  if (session.facts) session.facts.who = { signer: found.client.signer };
  const { suspension } = found.ledger;
  if (suspension?.level === 'all')
    return tokenError(400, 'unauthorized_client', new LedgerSuspended(suspension).detail);
  const minted = await mint(openSession(session, found.ledger), found.client);
  if (minted === 'not-enabled') return tokenError(400, 'invalid_grant', 'OAuth is not enabled for this ledger');
  return { status: 200, body: { access_token: minted.token, token_type: 'Bearer', expires_in: minted.ttl } };
}

async function resolveTokenLedger(service: HttpService, request: FastifyRequest): Promise<Ledger | TokenAnswer> {
  const named = request.headers['x-ledger'];
  try {
    return await resolveLedger(service, Array.isArray(named) ? named[0] : named);
  } catch (error) {
    if (error instanceof LedgerError) return invalidRequest(error.detail);
    throw error;
  }
}

/** Answers what the framework refuses before the endpoint: a body that is too long or lacks its type. */
function toFrameworkError(error: FastifyError, request: FastifyRequest): TokenAnswer {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return invalidRequest(`The request is over ${requestLimits.form} bytes.`);
  if (error.statusCode !== undefined && error.statusCode < 500) return invalidRequest(error.message);
  return serverError(error, request);
}

/** One answer for every unexpected error: 503 where a retry may help, else 500. */
function serverError(error: unknown, request: FastifyRequest): TokenAnswer {
  request.log.error({ err: error, method: request.method, url: request.url }, 'unexpected error');
  const answer = tokenError(500, 'server_error', 'An unexpected error occurred processing the request');
  const isBusy = error instanceof LedgerError || error instanceof Overloaded || isUnavailable(error);
  return isBusy ? { ...answer, status: 503, retryAfter: 1 } : answer;
}

function invalidRequest(description: string): TokenAnswer {
  return tokenError(400, 'invalid_request', description);
}

function invalidClient(): TokenAnswer {
  return tokenError(401, 'invalid_client', 'Invalid client credentials');
}

function tooManyFailures(milliseconds: number): TokenAnswer {
  const answer = tokenError(429, 'invalid_client', 'Too many failed attempts. Retry later.');
  return { ...answer, retryAfter: Math.ceil(milliseconds / 1000) };
}

function tokenError(status: number, error: string, description: string): TokenAnswer {
  return { status, body: { error, error_description: description } };
}

function sendTokenAnswer(reply: FastifyReply, { status, body, retryAfter }: TokenAnswer): FastifyReply {
  // RFC 9110 §15.5.2: a 401 names the scheme. RFC 6749 §5.1: caches must not store tokens.
  if (status === 401) reply.header('www-authenticate', 'Basic realm="ledger"');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  const { facts } = reply.request;
  if (facts && 'error' in body) facts.reason = String(body.error);
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}
