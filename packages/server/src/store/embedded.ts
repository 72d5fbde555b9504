import { findPostgres, type Postgres, startPostgres } from '@countersign/embedded-postgres';
import { databaseLimits } from './database-limits.js';

export interface EmbeddedOptions {
  /** DATA_DIR. */
  readonly dataDir: string;
  /** WORKERS: how many processes connect. */
  readonly workers: number;
  /** Settings of PostgreSQL in place of the service's, as for a database that may be lost. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Takes PostgreSQL's log, a line at a time. */
  readonly log: (line: string) => void;
  /** Takes messages for the operator. */
  readonly alarm?: (text: string) => void;
}

/** Connections to the database that one process has at most. */
export function countConnections(): number {
  return Object.values(databaseLimits.connections).reduce<number>((sum, count) => sum + count, 0);
}

/**
 * Connections to the database that there are at most: those of so many processes and of one more, which is started
 * beside the others when they are replaced, and those of operators.
 */
export function countAllConnections(workers: number): number {
  return (workers + 1) * countConnections() + databaseLimits.spareConnections;
}

/** The name of the database, and of the role that owns it. */
export const EMBEDDED_NAME = 'countersign';

/** The connection string of the embedded PostgreSQL that a server runs on this machine; undefined where none runs. */
export function findEmbedded(dataDir: string): Promise<string | undefined> {
  return findPostgres(dataDir, EMBEDDED_NAME);
}

/**
 * Starts the embedded PostgreSQL with the limits and setting names of this service (decision 0002).
 *
 * @throws Error, in words for the operator, when another server uses the directory, or PostgreSQL cannot run here
 */
export function startEmbedded({ workers, ...options }: EmbeddedOptions): Promise<Postgres> {
  return startPostgres({
    ...options,
    name: EMBEDDED_NAME,
    connections: countAllConnections(workers),
    restarts: databaseLimits.restarts,
    leastFree: databaseLimits.freeDisk.start,
    dataDirSetting: 'DATA_DIR',
    alternative: 'set DATABASE_URL to a PostgreSQL of yours',
  });
}
