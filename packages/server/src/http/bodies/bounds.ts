import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../records/command.js';
import { answerRequest, makeErrorReport, sendAnswer } from '../boundary.js';
import { answerNotFound } from '../framework-errors.js';
import type { HttpService } from '../http-service.js';
import { journalAnswer } from '../journal.js';
import { senderOf } from '../sender.js';
import { resolveLedger, tenantOf } from '../tenant.js';
import { bodyLimits } from './body-limits.js';
import { BodyMemory, type HeldMemory } from './memory.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests of the route name a ledger, which must be known before a large body is read. */
    inLedger?: true;
  }
}

/** The memory of each large body that has some. */
const memoryOfBody = new WeakMap<FastifyRequest, HeldMemory>();

/**
 * Counts the request's body for the ledger that it names: its caller is known to be allowed.
 *
 * @throws `api.rate-limit-exceeded` when the ledger has no memory left for it
 */
export function grantBody(request: FastifyRequest): void {
  memoryOfBody.get(request)?.grant();
}

/** Lets go of the request's body: its answer is known. A client that reads slowly holds no memory for bodies. */
export function releaseBody(request: FastifyRequest): void {
  memoryOfBody.get(request)?.release();
  request.body = undefined;
}

/**
 * Bounds the bytes of bodies under way. A large one for an unknown route or ledger is answered before any of it is kept
 * (interface/records#order-of-checks). Others wait for memory, which they have until their answer is known. Until they have it, the
 * connection is read no further.
 */
export function boundBodies(app: FastifyInstance, service: HttpService): void {
  const { small } = bodyLimits;
  const memory = new BodyMemory({ ...bodyLimits.memory });

  /** @throws `api.rate-limit-exceeded` when there is no memory in time */
  const enter = async (request: FastifyRequest, reply: FastifyReply, bytes: number, ledger: number | undefined) => {
    const gone = new AbortController();
    // Also when the client goes away before it is answered.
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    if (request.raw.socket.destroyed) leave();
    const body = await memory.take({ sender: senderOf(request.ip), ledger, bytes, gone: gone.signal });
    if (gone.signal.aborted) return body.release();
    memoryOfBody.set(request, body);
    gone.signal.addEventListener('abort', () => body.release());
  };

  const admit = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<boolean> => {
    const { inLedger } = request.routeOptions.config;
    const answer = await answerRequest(
      service,
      async () => (inLedger ? resolveLedger(service, tenantOf(request)) : undefined),
      async (ledger) => {
        await enter(request, reply, bytes, ledger?.id);
        return ADMITTED;
      },
      makeErrorReport(service, request),
      request.facts,
    );
    if (answer === ADMITTED) return true;
    if (!request.raw.socket.destroyed) sendAnswer(endAfter(request, reply), answer);
    journalAnswer(service, request, reply, answer);
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
    if (length > bodyLimits.bytes) return done(null, payload);
    admit(request, reply, length).then((isAdmitted) => {
      if (isAdmitted) done(null, payload);
    }, done);
  });
  app.addHook('preHandler', (request, _, done) => {
    if (typeof request.body !== 'string' || request.body.length <= small) memoryOfBody.get(request)?.release();
    done();
  });
}

/** Ends the connection with the answer where the body still comes: what is left of it is no request. */
export function endAfter({ raw }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return raw.complete ? reply : reply.header('connection', 'close');
}

/** Stands for a body that may be read. */
const ADMITTED: Answer = { status: 100 };

/** Bytes of the body; the greatest number where it is not declared, 0 where none is read. */
export function lengthOf({ method, headers }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  if (headers['transfer-encoding'] !== undefined) return bodyLimits.bytes;
  return Number(headers['content-length'] ?? 0);
}
