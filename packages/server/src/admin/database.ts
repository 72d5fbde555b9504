import type pg from 'pg';
import { ArchiveRefusal } from '../archive/refusals.js';
import { type Config, type EnvironmentSettings, parseConfig } from '../config.js';
import { findMasterKeys } from '../store/deployment/master-keys.js';
import { findEmbedded, startEmbedded } from '../store/embedded.js';
import { parseDatabaseUrl } from '../store/hosts/database-url.js';
import { findMigrations } from '../store/migrate.js';
import { createPool } from '../store/pool.js';
import { assertUsable, explainError } from '../store/queries/reach.js';
import { Illness } from './examinations/diagnosis.js';

/**
 * Milliseconds that an operator's command waits for a connection to a database of one host: it is needed most where that has most to
 * do. Of several hosts the next one is tried after the time of requests, as one of them may be gone.
 */
const PATIENCE = 30_000;

export interface AdminDeps {
  readonly pool: pg.Pool;
  readonly config: Config;
  /** A connection string. Do not log it: it holds a password. */
  readonly url: string;
}

/**
 * Works on the database that the settings name: beside a running server, that of the data folder as well. It is not migrated.
 *
 * @throws ArchiveRefusal; Illness where the schema is of another release; DatabaseUnreachable; Error in words for the operator
 */
export async function onDatabase<T>(settings: EnvironmentSettings, work: (deps: AdminDeps) => Promise<T>): Promise<T> {
  const config = parseConfig(settings);
  const ours = config.databaseUrl === undefined;
  const running = config.databaseUrl ?? (await findEmbedded(config.dataDir));
  const started =
    running === undefined ? await startEmbedded({ dataDir: config.dataDir, workers: 1, log: () => {} }) : undefined;
  const url = running ?? started?.url ?? '';
  const isOneHost = parseDatabaseUrl(url).urls.length === 1;
  // Its statements have the time-outs of the server's: a pooler may give its connections to either.
  const pool = createPool(
    {
      connectionString: url,
      max: 2,
      application_name: 'countersign admin',
      ...(isOneHost && { connectionTimeoutMillis: PATIENCE }),
    },
    () => {},
  );
  try {
    await assertUsable(pool, url, ours);
    await assertMigrated(pool);
    return await work({ pool, config, url });
  } catch (error) {
    throw explainFailure(error, url, ours);
  } finally {
    await pool.end();
    await started?.stop();
  }
}

/** What was refused in words for the operator stays as it is, whatever these hold; what the database throws is explained. */
export function explainFailure(error: unknown, url: string, ours: boolean): unknown {
  return error instanceof ArchiveRefusal || error instanceof Illness ? error : explainError(error, url, ours);
}

/** Another release may be serving: its database is left as it is. @throws Illness */
export async function assertMigrated(pool: pg.Pool): Promise<void> {
  if ((await findMasterKeys(pool)).length === 0)
    throw new Illness('The database is empty.', 'start the server, which makes the tables, or name another database');
  const { pending, later, isOutdated } = await findMigrations(pool);
  if (isOutdated)
    throw new Illness(
      `The database has migrations of a later release: ${later.join(', ')}.`,
      'use the command of that release',
    );
  if (pending.length > 0)
    throw new Illness(
      `The database lacks the migrations ${pending.join(', ')}: it is of an earlier release.`,
      "use that release's command, or upgrade: docs/operations/upgrade.md",
    );
}
