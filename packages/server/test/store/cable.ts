import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A way to the database that can be cut, as networks and databases go away. */
export interface Cable {
  /** The connection string of the database at the other end. */
  readonly url: string;
  /** Ends every connection and takes no new one. */
  cut(): Promise<void>;
  /** Lets nothing through, and tells nobody. */
  stall(): void;
  /** As if nothing had happened. */
  mend(): Promise<void>;
  /** Leads new connections to another database, under the same name and for the same role. */
  lead(database: string): void;
  close(): Promise<void>;
}

/** A cable to the database of that connection string. */
export async function layCable(database: string): Promise<Cable> {
  let target = addressOf(new URL(database));
  const sockets = new Set<Socket>();
  let isStalled = false;
  const server = createServer((near) => {
    const far = connect(target);
    near.pipe(far).pipe(near);
    if (isStalled) for (const socket of [near, far]) socket.pause();
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      // A cut is what this is for: the other end hears of it, and nothing else is to be done.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const port = await listen(0);
  const cut = async () => {
    const closed = server.listening ? once(server, 'close') : undefined;
    if (closed) server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: throughPort(database, port),
    cut,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    async mend() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    lead(other) {
      target = addressOf(new URL(other));
    },
    close: cut,
  };
}

/** Our own PostgreSQL is reached by a socket in a folder; another one by host and port. */
function addressOf({ hostname, port, searchParams }: URL): { path: string } | { host: string; port: number } {
  const host = searchParams.get('host') ?? hostname;
  const number = searchParams.get('port') ?? (port || '5432');
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${number}`) } : { host, port: Number(number) };
}

function throughPort(database: string, port: number): string {
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  for (const name of ['host', 'port']) url.searchParams.delete(name);
  return url.href;
}
