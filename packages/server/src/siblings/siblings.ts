import { join } from 'node:path';
import { limits } from '../limits.js';
import { Connection, NoAnswer } from './connection.js';

/** The other processes of this deployment on this machine. */
export interface Siblings {
  /**
   * Asks one of them.
   *
   * @param holder its name, as leases and homes have it
   * @returns undefined for one that is not to be reached: it is on another machine, or gone
   * @throws NoAnswer when the question or its answer is lost: it may have been acted on, and may be yet
   */
  ask(holder: string, question: string): Promise<string> | undefined;
  /** Closes all connections. */
  close(): void;
}

/**
 * The path at which a process listens to its siblings; undefined for a name that no process has. The name may come from the
 * database, and so leads nowhere but into the folder.
 */
export function pathOf(folder: string, holder: string): string | undefined {
  const [, name] = /^[^/]+\/\d+\/([0-9a-f]{16})$/.exec(holder) ?? [];
  return name === undefined || !hasRoomForPaths(folder) ? undefined : join(folder, name);
}

/** Letters of the name of a socket: the random part of the holder's name. */
const NAME_LENGTH = 16;

/** Bytes of a path of a socket at most. The system cuts longer ones, so that they lead out of the folder. */
const PATH_BYTES = 103;

/** Whether all paths in the folder are short enough. */
export function hasRoomForPaths(folder: string): boolean {
  return Buffer.byteLength(join(folder, 'x'.repeat(NAME_LENGTH))) <= PATH_BYTES;
}

/**
 * @param folder private to the user of the deployment: whoever can write to it is trusted as a process of it. Without one
 *   nobody is reached.
 * @param clock milliseconds of a monotonic clock
 */
export function createSiblings(folder: string | undefined, clock: () => number): Siblings {
  const open = new Map<string, Connection>();
  /** Those that could not be reached, until when. */
  const unreached = new Map<string, number>();
  const connect = (path: string): Connection => {
    const connection = new Connection(path, clock, (wasReached) => {
      open.delete(path);
      if (wasReached) return;
      if (unreached.size >= limits.siblings.known) unreached.clear();
      unreached.set(path, clock() + limits.siblings.respite);
    });
    open.set(path, connection);
    return connection;
  };
  return {
    ask(holder, question) {
      const path = folder === undefined ? undefined : pathOf(folder, holder);
      if (path === undefined || clock() < (unreached.get(path) ?? Number.NEGATIVE_INFINITY)) return undefined;
      return (open.get(path) ?? connect(path)).ask(question);
    },
    close() {
      for (const connection of open.values()) connection.close();
    },
  };
}

export { NoAnswer };
