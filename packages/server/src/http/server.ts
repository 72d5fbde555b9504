import { isUtf8 } from 'node:buffer';
import { BodyTooLarge, LedgerError } from '@countersign/protocol';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { TokenRefused } from '../auth/token.js';
import { stages } from '../forwarding/stage.js';
import { Corrupt } from '../integrity/integrity.js';
import { requestInvalid } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { openSession, type Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import type { Metrics } from '../metrics.js';
import { createLedger } from '../operations/create-ledger.js';
import { listLedgers } from '../operations/list-ledgers.js';
import { OutboundFailure } from '../outbound/outbound.js';
import type { Answer, Command } from '../records/command.js';
import { DiskFull } from '../store/disk-space.js';
import { stepsOfText, type Task } from '../work/task.js';
import { authenticate, type Request, readBody } from './authenticate.js';
import { answered, type Report } from './boundary.js';
import { type ConnectionBounds, type Connections, guardConnections, LOOK } from './connections.js';
import { explained } from './explained.js';
import { health } from './health.js';
import type { HttpService } from './http-service.js';
import { information } from './information.js';
import { JOURNAL, notJournaled } from './journal.js';
import { metricsRoute } from './metrics.js';
import { tokenRoute } from './oauth.js';
import { openApi } from './openapi.js';
import { takeInTurn } from './pipelining.js';
import { recordRoutes } from './routes.js';
import { ledgerOf, noTenant } from './tenant.js';
import { answerBadWire, answerUnrouted, notHttp } from './wire-errors.js';

/** All paths but those for the operator's probes begin with it (contract 06 §9). */
const BASE = '/v2';

/** A path parameter longer than this names nothing. */
const PARAMETER = 1_024;

/** What the server counts, and how the counts of all processes are collected. */
export interface Counted {
  readonly metrics: Metrics;
  readonly collect: () => Promise<string>;
}

/** The HTTP server, and the connections of its clients. */
export interface HttpServer {
  readonly app: FastifyInstance;
  readonly connections: Connections;
}

/** The HTTP server: routes made from the registry of kinds, each leading to one operation. */
export function createServer(
  service: HttpService,
  logger: FastifyBaseLogger,
  counted: Counted,
  bounds: ConnectionBounds,
): HttpServer {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.body,
    requestTimeout: bounds.request,
    http: { headersTimeout: bounds.request, connectionsCheckingInterval: LOOK, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // What arrives on an open connection while closing is answered like anything else.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PARAMETER },
    frameworkErrors: (error, request, reply) => void refuse(service, error, request, allowAnyOrigin(reply)),
    clientErrorHandler: (error, socket) => answerBadWire(service, error, socket),
  });
  answerUnrouted(service, app.server);
  takeBodies(app);
  takeInTurn(app, limits.clients.pipelined);
  const connections = guardConnections(app, bounds, () => performance.now());
  app.addHook('onRequest', (request, reply, done) => {
    allowAnyOrigin(reply);
    // RFC 9112 §3.2; Node.js would refuse it with an answer of its own.
    done(request.headers.host === undefined && request.raw.httpVersion === '1.1' ? notHttp() : undefined);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => refuse(service, error, request, reply));
  app.setNotFoundHandler((request, reply) => unrouted(service, request, reply));
  app.options('/*', (_, reply) => preflight(reply));
  health(app, service);
  metricsRoute(app, counted.metrics, counted.collect);
  app.get(BASE, async (_, reply) => send(reply, information(service)));
  // Made when first asked for, so that nobody waits for it at start.
  let description: string | undefined;
  app.get(`${BASE}/openapi.json`, async (_, reply) => {
    description ??= JSON.stringify(openApi(service));
    return send(reply, { status: 200, body: description });
  });
  for (const { method, path, kind, operation } of recordRoutes()) {
    app.route({
      method,
      url: BASE + path,
      handler: (request, reply) =>
        inLedger(service, request, reply, async (session) =>
          operation.perform(session, kind, await commandOf(session, session.ledger, request), stages),
        ),
    });
  }
  app.post(`${BASE}/ledgers`, (request, reply) => outsideLedgers(service, request, reply, createLedger));
  app.get(`${BASE}/ledgers`, (request, reply) => outsideLedgers(service, request, reply, listLedgers));
  for (const path of JOURNAL) {
    app.get(BASE + path, (request, reply) => inLedger(service, request, reply, notJournaled));
  }
  tokenRoute(app, service, BASE);
  return { app, connections };
}

/**
 * Bodies are taken as text: what is wrong with one is told after the ledger that signs the answer is known. A body
 * that is not declared as JSON is read to its end and is no body (contract 00, Request-schema errors).
 */
function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    done(null, isUtf8(body as Buffer) ? body.toString() : NOT_TEXT);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null, undefined));
}

/** Stands for a body that is not UTF-8; no JSON text is like it. */
const NOT_TEXT = '\uFFFD';

