import Fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, LogController } from 'fastify';
import type { Metrics } from '../metrics.js';
import { createLedger } from '../operations/create-ledger/operation.js';
import { listLedgers } from '../operations/list-ledgers.js';
import { bodyLimits } from './bodies/body-limits.js';
import { boundBodies } from './bodies/bounds.js';
import { takeBodies } from './bodies/parsers.js';
import { sendAnswer } from './boundary.js';
import { BASE } from './command.js';
import { CONNECTION_CHECK_INTERVAL, type ConnectionBounds, guardConnections } from './connections.js';
import { consoleRoutes } from './console/routes.js';
import { allowAnyOrigin, preflight } from './cors.js';
import { answerFrameworkError, answerNotFound } from './framework-errors.js';
import { health } from './health.js';
import type { HttpService } from './http-service.js';
import { information } from './information.js';
import { rightOf } from './journal.js';
import { createRequestGate } from './limit-requests.js';
import { logRoutes } from './log/routes.js';
import { countAnswers } from './metrics.js';
import { tokenRoute } from './oauth.js';
import { openApi } from './openapi.js';
import { inLedger, outsideLedgers, performIntent, performOperation } from './perform.js';
import { takeInTurn } from './pipelining.js';
import { createsIntent } from './relay/create-intent.js';
import { requestLimits } from './request-limits.js';
import { recordRoutes } from './routes.js';
import { senderOf } from './sender.js';
import { siteRoutes } from './site/routes.js';
import { type Sendable, sendable, sendText } from './static/sendable.js';
import { logRequests, makeAccessLog } from './telemetry/access-log.js';
import { makeRequestIds } from './telemetry/request-id.js';
import { traceRequests } from './telemetry/trace.js';
import { tenantHeader } from './tenant.js';
import { ledgerIsKept } from './unserved-routes.js';
import { answerBadWire, answerUnrouted, notHttp } from './wire-errors.js';

/** Greatest length of a path parameter; longer ones are an unknown route. */
const PARAMETER_CHARACTERS = 1_024;

const IN_LEDGER = { inLedger: true } as const;

/** The HTTP server and the connections of its clients: routes made from the registry of kinds, each leading to one operation. */
export function createServer(
  service: HttpService,
  logger: FastifyBaseLogger,
  metrics: Metrics,
  bounds: ConnectionBounds,
) {
  const admit = createRequestGate(service);
  const accessLog = makeAccessLog(service.accessLog, logger, service.runtime, () => performance.now());
  const app = Fastify({
    loggerInstance: logger,
    genReqId: makeRequestIds(service.runtime.random),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimits.bytes,
    requestTimeout: bounds.request,
    http: {
      headersTimeout: bounds.request,
      connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL,
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    trustProxy: bounds.trustedProxies?.length ? [...bounds.trustedProxies] : false,
    // Requests that arrive on an open connection during shutdown are answered as usual.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PARAMETER_CHARACTERS },
    // No hook runs for these.
    frameworkErrors: (error, request, reply) => {
      accessLog?.watch(request, reply);
      allowAnyOrigin(reply);
      if (admit(request, reply)) void answerFrameworkError(service, error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerBadWire(service, error, socket, accessLog),
  });
  answerUnrouted(service, app.server, accessLog);
  takeBodies(app);
  boundBodies(app, service);
  takeInTurn(app, requestLimits.clients.pipelined);
  logRequests(app, accessLog);
  traceRequests(app, service.tracing);
  const connections = guardConnections(app, bounds, () => performance.now(), service.limitRefused);
  service.drain.add(connections);
  app.addHook('onRequest', (request, reply, done) => {
    allowAnyOrigin(reply);
    // RFC 9112 §3.2 requires `Host`; Node.js would refuse with an answer of its own.
    done(request.headers.host === undefined && request.raw.httpVersion === '1.1' ? notHttp() : undefined);
  });
  app.addHook('onRequest', (request, reply, done) => void (admit(request, reply) && done()));
  app.setErrorHandler((error: FastifyError, request, reply) => answerFrameworkError(service, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerNotFound(service, request, reply));
  app.options('/*', (_, reply) => preflight(reply));
  health(app, service, service.logs.countStopped);
  countAnswers(app, metrics, service);
  const began = service.runtime.now();
  app.get(BASE, async (request, reply) => sendAnswer(reply, await information(service, tenantHeader(request), began)));
  // Made at the first request, to keep the start short.
  let description: Sendable | undefined;
  app.get(`${BASE}/openapi.json`, async (request, reply) => {
    description ??= sendable(JSON.stringify(openApi(service)));
    return sendText(request, reply, 'application/json', description);
  });
  siteRoutes(app, service, (request, reply) => answerNotFound(service, request, reply));
  consoleRoutes(app, service, (request, reply) => answerNotFound(service, request, reply));
  for (const { method, path, kind, operation } of recordRoutes()) {
    app.route({
      method,
      url: BASE + path,
      config: { ...IN_LEDGER, asks: rightOf(kind, operation) },
      handler: createsIntent(operation, kind)
        ? (request, reply) => performIntent(service, request, reply)
        : (request, reply) => performOperation(service, request, reply, operation, kind),
    });
  }
  ledgerRoutes(app, service);
  unservedRoutes(app, service);
  tokenRoute(app, service, BASE);
  logRoutes(app, service);
  return { app, connections };
}

/** Routes outside every ledger: new ledgers, and the list of those that there are. */
function ledgerRoutes(app: FastifyInstance, service: HttpService): void {
  app.post(`${BASE}/ledgers`, (request, reply) =>
    outsideLedgers(service, request, reply, (own, command) =>
      createLedger(own, command, () => service.rates.admitLedger(senderOf(request.ip))),
    ),
  );
  app.get(`${BASE}/ledgers`, (request, reply) => outsideLedgers(service, request, reply, listLedgers));
}

function unservedRoutes(app: FastifyInstance, service: HttpService): void {
  app.delete(`${BASE}/ledger`, { config: IN_LEDGER }, (request, reply) =>
    inLedger(service, request, reply, (session) => ledgerIsKept(session, request)),
  );
}
