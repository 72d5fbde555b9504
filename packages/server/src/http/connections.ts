import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

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

interface Open {
  /** The moment since when something waits to be sent; 0 where nothing does. */
  since: number;
  /** The last request's answer. */
  reply: FastifyReply | undefined;
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
  // Shorter than an idle connection is kept: a client that follows HTTP sends nothing on one that is being closed.
  const hint = `timeout=${Math.floor(bounds.idle / 1000)}`;
  const open = new Map<Socket, Open>();
  let leaving = false;
  server.on('connection', (socket: Socket) => {
    // With `maxConnections` a worker would pass it back to the primary, which would pass it on again and again.
    if (open.size >= bounds.count) return void socket.destroy();
    open.set(socket, { since: 0, reply: undefined });
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('onRequest', (request, reply, done) => {
    const connection = open.get(request.raw.socket);
    if (connection) connection.reply = reply;
    if (leaving) tellLast(reply);
    else reply.header('keep-alive', hint);
    done();
  });
  const looking = setInterval(() => cutSlowReaders(open, bounds.taken, now()), LOOK).unref();
  let hangUp: NodeJS.Timeout | undefined;
  const beginToLeave = () => {
    leaving = true;
    for (const { reply } of open.values()) if (reply && !reply.sent) tellLast(reply);
  };
  app.addHook('preClose', async () => {
    beginToLeave();
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
      beginToLeave();
      await Promise.race([stopListening(server), pause(bounds.idle + ON_ITS_WAY, undefined, { ref: false })]);
    },
  };
}

/** What waits for them takes memory. */
function cutSlowReaders(open: ReadonlyMap<Socket, Open>, patience: number, now: number): void {
  for (const [socket, connection] of open) {
    if (socket.writableLength === 0) connection.since = 0;
    else if (connection.since === 0) connection.since = now;
    else if (now - connection.since >= patience) socket.destroy();
  }
}

/** The client is told that this answer is the last on its connection. */
function tellLast(reply: FastifyReply): void {
  reply.removeHeader('keep-alive').header('connection', 'close');
}

/**
 * Takes no new connections, and resolves when the last one has ended. `http.Server.close` would close idle ones at
 * once, on which a request may be on its way.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
}
