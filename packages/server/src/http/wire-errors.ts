import type { Socket } from 'node:net';
import { LedgerError } from '@countersign/protocol';
import type { Service } from '../service.js';
import { errorAnswer } from './boundary.js';

/** What is answered, by Node's code for it, to bytes that never became a request; anything else is no HTTP at all. */
const KNOWN: Readonly<Record<string, { readonly line: string; readonly error: LedgerError }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    error: new LedgerError('api.request-timeout', 'The request did not arrive in time'),
  },
  HPE_HEADER_OVERFLOW: {
    line: '431 Request Header Fields Too Large',
    error: new LedgerError('api.query-malformed', 'The URL and headers of the request are too long'),
  },
};

const NOT_HTTP = {
  line: '400 Bad Request',
  error: new LedgerError('api.body-malformed', 'The request is not well-formed HTTP'),
};

/**
 * Answers a connection whose bytes Node could not make a request of, in the form of every other error (contract 01
 * §12), and closes it: what would come next cannot be told from what came before.
 */
export function answerBadWire(service: Service, error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { line, error: refusal } = KNOWN[error.code ?? ''] ?? NOT_HTTP;
  const { body = '' } = errorAnswer(service, undefined, refusal);
  const head = [
    `HTTP/1.1 ${line}`,
    'content-type: application/json; charset=utf-8',
    'access-control-allow-origin: *',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
