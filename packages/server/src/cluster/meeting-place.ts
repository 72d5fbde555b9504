import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { hasRoomForSockets } from '../http/relay/socket-path.js';

/** The folder of the sockets by which the serving processes reach one another. */
export interface MeetingPlace {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Makes a folder that only this user can open (mode 0700). It is among the temporary files, since a path of a socket may
 * have about a hundred characters only.
 *
 * @returns undefined where there is no place for it: the processes then reach one another through the database alone
 */
export async function makeMeetingPlace(logger: FastifyBaseLogger): Promise<MeetingPlace | undefined> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    if (!hasRoomForSockets(folder)) {
      await rm(folder, { recursive: true, force: true });
      logger.warn({ folder }, 'the processes have no folder to meet in: the path of temporary files is too long');
      return undefined;
    }
    return {
      folder,
      async remove() {
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (err) {
    logger.warn({ err }, 'the processes have no folder to meet in');
    return undefined;
  }
}
