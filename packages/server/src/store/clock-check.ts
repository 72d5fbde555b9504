import type { FastifyBaseLogger } from 'fastify';
import { type WriteGuard, WritesRefused } from './writes-refused.js';

/** Compares the clock of this process with the database's: a moment that is ahead would count for the ledger ever after. */
export class ClockCheck implements WriteGuard {
  refusal: WritesRefused | undefined;

  /**
   * @param most milliseconds that the clock of this process may be ahead
   * @param logger told once when writes are refused, and once when they are taken again
   */
  constructor(
    private readonly most: number,
    private readonly logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  ) {}

  /**
   * Takes a reading of both.
   *
   * @param asked the clock of this process before the database was asked, milliseconds since 1970
   * @param answered that of the database
   */
  compare(asked: number, answered: number): void {
    const ahead = asked - answered;
    const isAhead = ahead > this.most;
    if (isAhead === (this.refusal !== undefined)) return;
    if (isAhead)
      this.logger.error(
        { seconds: Math.round(ahead / 1_000) },
        'the clock is ahead of the database: writes are refused, reads go on',
      );
    else this.logger.info('the clock agrees with the database again: writes are taken');
    this.refusal = isAhead
      ? new WritesRefused('The clock of this process is ahead of that of the database.')
      : undefined;
  }
}
