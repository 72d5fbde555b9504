import type { FastifyReply } from 'fastify';
import type { Answer } from '../records/command.js';
import { sendFile } from './file.js';

/** Sends an operation's answer. */
export function sendAnswer(
  reply: FastifyReply,
  { status, body, type, file, retryAfter, hint, confidential }: Answer,
): FastifyReply {
  if (confidential) reply.header('cache-control', 'no-store');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (hint !== undefined) reply.header('x-hint', hint).header('access-control-expose-headers', 'x-hint');
  if (file) return sendFile(reply.code(status), file);
  // A drop has the type that the interface names for it; a retry has none (interface/effects#retry).
  if (status === 202) return reply.code(status).send();
  if (body === undefined) return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send();
  return reply
    .code(status)
    .header('content-type', type ?? 'application/json; charset=utf-8')
    .send(body);
}
