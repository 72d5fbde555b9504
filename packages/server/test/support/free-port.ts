import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which would take it again before the server does. */
const FIRST = 12_000;
const COUNT = 18_000;

/** Processes begin apart: two of them seldom ask for the same port at once. */
let next = (process.pid * 37) % COUNT;

/** A port of loopback that nothing listens on, for a server that is a process of its own; no other call here gives it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
