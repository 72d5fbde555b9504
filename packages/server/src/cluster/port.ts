import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Sees whether the server can listen where it is told to, before anything is made for it.
 *
 * @throws Error in one line for the operator when it cannot
 */
export async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    // `exclusive`: asked of this process and not, as in a cluster, of the one that started it.
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, host, port);
  }
  server.close();
  await once(server, 'close');
}

/** What went wrong, in one line for the operator; anything but a failure to listen is returned as it is. */
export function cannotListen(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(`PORT ${port} on ${host} is in use by another program: stop that one, or set PORT to another`);
    case 'EACCES':
      return new Error(`PORT ${port} needs rights that this user does not have: set PORT to one from 1024 on`);
    case 'EADDRNOTAVAIL':
      return new Error(`HOST ${host} is no address of this machine: set it to one of its own, or to 0.0.0.0 for all`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`HOST ${host} is a name that leads to no address: set it to an IP address`);
    default:
      return error;
  }
}
