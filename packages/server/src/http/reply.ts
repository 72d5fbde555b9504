import type { FastifyReply } from 'fastify';
import type { Answer } from '../records/command.js';

/** Lets scripts of every origin read the answer (interface/records#read). */
export function allowAnyOrigin(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*');
}

/** Answers a CORS preflight request. */
export function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS')
    .header('access-control-allow-headers', 'authorization, content-type, x-ledger')
    .header('access-control-max-age', '86400')
    .send();
}

/** Sends an operation's answer. */
export function send(reply: FastifyReply, { status, body, retryAfter, confidential }: Answer): FastifyReply {
  if (confidential) reply.header('cache-control', 'no-store');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (body === undefined) return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send();
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}