async function inLedger(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  perform: (session: Session) => Promise<Answer>,
): Promise<FastifyReply> {
  const resolve = () => ledgerOf(service, tenantOf(request));
  const answer = await answered(
    service,
    resolve,
    async (ledger, isLate) => {
      const task = taskOf(service, ledger!.id, request, isLate);
      return perform(openSession(explained({ ...service, task }, request), ledger!));
    },
    reporting(service, request),
  );
  return send(reply, answer);
}

async function outsideLedgers(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  perform: (service: Service, command: Command) => Promise<Answer>,
): Promise<FastifyReply> {
  const named = tenantHeader(request);
  const answer = await answered(
    service,
    async () => (named === undefined ? undefined : ledgerOf(service, named)),
    async (_, isLate) => {
      noTenant(named);
      const task = taskOf(service, OUTSIDE, request, isLate);
      const own = explained({ ...service, task }, request);
      return perform(own, await commandOf(own, undefined, request));
    },
    reporting(service, request),
  );
  return send(reply, answer);
}

/** What the work outside every ledger is charged to. */
const OUTSIDE = 0;

/** The work of a request. Nobody waits for it any more when it was answered, or its connection is closed. */
function taskOf(service: HttpService, ledger: number, { raw }: FastifyRequest, isLate: () => boolean): Task {
  return service.scheduler.task(ledger, () => isLate() || raw.socket.destroyed);
}

/** A service outside that gives no answer is its operator's affair, and may be so for every request of a day. */
function reporting(service: HttpService, { log, method, url, routeOptions }: FastifyRequest): Report {
  return (error, ledger) => {
    if (error instanceof TokenRefused) {
      service.tokenRefused?.({ method, route: routeOptions.url, ledger: ledger?.handle, why: error.why });
      return;
    }
    // Of a full disk is told once, and not with every write that it refuses.
    if (error instanceof DiskFull) return;
    if (error instanceof OutboundFailure) {
      const { kind, code, message } = error;
      log.warn(
        { method, url, kind, ...(code === undefined ? {} : { code }), failure: message },
        'outbound call failed',
      );
    } else if (!(error instanceof Corrupt)) {
      // What is corrupt is in the log already.
      log.error({ err: error, method, url }, 'unexpected error');
    }
  };
}

/**
 * The request as operations take it: its body parsed, its token verified. A path that names no record is about the ledger
 * itself. What reads only is asked without a body, whatever was sent.
 *
 * @throws `api.body-malformed`, then `auth.unauthorized` (contract 01 §12, Order of checks)
 */
async function commandOf(service: Service, ledger: Ledger | undefined, request: FastifyRequest): Promise<Command> {
  const sent = sentRequest(request);
  await service.task.turn(stepsOfText(sent.text));
  const body = sent.method === 'GET' ? undefined : readBody(sent);
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

function sentRequest({ method, url, headers, body }: FastifyRequest): Request {
  // A proxy may send the whole URL where the path belongs (RFC 9112 §3.2.2).
  const below = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').slice(BASE.length);
  return { method, url: below, headers, ...(typeof body === 'string' ? { text: body } : {}) };
}

/** The ledger that the path names, else the header. */
function tenantOf(request: FastifyRequest): string | undefined {
  const params = request.params as { ledger?: string } | undefined;
  return params?.ledger ?? tenantHeader(request);
}

function tenantHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['x-ledger'];
  return Array.isArray(header) ? header[0] : header;
}

/** Signed, where a known ledger is named, like every other error (contract 06 §4.1). */
async function unrouted(service: HttpService, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return refuseWith(service, request, reply, new LedgerError('api.route-not-found', 'Route not found'), 'route');
}

/** What the framework itself refuses, in the contract's terms; anything it does not know is ours to answer for. */
async function refuse(
  service: HttpService,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuseWith(service, request, reply, new BodyTooLarge(limits.body));
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refuseWith(service, request, reply, requestInvalid(NO_BODY));
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // What the framework asks of a method that no route has.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return unrouted(service, request, reply);
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

/** What a body of no type at all is told, like one of another type (contract 00, Request-schema errors). */
const NO_BODY = { instancePath: '', keyword: 'type', params: { type: 'object' }, message: 'must be object' };

/**
 * @param about what is wrong with the route comes before an unknown ledger, anything else after it (contract 01 §12,
 *   Order of checks)
 */
async function refuseWith(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  error: Error,
  about: 'route' | 'request' = 'request',
): Promise<FastifyReply> {
  const named = tenantOf(request);
  const answer = await answered(
    service,
    async () => {
      if (named === undefined) return undefined;
      return ledgerOf(service, named).catch((unknown) => {
        throw about === 'route' && unknown instanceof LedgerError ? error : unknown;
      });
    },
    async () => {
      throw error;
    },
    reporting(service, request),
  );
  return send(reply, answer);
}

/** Answers are for scripts of every origin (contract 01 §5). */
function allowAnyOrigin(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*');
}

function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS')
    .header('access-control-allow-headers', 'authorization, content-type, x-ledger')
    .header('access-control-max-age', '86400')
    .send();
}

function send(reply: FastifyReply, { status, body, retryAfter, confidential }: Answer): FastifyReply {
  if (confidential) reply.header('cache-control', 'no-store');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (body === undefined) return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send();
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}
