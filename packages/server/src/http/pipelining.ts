import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What of one connection waits for the request before it. */
interface Line {
  busy: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Takes the requests of a connection one at a time, in the order they came, as their answers have to go out (RFC 9112
 * §9.3.2). A packet holds a thousand small ones, and all of them would be begun before anyone else is heard. Between two
 * of them others have their turn.
 *
 * @param most how many may wait for the one before them; a connection with more is cut
 */
export function takeInTurn(app: FastifyInstance, most: number): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', ({ raw: { socket } }, _, done) => {
    // Of what was in the same packet as the request that was one too many.
    if (socket.destroyed) return;
    const line = lines.get(socket) ?? { busy: false, waiting: [] };
    lines.set(socket, line);
    if (!line.busy) {
      line.busy = true;
      done();
    } else if (line.waiting.length < most) {
      line.waiting.push(done);
    } else {
      socket.destroy();
    }
  });
  app.addHook('onResponse', ({ raw: { socket } }, _, done) => {
    const line = lines.get(socket);
    if (line) leave(socket, line);
    done();
  });
}

/** Nobody takes the answers on a connection that is closed: what waits there is not begun. */
function leave(socket: Socket, line: Line): void {
  const next = line.waiting.shift();
  if (!next) line.busy = false;
  else if (!socket.destroyed) setImmediate(next);
}
