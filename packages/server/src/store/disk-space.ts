import { freeBytes } from '@countersign/embedded-postgres/data-dir';
import type { FastifyBaseLogger } from 'fastify';
import { type WriteGuard, WritesRefused } from './writes-refused.js';

/** The disk of the embedded PostgreSQL has too little room for a write: the request is answered 503. */
export class DiskFull extends WritesRefused {
  constructor() {
    super('There is no room left on the disk of the database.');
  }
}

/** Watches the free space of the disk that the database writes to. */
export interface DiskSpace extends WriteGuard {
  close(): void;
}

/** For an external database: its disk is unwatched, and every write is allowed. */
export const UNWATCHED: DiskSpace = { assert() {}, close() {} };

/** Milliseconds between two looks at the disk. */
const DISK_CHECK_INTERVAL = 500;

/**
 * Watches the disk of the embedded PostgreSQL. PostgreSQL ends when writing its log fails, and reads end with it. So
 * writes are refused while some space is still free.
 *
 * @param folder on that disk
 * @param least bytes below which writes are refused
 * @param logger told once when room runs out, and once when there is some again
 */
export async function watchDiskSpace(folder: string, least: number, logger: FastifyBaseLogger): Promise<DiskSpace> {
  let enough = true;
  const look = async () => {
    const is = (await freeBytes(folder)) >= least;
    if (is && !enough) logger.info('there is room on the disk again: writes are taken');
    if (!is && enough) logger.error('the disk is nearly full: writes are refused, reads go on');
    enough = is;
  };
  await look();
  const looking = setInterval(() => void look(), DISK_CHECK_INTERVAL).unref();
  return {
    assert() {
      if (!enough) throw new DiskFull();
    },
    close: () => clearInterval(looking),
  };
}
