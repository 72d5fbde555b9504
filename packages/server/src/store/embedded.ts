import { type Postgres, startPostgres } from '@countersign/embedded-postgres';
import { limits } from '../limits.js';

export interface EmbeddedOptions {
  /** DATA_DIR. */
  readonly dataDir: string;
  /** Takes PostgreSQL's log, a line at a time. */
  readonly log: (line: string) => void;
  /** Takes messages for the operator. */
  readonly alarm?: (text: string) => void;
}

/**
 * Starts the embedded PostgreSQL with the limits and setting names of this service (decision 0002).
 *
 * @throws Error, in words for the operator, when another server uses the directory, or PostgreSQL cannot run here
 */
export function startEmbedded(options: EmbeddedOptions): Promise<Postgres> {
  return startPostgres({
    ...options,
    name: 'countersign',
    restarts: limits.restarts,
    leastFree: limits.freeDisk.start,
    dataDirSetting: 'DATA_DIR',
    alternative: 'set DATABASE_URL to a PostgreSQL of yours',
  });
}
