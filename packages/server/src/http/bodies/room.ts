import { LedgerError } from '@countersign/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createWeightedSemaphore } from '../../base/weighted-semaphore.js';
import { limits } from '../../limits.js';
import type { Answer } from '../../records/command.js';
import { answerRequest } from '../boundary.js';
import { answerNotFound } from '../framework-errors.js';
import type { HttpService } from '../http-service.js';
import { send } from '../reply.js';
import { makeErrorReport } from '../reporting.js';
import { senderOf } from '../sender.js';
import { resolveLedger, tenantOf } from '../tenant.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests of the route name a ledger, which must be known before a large body is read. */
    inLedger?: true;
  }
}

/**
 * Bounds the bytes of bodies under way. A large one for an unknown route or ledger is answered before any of it is kept
 * (interface/records#order-of-checks). Others wait for room, which they have until their request is answered: in the process,
 * and beside those of the same sender. Until then the connection is read no further.
 */
export function boundBodies(app: FastifyInstance, service: HttpService): void {
  const { small, ...bounds } = limits.bodies;
  const room = createWeightedSemaphore({ ...bounds, ledger: bounds.sender });
  const held = new WeakMap<FastifyRequest, () => void>();

  /** @throws `api.rate-limit-exceeded` when there is no room in time */
  const enter = async (request: FastifyRequest, reply: FastifyReply, bytes: number, isOver: () => boolean) => {
    let isLate = false;
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        isLate = true;
        reject(noRoom());
      };
      const timer = setTimeout(giveUp, bounds.patience).unref();
      const work = () => {
        clearTimeout(timer);
        if (isLate || isOver()) return Promise.resolve();
        const leaving = new Promise<void>((leave) => {
          held.set(request, leave);
          // Also when the client goes away before it is answered.
          reply.raw.once('close', leave);
        });
        resolve();
        return leaving;
      };
      room(senderOf(request.ip), bytes, work).catch(giveUp);
    });
  };

  const admit = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<boolean> => {
    const { inLedger } = request.routeOptions.config;
    const answer = await answerRequest(
      service,
      async () => (inLedger ? resolveLedger(service, tenantOf(request)) : undefined),
      async (_, isLate) => {
        await enter(request, reply, bytes, () => isLate() || request.raw.socket.destroyed);
        return ADMITTED;
      },
      makeErrorReport(service, request),
    );
    if (answer === ADMITTED) return true;
    if (request.raw.socket.destroyed) return false;
    send(endAfter(request, reply), answer.status === 429 ? { ...answer, retryAfter: RETRY_AFTER } : answer);
    return false;
  };

  app.addHook('preParsing', (request, reply, payload, done) => {
    const length = lengthOf(request);
    if (length <= small) return done(null, payload);
    if (request.is404) {
      answerNotFound(service, request, endAfter(request, reply)).catch(done);
      return;
    }
    // One that is too large is refused by its declared length.
    if (length > limits.body) return done(null, payload);
    admit(request, reply, length).then((isAdmitted) => {
      if (isAdmitted) done(null, payload);
    }, done);
  });
  app.addHook('preHandler', (request, _, done) => {
    if (typeof request.body !== 'string' || request.body.length <= small) held.get(request)?.();
    done();
  });
}

/** Ends the connection with the answer where the body still comes: what is left of it is no request. */
function endAfter({ raw }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return raw.complete ? reply : reply.header('connection', 'close');
}

/** Seconds after which a sender may try again. */
const RETRY_AFTER = 1;

/** Stands for a body that may be read. */
const ADMITTED: Answer = { status: 100 };

function noRoom(): LedgerError {
  return new LedgerError('api.rate-limit-exceeded', 'Too many bytes of request bodies are under way. Retry later.');
}

/** Bytes of the body; the greatest number where it is not declared, 0 where none is read. */
function lengthOf({ method, headers }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  if (headers['transfer-encoding'] !== undefined) return limits.body;
  return Number(headers['content-length'] ?? 0);
}
