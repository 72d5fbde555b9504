import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { ADMIN_ADDRESS, cannotListen } from '../cluster/port.js';
import { operatorLimits } from './operator-limits.js';

/** Takes a connection from which nothing was read. @throws whatever keeps it from being taken */
export type TakeConnection = (socket: Socket) => Promise<void>;

/** The port of operators, and the connections that nobody has taken yet. */
export interface OperatorsPort {
  /** Hands on the connections that wait and those that come, one at a time, until `hold`. */
  handTo(take: TakeConnection): void;
  /** Has connections wait, for `operatorLimits.request` at most. */
  hold(): void;
  /** Frees the port, and closes the connections that wait. */
  close(): void;
}

/**
 * Listens for whoever serves operators, and does so while that is being replaced: no other program can take the port meanwhile.
 *
 * @throws Error in one line for the operator when the address is unusable
 */
export async function openOperatorsPort(host: string, port: number): Promise<OperatorsPort> {
  /** Each with the end of its patience, in the order in which they came. */
  const waiting = new Map<Socket, NodeJS.Timeout>();
  let take: TakeConnection | undefined;
  let isHanding = false;

  const release = (socket: Socket) => {
    clearTimeout(waiting.get(socket));
    waiting.delete(socket);
    return socket;
  };
  const handOn = async () => {
    if (isHanding) return;
    isHanding = true;
    for (let [socket] = waiting.keys(); socket !== undefined && take !== undefined; [socket] = waiting.keys()) {
      const taker = take;
      await taker(release(socket)).catch(() => {
        // The others wait for whoever comes next.
        if (take === taker) take = undefined;
        socket?.destroy();
      });
    }
    isHanding = false;
  };
  // Nothing is read here: it is for whoever takes the connection.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    if (waiting.size >= operatorLimits.connections) return void socket.destroy();
    waiting.set(
      socket,
      setTimeout(() => release(socket).destroy(), operatorLimits.request),
    );
    void handOn();
  });
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, host, port, ADMIN_ADDRESS);
  }
  // A connection that cannot be accepted, for lack of descriptors, is no reason to end.
  server.on('error', () => {});
  return {
    handTo(next) {
      take = next;
      void handOn();
    },
    hold() {
      take = undefined;
    },
    close() {
      take = undefined;
      server.close();
      for (const socket of [...waiting.keys()]) release(socket).destroy();
    },
  };
}
