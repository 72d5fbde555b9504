import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';

/**
 * Bodies are taken as text: what is wrong with one is told after the ledger that signs the answer is known. A body
 * that is not declared as JSON is read to its end and is no body (interface/records#request-bodies).
 */
export function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    done(null, isUtf8(body as Buffer) ? body.toString() : NOT_TEXT);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null, undefined));
}

/** Stands for a body that is not UTF-8; no JSON text is like it. */
const NOT_TEXT = '\uFFFD';
