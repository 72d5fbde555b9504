import { freeBytes } from '@countersign/embedded-postgres/data-dir';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { databaseLimits } from './database-limits.js';
import { type WriteGuard, WritesRefused } from './writes-refused.js';

/** The disk of the embedded PostgreSQL has too little room for a write: the request is answered 503. */
export class DiskFull extends WritesRefused {
  constructor() {
    super('There is no room left on the disk of the database.');
  }
}

/** What the disk that the database writes to has room for. */
export interface DiskSpace extends WriteGuard {
  readonly refusal: DiskFull | undefined;
  /** What new records and ledgers are refused with now; undefined while there is room for them. */
  readonly refusalOfNew: DiskFull | undefined;
}

/** What must be free for writes, in bytes, and for creates, as a part of what the database has and may take. */
export interface FreeDisk {
  readonly write: number;
  readonly create: number;
}

/** For an external database: its disk is unwatched, and every write is allowed. */
export const UNWATCHED = { refusal: undefined, refusalOfNew: undefined, close() {} } as const;

/** Bytes that the database has on its disk. */
async function databaseSize(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ size: number }>('select pg_database_size(current_database()) as size');
  return Number(rows[0]!.size);
}

/** Milliseconds between two looks at the disk. */
const DISK_CHECK_INTERVAL = 500;

/**
 * Watches the disk of the embedded PostgreSQL. PostgreSQL ends when writing its log fails, and reads end with it. So
 * writes are refused while some space is still free.
 *
 * New records and ledgers are refused before, since many ledgers may take more together than each may (quotas.ts).
 *
 * @param folder on that disk; absent for an external database, which is unwatched
 * @param pool of the database
 * @param logger told once when room runs out, and once when there is some again
 * @param least what must be free
 */
export async function watchDiskSpace(
  folder: string | undefined,
  pool: pg.Pool,
  logger: FastifyBaseLogger,
  least: FreeDisk = databaseLimits.freeDisk,
): Promise<DiskSpace & { close(): void }> {
  if (folder === undefined) return UNWATCHED;
  const leastForNew = least.create * ((await freeBytes(folder)) + (await databaseSize(pool)));
  const look = async () => {
    const free = await freeBytes(folder);
    const isFull = free < least.write;
    if (!isFull && disk.refusal) logger.info('there is room on the disk again: writes are taken');
    if (isFull && !disk.refusal) logger.error('the disk is nearly full: writes are refused, reads go on');
    disk.refusal = isFull ? new DiskFull() : undefined;
    const isFullForNew = free < leastForNew;
    if (!isFullForNew && disk.refusalOfNew)
      logger.info('there is room on the disk for new records again: they are taken');
    if (isFullForNew && !disk.refusalOfNew)
      logger.error('the disk is nearly full: new records and ledgers are refused, changes and drops go on');
    disk.refusalOfNew = isFullForNew ? new DiskFull() : undefined;
  };
  const disk = {
    refusal: undefined as DiskFull | undefined,
    refusalOfNew: undefined as DiskFull | undefined,
    close: () => clearInterval(looking),
  };
  // Nobody closes what has failed at once.
  await look();
  const looking = setInterval(() => void look(), DISK_CHECK_INTERVAL).unref();
  return disk;
}
