import type { FastifyReply } from 'fastify';

/** Lets scripts of every origin read the answer (interface/README#requests). */
export function allowAnyOrigin(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*');
}

/** Answers a CORS preflight request. */
export function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS')
    .header('access-control-allow-headers', 'authorization, content-type, prefer, x-ledger')
    .header('access-control-max-age', '86400')
    .send();
}
