import type { FastifyBaseLogger } from 'fastify';
import { type WriteGuard, WritesRefused } from '../writes-refused.js';

/** The row of the table `deployment` with the number of the newest migration that a process must know to serve. */
export const LEAST_SCHEMA = 'least-schema';

/** Whether this process may serve on the schema of the database, as it has last seen it. */
export interface SchemaGuard extends WriteGuard {
  /** The number of the newest migration that this process knows. */
  readonly known: string;
  readonly isOutdated: boolean;
  /** Takes what was seen: the text of the row, or null. */
  see(least: string | null): void;
}

/** @param logger told when the database has left this process behind */
export function createSchemaGuard(known: string, logger: Pick<FastifyBaseLogger, 'error'>): SchemaGuard {
  let isOutdated = false;
  return {
    known,
    get isOutdated() {
      return isOutdated;
    },
    see(least) {
      const is = least !== null && least > known;
      if (is && !isOutdated)
        logger.error(
          { known, least },
          'the database was migrated beyond this release: it is not ready, takes no writes, and hands over its work',
        );
      isOutdated = is;
    },
    assert() {
      if (isOutdated)
        throw new WritesRefused('The server is of an earlier release than its database: it takes no writes.');
    },
  };
}
