import type { FastifyReply } from 'fastify';
import { REQUEST_ID } from '../records/command.js';

/** Lets scripts of every origin read the answer, and the id that its request has (interface/README#requests). */
export function allowAnyOrigin(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', REQUEST_ID)
    .header(REQUEST_ID, reply.request.id);
}

/** Lets them read further headers of it. */
export function alsoExpose(reply: FastifyReply, names: string): FastifyReply {
  return reply.header('access-control-expose-headers', `${reply.getHeader('access-control-expose-headers')}, ${names}`);
}

/** Answers a CORS preflight request. */
export function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS')
    .header('access-control-allow-headers', 'authorization, content-type, prefer, x-ledger, x-request-id')
    .header('access-control-max-age', '86400')
    .send();
}
