import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LedgerError } from '@countersign/protocol';
import type { Service } from '../ledgers/service.js';
import { REQUEST_ID } from '../records/command.js';
import { errorAnswer } from './boundary.js';
import { hasLastAnswer } from './pipelining.js';
import type { AccessLog } from './telemetry/access-log.js';
import { makeRequestId, makeRequestIds } from './telemetry/request-id.js';

/** Answers to bytes that failed to become a request, by Node's error code; every other code means malformed HTTP. */
const WIRE_ERRORS: Readonly<Record<string, { readonly line: string; readonly error: LedgerError }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    error: new LedgerError('api.request-timeout', 'The request did not arrive in time'),
  },
  HPE_HEADER_OVERFLOW: {
    line: '431 Request Header Fields Too Large',
    error: new LedgerError('api.query-malformed', 'The URL and headers of the request are too long'),
  },
};

const NOT_HTTP = '400 Bad Request';

/** The error for malformed HTTP. */
export function notHttp(): LedgerError {
  return new LedgerError('api.body-malformed', 'The request is not well-formed HTTP');
}

/** Milliseconds that a refused client has to read the answer before its connection is closed. */
const LAST_WORD = 1_000;

/**
 * Answers bytes that Node failed to parse, in the form of every other error (interface/errors), and closes the
 * connection: where the next request would begin is unknown.
 */
export function answerBadWire(
  service: Service,
  error: NodeJS.ErrnoException,
  socket: Socket,
  log: AccessLog | undefined,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // What comes after a request that was refused early is not looked at; its answer is still sent.
  if (hasLastAnswer(socket)) {
    hangUp(socket);
    return;
  }
  const { line, error: refusal } = WIRE_ERRORS[error.code ?? ''] ?? { line: NOT_HTTP, error: notHttp() };
  const { body = '' } = errorAnswer(service, undefined, refusal);
  close(socket, line, body, makeRequestId(service.runtime.random), log);
}

/**
 * Answers, in the form of every other error, what Node would answer with a bare status or by closing the connection:
 * expectations other than `100-continue`, and `CONNECT`.
 */
export function answerUnrouted(service: Service, server: Server, log: AccessLog | undefined): void {
  const idOf = makeRequestIds(service.runtime.random);
  server.on('checkExpectation', (request, response) => {
    const { body = '' } = errorAnswer(service, undefined, UNEXPECTED);
    const id = idOf(request);
    // The client may still send the body: closing keeps it from being read as the next request.
    response.writeHead(417, { ...headersOf(body, id), connection: 'close' }).end(body);
    log?.refused({ reqId: id, status: 417, bytes: Buffer.byteLength(body) });
  });
  server.on('connect', (request, socket) => {
    // Node leaves the socket to this handler; an unhandled `error` would end the process.
    socket.on('error', () => {});
    const { body = '' } = errorAnswer(service, undefined, new LedgerError('api.route-not-found', 'Route not found'));
    close(socket as Socket, '404 Not Found', body, idOf(request), log);
  });
}

const UNEXPECTED = new LedgerError('api.query-malformed', 'The only expectation that is met is 100-continue');

function headersOf(body: string, id: string): Record<string, string | number> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': REQUEST_ID,
    [REQUEST_ID]: id,
    'content-length': Buffer.byteLength(body),
  };
}

function close(socket: Socket, line: string, body: string, id: string, log: AccessLog | undefined): void {
  const headers = { ...headersOf(body, id), connection: 'close' };
  const head = [`HTTP/1.1 ${line}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  cutLater(socket);
  log?.refused({ reqId: id, status: Number.parseInt(line, 10), bytes: Buffer.byteLength(body) });
}

/** Ends the connection once all is sent. */
function hangUp(socket: Socket): void {
  socket.end();
  cutLater(socket);
}

function cutLater(socket: Socket): void {
  const cut = setTimeout(() => socket.destroy(), LAST_WORD).unref();
  socket.once('close', () => clearTimeout(cut));
}
