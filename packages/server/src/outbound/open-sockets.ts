import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { outboundLimits } from './outbound-limits.js';

/** The open connections of a process to services outside, of all ledgers. */
export type OpenSockets = ReturnType<typeof createOpenSockets>;

/** Told when a call begins and ends on a connection. */
interface Watcher {
  begins(socket: Socket): void;
  ends(socket: Socket): void;
}

const watchers = new WeakMap<object, Watcher>();
/** The connection of each call under way. */
const socketOf = new WeakMap<object, Socket>();

// undici tells nobody else which connection a call is made on.
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { readonly request: object; readonly socket: Socket };
  const watcher = watchers.get(socket);
  if (!watcher) return;
  socketOf.set(request, socket);
  watcher.begins(socket);
});
// A call that fails closes its connection.
subscribe('undici:request:trailers', (message) => {
  const socket = socketOf.get((message as { readonly request: object }).request);
  if (socket) watchers.get(socket)?.ends(socket);
});

/** @param most connections; beyond it the one that has been idle longest is closed. Those with a call stay open */
export function createOpenSockets(most: number) {
  const open = new Set<Socket>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  const forget = (socket: Socket) => {
    open.delete(socket);
    idle.delete(socket);
  };
  const shrink = () => {
    for (const socket of idle) {
      if (open.size <= most) return;
      forget(socket);
      socket.destroy();
    }
  };
  const watcher: Watcher = {
    begins: (socket) => idle.delete(socket),
    ends(socket) {
      if (!open.has(socket)) return;
      idle.add(socket);
      // The end of the call is still being handled.
      if (open.size > most) setImmediate(shrink);
    },
  };
  return {
    /** Counts each connection that is made, until it is closed. */
    count:
      (connect: buildConnector.connector): buildConnector.connector =>
      (options, callback) =>
        connect(options, (...[error, socket]) => {
          if (error) return callback(error, null);
          watchers.set(socket, watcher);
          open.add(socket);
          socket.once('close', () => forget(socket));
          shrink();
          // Until its call begins: whoever waited for it may have given up.
          idle.add(socket);
          callback(null, socket);
        }),
  };
}

/** Those of this process. */
export const openSockets = createOpenSockets(outboundLimits.sockets);
