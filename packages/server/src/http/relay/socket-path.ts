import { join } from 'node:path';

/**
 * The path of the socket on which a process takes requests of the others; undefined for a name that no process has. The name may
 * come from the database, and so leads nowhere but into the folder.
 *
 * @param holder its name, as the tables of leases and leaders have it
 */
export function socketPath(folder: string, holder: string): string | undefined {
  const [, name] = /^[^/]+\/\d+\/([0-9a-f]{16})$/.exec(holder) ?? [];
  return name === undefined || !hasRoomForSockets(folder) ? undefined : join(folder, name);
}

/** Letters of the name of a socket: the random part of the holder's name. */
const NAME_LENGTH = 16;

/** Bytes of a path of a socket at most. The system cuts longer ones, so that they lead out of the folder. */
const PATH_BYTES = 103;

/** Whether all paths in the folder are short enough. */
export function hasRoomForSockets(folder: string): boolean {
  return Buffer.byteLength(join(folder, 'x'.repeat(NAME_LENGTH))) <= PATH_BYTES;
}
