import type { Server } from 'node:http';
import { localFailure, usage } from '../../terminal/failure.js';

/** Waits until a server listens. @throws Failure when it cannot */
export function listening(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(
        localFailure(
          `Port ${port} cannot be opened: ${error.code}.`,
          isTaken ? 'choose another with --port' : undefined,
        ),
      );
    });
    server.listen(port, address, () => resolve());
  });
}

/** A port as a user gives it. @param example one that could be given */
export function portOf(text: string, example: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw usage(`'${text}' is not a port.`, `give a number up to 65535, such as ${example}`);
}
