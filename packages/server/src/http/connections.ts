import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket, Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TellRefusal } from '../metering/refusals.js';
import { isDownload } from './file.js';
import { senderOf } from './sender.js';

/** Bounds on the connections of clients. */
export interface ConnectionBounds {
  /** Milliseconds in which a request must have arrived, its body included; also the first one of a connection. */
  readonly request: number;
  /** Connections of one process; more are closed at once. */
  readonly count: number;
  /** Of these, connections of one sender that is no trusted proxy; as many as there may be unless given. */
  readonly each?: number;
  /** Milliseconds in which a client must read all output that waits for it; else its connection is closed. */
  readonly taken: number;
  /** Milliseconds that clients are told they may keep a connection idle. */
  readonly idle: number;
  /** Milliseconds without a request other than probes after which a drained process counts as left by clients. */
  readonly quiet: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the sender of a request; none unless given. */
  readonly trustedProxies?: readonly string[];
}

/** The open connections of a server. */
export type Connections = ReturnType<typeof guardConnections>;

interface OpenConnection {
  /** Since when output waits to be sent; 0 when all is sent. */
  since: number;
  /** Bytes that were sent at the last look. */
  sent: number;
  /** The last request's answer. */
  reply: FastifyReply | undefined;
}

/** Milliseconds between two checks of the connections. */
export const CONNECTION_CHECK_INTERVAL = 1_000;

/** Milliseconds of transit for a request sent just before the idle time of its connection ends. */
const ON_ITS_WAY = 1_000;

/**
 * Keeps connections within bounds: their number, the time a client takes to read its answers, and how they end. Node.js
 * itself bounds how long a request takes to arrive, checking every `CONNECTION_CHECK_INTERVAL` milliseconds.
 *
 * @param now milliseconds of a monotonic clock
 * @param refused called with each connection that is closed, since its sender, or the process, has too many
 */
export function guardConnections(
  app: FastifyInstance,
  bounds: ConnectionBounds,
  now: () => number,
  refused: TellRefusal = () => {},
) {
  const { server } = app;
  // Shorter than the server keeps idle connections, so that clients give up a connection before it is closed.
  const hint = `timeout=${Math.floor(bounds.idle / 1000)}`;
  const open = new Map<Socket, OpenConnection>();
  let leaving = false;
  let draining: { readonly since: number; readonly held: Set<Socket> } | undefined;
  /** When clients last asked, or the drain began. */
  let asked = 0;
  const senders = countSenders(bounds);
  server.on('connection', (socket: Socket) => {
    // With `maxConnections` a worker would hand it back to the primary process, which would hand it out again.
    const isFull = open.size >= bounds.count;
    const leave = isFull ? undefined : senders.enter(socket.remoteAddress);
    if (!leave) {
      if (isFull) refused('process-connections');
      else refused('connections', senderOf(socket.remoteAddress ?? ''));
      return void socket.destroy();
    }
    open.set(socket, { since: 0, sent: 0, reply: undefined });
    socket.once('close', () => {
      open.delete(socket);
      draining?.held.delete(socket);
      leave();
    });
  });
  app.addHook('onRequest', (request, reply, done) => {
    const connection = open.get(request.raw.socket);
    if (connection) connection.reply = reply;
    if (draining && !request.routeOptions.config?.isProbe) asked = now();
    if (leaving || draining) tellLast(reply);
    else reply.header('keep-alive', hint);
    done();
  });
  const looking = setInterval(() => {
    cutSlowReaders(open, bounds.taken, now());
    if (!draining || now() < draining.since + bounds.idle + ON_ITS_WAY) return;
    for (const socket of draining.held) if (!isAnswering(socket, open.get(socket))) socket.destroy();
  }, CONNECTION_CHECK_INTERVAL).unref();
  let hangUp: NodeJS.Timeout | undefined;
  const beginToLeave = () => {
    leaving = true;
    for (const { reply } of open.values()) if (reply && !reply.sent) tellLast(reply);
  };
  app.addHook('preClose', async () => {
    beginToLeave();
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    // Closing ends the request timeout of Node.js: incomplete requests are cut here.
    hangUp = setTimeout(() => server.closeAllConnections(), bounds.request).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(looking);
    clearTimeout(hangUp);
  });
  return {
    /**
     * Whether, while it drains, a connection of before is open or an answer is under way, or clients have asked of late: a balancer
     * leads them elsewhere only after some probes.
     */
    isBusy(): boolean {
      if (!draining) return false;
      if (draining.held.size > 0 || now() < asked + bounds.quiet) return true;
      return [...open].some(([socket, connection]) => isAnswering(socket, connection));
    },
    /**
     * Drains, or goes on: while it drains, each connection is closed with its next answer, and idle ones after the time that clients were
     * told. New ones are taken, since a balancer needs a while to lead clients elsewhere.
     */
    turned(isDraining: boolean): void {
      asked = now();
      draining = isDraining ? { since: now(), held: new Set(open.keys()) } : undefined;
      for (const { reply } of isDraining ? open.values() : []) if (reply && !reply.sent) tellLast(reply);
    },
    /**
     * Graceful shutdown: stops accepting connections, closes each one with its next answer, and waits until all are
     * closed or the idle time that clients were told has passed. Requests still under way are answered; `app.close` waits
     * for them.
     */
    async leave(): Promise<void> {
      beginToLeave();
      await Promise.race([stopListening(server), pause(bounds.idle + ON_ITS_WAY, undefined, { ref: false })]);
    },
  };
}

/** Counts the connections of each sender. Behind a proxy all are the proxy's: it has no bound of its own. */
function countSenders({ each = Number.POSITIVE_INFINITY, trustedProxies = [] }: ConnectionBounds) {
  const proxies = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const counts = new Map<string, number>();
  return {
    /** @returns to be called when it is closed; undefined when the sender has as many as it may */
    enter(address: string | undefined): (() => void) | undefined {
      if (address === undefined || each === Number.POSITIVE_INFINITY) return () => {};
      if (proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return () => {};
      const sender = senderOf(address);
      const count = counts.get(sender) ?? 0;
      if (count >= each) return undefined;
      counts.set(sender, count + 1);
      return () => {
        const left = (counts.get(sender) ?? 1) - 1;
        if (left > 0) counts.set(sender, left);
        else counts.delete(sender);
      };
    },
  };
}

/** What waits for them takes memory. Of a file only a little does at a time: who takes some of it is no slow reader. */
function cutSlowReaders(open: ReadonlyMap<Socket, OpenConnection>, patience: number, now: number): void {
  for (const [socket, connection] of open) {
    const progresses = isDownload(socket) && socket.bytesWritten !== connection.sent;
    connection.sent = socket.bytesWritten;
    if (socket.writableLength === 0) connection.since = 0;
    else if (connection.since === 0 || progresses) connection.since = now;
    else if (now - connection.since >= patience) socket.destroy();
  }
}

/** Whether an answer is being made, or waits to be sent. */
function isAnswering(socket: Socket, connection: OpenConnection | undefined): boolean {
  return connection?.reply?.sent === false || socket.writableLength > 0;
}

/** Tells the client that this answer is the last on its connection. */
function tellLast(reply: FastifyReply): void {
  reply.removeHeader('keep-alive').header('connection', 'close');
}

/**
 * Stops accepting connections, and resolves when the last one has ended. `http.Server.close` would also close idle ones
 * at once, on which a request may be arriving.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
}
