import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** What connections of clients are held to. */
export interface ConnectionBounds {
  /** Milliseconds in which a request must have arrived, its body included; also the first one of a connection. */
  readonly request: number;
  /** Connections of one process; more are closed at once. */
  readonly count: number;
  /** Milliseconds in which a client takes all that waits for it; else it is cut off. */
  readonly taken: number;
  /** Milliseconds without a request after which clients are told to use a new connection. */
  readonly idle: number;
}

/** The open connections of a server. */
export interface Connections {
  /**
   * Lets clients go without a reset: takes no new connection, tells each client with its next answer that the
   * connection closes, and waits until all have been told or have been silent for longer than they were told to use an
   * idle connection. What is under way then still is, and is answered; `app.close` waits for it.
   */
  leave(): Promise<void>;
}

/** Milliseconds between two looks at the connections. */
export const LOOK = 1_000;

/** Milliseconds that a client's word may be on its way when it thinks the connection is still good. */
const ON_ITS_WAY = 1_000;

/**
 * Keeps connections within bounds: their number, the time a client takes to read its answers, and how they end. (How
 * long a request may take to arrive Node.js itself looks at, `LOOK` milliseconds apart.)
 *
 * @param now milliseconds of a clock that only goes forward
 */
export function guardConnections(app: FastifyInstance, bounds: ConnectionBounds, now: () => number): Connections {
  const { server } = app;
  /** With the moment since when something waits to be sent; 0 where nothing does. */
  const open = new Map<Socket, number>();
  let leaving = false;
  server.on('connection', (socket: Socket) => {
    // With `maxConnections` a worker would pass it back to the primary, which would pass it on again and again.
    if (open.size >= bounds.count) return void socket.destroy();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  tellOfTheEnd(app, bounds, () => leaving);
  const looking = setInterval(() => cutSlowReaders(open, bounds.taken, now()), LOOK).unref();
  let hangUp: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    leaving = true;
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    // From here on Node.js no longer looks for requests that do not arrive.
    hangUp = setTimeout(() => server.closeAllConnections(), bounds.request).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(looking);
    clearTimeout(hangUp);
  });
  return {
    async leave() {
      leaving = true;
      await Promise.race([stopListening(server), pause(bounds.idle + ON_ITS_WAY, undefined, { ref: false })]);
    },
  };
}

/** What waits for them takes memory. */
function cutSlowReaders(open: Map<Socket, number>, patience: number, now: number): void {
  for (const [socket, since] of open) {
    if (socket.writableLength === 0) open.set(socket, 0);
    else if (since === 0) open.set(socket, now);
    else if (now - since >= patience) socket.destroy();
  }
}

/**
 * Tells clients how long an idle connection is good for, which is shorter than it is kept: so one that follows HTTP does
 * not send on a connection that is being closed. While leaving it is told that this answer is the last.
 */
function tellOfTheEnd(app: FastifyInstance, { idle }: ConnectionBounds, leaving: () => boolean): void {
  const hint = `timeout=${Math.floor(idle / 1000)}`;
  app.addHook('onSend', (_, reply, payload, done) => {
    if (leaving()) reply.header('connection', 'close');
    else reply.header('keep-alive', hint);
    done(null, payload);
  });
}

/**
 * Takes no new connections, and resolves when the last one has ended. `http.Server.close` would close idle ones at
 * once, on which a request may be on its way.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
}
