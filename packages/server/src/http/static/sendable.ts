import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Text that is sent as it is, with what tells it from other text. */
export interface Sendable {
  readonly text: string;
  readonly etag: string;
}

export function sendable(text: string): Sendable {
  return { text, etag: etagOf(text) };
}

/** What tells one body from every other (RFC 9110 §8.8.3). */
export function etagOf(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** Answers 304 to who has it already. */
export function sendText(request: FastifyRequest, reply: FastifyReply, type: string, { text, etag }: Sendable) {
  reply.headers({ etag, 'cache-control': 'no-cache', 'content-type': `${type}; charset=utf-8` });
  return knows(request, etag) ? reply.code(304).send() : reply.send(text);
}

/** Whether the client has what the tag stands for. */
export function knows({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag);
}
