import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';

/**
 * Takes bodies as text. They are parsed once the ledger is known, which signs the error about a malformed one. A body
 * of another type than JSON is read to its end and ignored (interface/records#request-bodies).
 */
export function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    done(null, isUtf8(body as Buffer) ? body.toString() : NOT_TEXT);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null, undefined));
}

/** Stands for a body of invalid UTF-8: it is malformed JSON, so parsing refuses it. */
const NOT_TEXT = '\uFFFD';
