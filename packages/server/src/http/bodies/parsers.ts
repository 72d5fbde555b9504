import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { bodyLimits } from './body-limits.js';

/**
 * Takes bodies as text. They are parsed once the ledger is known, which signs the error about a malformed one. A body
 * of another type than JSON is read to its end and ignored (interface/records#request-bodies). The rest of a body that was
 * refused early is read after the answer, so that the client gets to see it.
 */
export function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    done(null, isUtf8(body as Buffer) ? body.toString() : NOT_TEXT);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null, undefined));
  app.addHook('onSend', (request, reply, payload, done) => {
    const isEarly = !request.raw.complete && reply.getHeader('connection') === 'close';
    if (!isEarly || typeof payload !== 'string') return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(answerAndRead(payload, request.raw), { objectMode: false }));
  });
}

/** Stands for a body of invalid UTF-8: it is malformed JSON, so parsing refuses it. */
const NOT_TEXT = '\uFFFD';

/** Refused bodies that are read on now. */
let readOnNow = 0;

/**
 * The answer to a request whose body still comes, after which its connection ends. The body is read meanwhile: a client that finds
 * the connection closed while it sends may never look at the answer.
 */
async function* answerAndRead(answer: string, request: IncomingMessage): AsyncGenerator<string> {
  yield answer;
  if (readOnNow >= bodyLimits.refused.connections) return;
  readOnNow += 1;
  try {
    await readOn(request);
  } finally {
    readOnNow -= 1;
  }
}

function readOn(request: IncomingMessage): Promise<void> {
  if (request.destroyed || request.complete) return Promise.resolve();
  return new Promise((done) => {
    const resolve = () => {
      clearTimeout(timer);
      done();
    };
    const timer = setTimeout(resolve, bodyLimits.refused.time).unref();
    let left: number = bodyLimits.refused.bytes;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) resolve();
    });
    for (const end of ['end', 'error', 'close']) request.once(end, resolve);
  });
}
