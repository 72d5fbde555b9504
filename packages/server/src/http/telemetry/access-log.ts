import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Runtime } from '../../base/clock.js';
import { limitRate } from '../../base/rate-limit.js';
import type { RequestFacts, Who } from '../../ledgers/request-facts.js';
import { requestLimits } from '../request-limits.js';
import { senderOf } from '../sender.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access log and the journal of its ledger tell of it. */
    facts?: RequestFacts | undefined;
  }
}

/** An answer to bytes that were no request. */
export interface RefusedBytes {
  readonly reqId: string;
  readonly status: number;
  readonly bytes: number;
}

/** The access log of a process. */
export interface AccessLog {
  /** Has a request logged once it is answered, or its client has gone. */
  watch(request: FastifyRequest, reply: FastifyReply): void;
  refused(bytes: RefusedBytes): void;
}

/** Levels at which no line of the access log is written. */
const ABOVE_INFO: readonly string[] = ['warn', 'error', 'fatal', 'silent'];

const LINE_MESSAGE = 'request';

/**
 * The access log (operations/monitoring): a line at `info` for each request that is sampled, refused, failed, or given up by its client. Bodies, tokens and
 * names of records stay out. Anybody can have requests refused, or made to fail by a bridge of theirs. So where not all are logged, such lines are
 * bounded, and the next one counts those left out (`untold`).
 *
 * @param share of the other requests; undefined for no access log
 * @param now milliseconds
 */
export function makeAccessLog(
  share: number | undefined,
  logger: FastifyBaseLogger,
  { random }: Pick<Runtime, 'random'>,
  now: () => number,
): AccessLog | undefined {
  if (share === undefined || ABOVE_INFO.includes(logger.level)) return undefined;
  // Of their own: refusals hide no failure.
  const bounds = { refused: limitRate(requestLimits.logged, now), failed: limitRate(requestLimits.logged, now) };
  const isSampled = () => share === 1 || Buffer.from(random(4)).readUInt32LE() / 2 ** 32 < share;
  /** What a line has beside its members; undefined for no line. */
  const lineFor = (status: number, isGone: boolean, isProbe: boolean): { untold?: number } | undefined => {
    if (status < 400 && !isGone) return !isProbe && isSampled() ? {} : undefined;
    if (share === 1) return {};
    const passed = bounds[status >= 500 ? 'failed' : 'refused']();
    return passed && (passed.refused > 0 ? { untold: passed.refused } : {});
  };
  return {
    watch(request, reply) {
      request.facts ??= {};
      reply.raw.once('close', () => {
        const isGone = !reply.raw.writableFinished;
        const line = lineFor(reply.statusCode, isGone, request.routeOptions.config?.isProbe === true);
        if (line) request.log.info({ ...describeAnswer(request, reply), ...line }, LINE_MESSAGE);
      });
    },
    refused(bytes) {
      const line = lineFor(bytes.status, false, false);
      if (line) logger.info({ ...bytes, ...line }, LINE_MESSAGE);
    },
  };
}

/** When each answer was begun: the time in which its client takes it is no part of its own. */
const answeredIn = new WeakMap<FastifyReply, number>();

/** Has what becomes known of every request of the server noted, and logged where there is a log. */
export function logRequests(app: FastifyInstance, log: AccessLog | undefined): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', (request, reply, done) => {
    request.facts = {};
    log?.watch(request, reply);
    done();
  });
  if (!log) return;
  app.addHook('onSend', (_, reply, payload, done) => {
    answeredIn.set(reply, reply.elapsedTime);
    done(null, payload);
  });
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply): object {
  const { method, facts = {}, ip } = request;
  const { ledger, who, granted, reason } = facts;
  const decision = accessDecisionOf(granted, reason);
  const isSent = reply.raw.writableFinished;
  return {
    method,
    route: request.routeOptions.url ?? 'none',
    // A client that has gone was answered nothing.
    ...(isSent ? { status: reply.statusCode } : { gone: true }),
    ms: Math.round((answeredIn.get(reply) ?? reply.elapsedTime) * 10) / 10,
    bytes: isSent && method !== 'HEAD' ? Number(reply.getHeader('content-length') ?? 0) : 0,
    from: senderOf(ip),
    ...(ledger === undefined ? {} : { ledger }),
    ...(who ? { who: shortenKey(who) } : {}),
    ...(decision ? { decision } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Characters of a key: by them it is found among those of a deployment. */
const KEY_CHARACTERS = 12;

function shortenKey({ key, ...who }: Who): Who {
  return key === undefined ? who : { ...who, key: key.slice(0, KEY_CHARACTERS) };
}

/** What was decided on access. A bad token is refused before anything is decided. */
function accessDecisionOf(granted: boolean | undefined, reason: string | undefined): 'granted' | 'refused' | undefined {
  if (granted === false || reason === 'auth.unauthorized' || reason === 'auth.forbidden') return 'refused';
  return granted ? 'granted' : undefined;
}
