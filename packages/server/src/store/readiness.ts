import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';

/** Whether the database answers, by the latest look at it. */
export interface Readiness {
  isReady(): boolean;
  /** Looks no more. */
  close(): void;
}

export interface ReadinessBounds {
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Milliseconds that the database has for an answer. */
  readonly patience: number;
}

/** Looks at a database that has just answered, again and again, so that those who ask cost it nothing. */
export function watchReadiness(
  pool: pg.Pool,
  { pause, patience }: ReadinessBounds,
  logger: FastifyBaseLogger,
): Readiness {
  const closing = new AbortController();
  const ping = { text: 'select 1', query_timeout: patience };
  let isReady = true;
  const tell = (is: boolean, err?: unknown) => {
    if (is === isReady || closing.signal.aborted) return;
    isReady = is;
    if (is) logger.info('ready again');
    else logger.warn({ err }, 'not ready');
  };
  const look = async () => {
    while (!closing.signal.aborted) {
      await pool.query(ping).then(
        () => tell(true),
        (error: unknown) => tell(false, error),
      );
      await wait(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  };
  void look();
  return { isReady: () => isReady, close: () => closing.abort() };
}
