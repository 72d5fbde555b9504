import { once } from 'node:events';
import { createServer } from 'node:net';

/** The settings that name an address to listen on. */
export interface AddressSettings {
  readonly host: string;
  readonly port: string;
}

const PUBLIC_ADDRESS: AddressSettings = { host: 'HOST', port: 'PORT' };
export const METRICS_ADDRESS: AddressSettings = { host: 'METRICS_HOST', port: 'METRICS_PORT' };
export const ADMIN_ADDRESS: AddressSettings = { host: 'ADMIN_HOST', port: 'ADMIN_PORT' };

/**
 * Checks that the server can listen on its address, before anything is created for it.
 *
 * @throws Error in one line for the operator when the address is unusable
 */
export async function assertFree(host: string, port: number, settings = PUBLIC_ADDRESS): Promise<void> {
  const server = createServer();
  try {
    // `exclusive`: in a cluster, listens in this process rather than through the primary.
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, host, port, settings);
  }
  server.close();
  await once(server, 'close');
}

/** A failure to listen, in one line for the operator; other errors are returned unchanged. */
export function cannotListen(error: unknown, host: string, port: number, settings = PUBLIC_ADDRESS): unknown {
  const { host: HOST, port: PORT } = settings;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(
        `${PORT} ${port} on ${host} is in use by another program: stop that one, or set ${PORT} to another`,
      );
    case 'EACCES':
      return new Error(`${PORT} ${port} needs rights that this user does not have: set ${PORT} to one from 1024 on`);
    case 'EADDRNOTAVAIL':
      return new Error(
        `${HOST} ${host} is not an address of this machine: set it to one of its own, or to 0.0.0.0 for all`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`${HOST} ${host} is a name that leads to no address: set it to an IP address`);
    default:
      return error;
  }
}
