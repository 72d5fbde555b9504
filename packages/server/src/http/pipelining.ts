import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Connections on which an answer has begun that closes them: no other can be sent. */
const socketsAtEnd = new WeakSet<Socket>();

/** Whether an answer that closes the connection has begun on it. */
export function hasLastAnswer(socket: Socket): boolean {
  return socketsAtEnd.has(socket);
}

/** The queue of one connection. */
interface RequestQueue {
  busy: boolean;
  /** Requests that came after the last one that is answered. */
  behind: number;
  readonly waiting: (() => void)[];
}

/**
 * Handles the pipelined requests of a connection one at a time, in the order received, in which answers must be sent
 * (RFC 9112 §9.3.2). One packet can hold a thousand small requests: between two of them other connections have their
 * turn. What comes after a request whose answer closes the connection is left undone, as its answer could not be sent
 * (RFC 9112 §9.6).
 *
 * @param most bound on the queue; a connection that exceeds it is closed
 */
export function takeInTurn(app: FastifyInstance, most: number): void {
  const lines = new WeakMap<Socket, RequestQueue>();
  app.addHook('onRequest', ({ raw: { socket } }, _, done) => {
    const line = lines.get(socket) ?? { busy: false, behind: 0, waiting: [] };
    lines.set(socket, line);
    // It may be of the same packet as one that exceeded the bound.
    if (socket.destroyed) return;
    if (hasLastAnswer(socket)) {
      line.behind += 1;
      if (line.behind > most) socket.destroy();
      return;
    }
    if (!line.busy) {
      line.busy = true;
      done();
    } else if (line.waiting.length < most) {
      line.waiting.push(done);
    } else {
      socket.destroy();
    }
  });
  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    if (reply.getHeader('connection') === 'close') {
      socketsAtEnd.add(socket);
      lines.get(socket)?.waiting.splice(0);
    }
    done(null, payload);
  });
  app.addHook('onResponse', ({ raw: { socket } }, _, done) => {
    const line = lines.get(socket);
    if (line) finishRequest(socket, line);
    done();
  });
}

/** Starts the next request; those of a closed connection are dropped. */
function finishRequest(socket: Socket, line: RequestQueue): void {
  const next = line.waiting.shift();
  if (!next) line.busy = false;
  else
    setImmediate(() => {
      if (!socket.destroyed && !hasLastAnswer(socket)) next();
    });
}
