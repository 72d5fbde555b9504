import type { FastifyBaseLogger } from 'fastify';
import { type WriteGuard, WritesRefused } from '../writes-refused.js';

/** The row of the table `deployment` with the number of the newest migration that a process must know to serve. */
export const LEAST_SCHEMA = 'least-schema';

/** Whether this process may serve on the schema of the database, as it has last seen it. */
export class SchemaGuard implements WriteGuard {
  isOutdated = false;
  refusal: WritesRefused | undefined;

  /**
   * @param known the number of the newest migration that this process knows
   * @param logger told when the database has left this process behind
   */
  constructor(
    readonly known: string,
    private readonly logger: Pick<FastifyBaseLogger, 'error'>,
  ) {}

  /** Takes what was seen: the text of the row, or null. */
  see(least: string | null): void {
    const { known } = this;
    const is = least !== null && least > known;
    if (is === this.isOutdated) return;
    if (is)
      this.logger.error(
        { known, least },
        'the database was migrated beyond this release: it is not ready, takes no writes, and hands over its work',
      );
    this.isOutdated = is;
    this.refusal = is
      ? new WritesRefused('The server is of an earlier release than its database: it takes no writes.')
      : undefined;
  }
}
