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

/** Watches the free space of the disk that the database writes to. */
export interface DiskSpace extends WriteGuard {
  /** Asserts that there is room for new records and ledgers. @throws DiskFull */
  assertForNew(): void;
  close(): void;
}

/** What must be free for writes, in bytes, and for creates, as a part of what the database has and may take. */
export interface FreeDisk {
  readonly write: number;
  readonly create: number;
}

/** For an external database: its disk is unwatched, and every write is allowed. */
export const UNWATCHED: DiskSpace = { assert() {}, assertForNew() {}, close() {} };

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
): Promise<DiskSpace> {
  if (folder === undefined) return UNWATCHED;
  const leastForNew = least.create * ((await freeBytes(folder)) + (await databaseSize(pool)));
  let enough = true;
  let enoughForNew = true;
  const look = async () => {
    const free = await freeBytes(folder);
    const is = free >= least.write;
    if (is && !enough) logger.info('there is room on the disk again: writes are taken');
    if (!is && enough) logger.error('the disk is nearly full: writes are refused, reads go on');
    enough = is;
    const isForNew = free >= leastForNew;
    if (isForNew && !enoughForNew) logger.info('there is room on the disk for new records again: they are taken');
    if (!isForNew && enoughForNew)
      logger.error('the disk is nearly full: new records and ledgers are refused, changes and drops go on');
    enoughForNew = isForNew;
  };
  await look();
  const looking = setInterval(() => void look(), DISK_CHECK_INTERVAL).unref();
  return {
    assert() {
      if (!enough) throw new DiskFull();
    },
    assertForNew() {
      if (!enoughForNew) throw new DiskFull();
    },
    close: () => clearInterval(looking),
  };
}
