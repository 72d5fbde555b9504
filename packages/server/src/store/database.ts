import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Keyring } from '../keys/keyring.js';
import { databaseLimits } from './database-limits.js';
import { Drain } from './deployment/drain.js';
import { settleMasterKeys } from './deployment/master-keys.js';
import { createPresence } from './deployment/presence.js';
import { ReadOnlyGuard } from './deployment/read-only.js';
import { SchemaGuard } from './deployment/schema-range.js';
import { type FreeDisk, watchDiskSpace } from './disk-space.js';
import { createEpochGuard, type EpochGuard } from './epoch-guard.js';
import { migrate } from './migrate.js';
import { createNodeGuard, type WentBack } from './nodes/guard.js';
import { watchNodes } from './nodes/watch.js';
import { createPool } from './pool.js';
import { createPools } from './pools.js';
import { createQuotas } from './quotas.js';
import { watchReadiness } from './readiness.js';
import { readMigrations } from './sql.js';
import { createWriteGate, type WriteGate } from './writes-refused.js';

export interface DatabaseOptions {
  readonly database: pg.PoolConfig;
  /** As of `ServerOptions`. */
  readonly masterKey: Buffer;
  readonly loadKeys?: () => Promise<readonly Buffer[]>;
  readonly build: string;
  /** Unique name of this process. */
  readonly holder: string;
  /** As of `ServerOptions`. */
  readonly databaseFolder?: string;
  readonly freeDisk?: FreeDisk;
  readonly ledgerQuota?: number;
  readonly logger: FastifyBaseLogger;
  /** The clock that is compared with the database's; absent where any will do. */
  readonly now: (() => number) | undefined;
  /**
   * Told of an epoch that has begun: the database has gone on from an earlier point, or a node of the cluster has.
   *
   * @param ledgers luids of those on that node; all of them unless given
   */
  readonly epochBegan: (epoch: number, ledgers?: readonly string[]) => void;
  /** Told of each write beyond a quota. */
  readonly quotaExceeded: () => void;
}

/** The database of a process: its connections, and what watches it. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Migrates the database to this release's schema, verifies its master key, connects to it, and watches it. */
export async function openDatabase(options: DatabaseOptions) {
  const { database, logger, now } = options;
  const failed = (error: Error) => logger.error({ err: error }, 'idle database connection failed');
  const { epochs, keys } = await migrateDatabase(options, failed);
  const pools = createPools(database, epochs.verify, failed);
  const end = () => Promise.all(Object.values(pools).map((one) => one.end()));
  const readOnly = new ReadOnlyGuard(logger);
  const schema = new SchemaGuard(readMigrations().at(-1)!.number, logger);
  let writes: WriteGate | undefined;
  const isWriting = () => writes !== undefined && writes.underWay > 0;
  const drain = new Drain(logger);
  drain.add({ isBusy: isWriting });
  const tells = { name: options.holder, keys, readOnly, drain, schema, isWriting };
  const presence = createPresence(pools.others, { ...options, ...tells });
  const readiness = await watchReadiness(pools.others, databaseLimits.readiness, logger, presence, now);
  try {
    const nodes = await createNodeGuard(pools.others, { ...epochs, wentBack: tellWentBack(options) });
    const nodeWatch = watchNodes(nodes, databaseLimits.readiness.pause, logger);
    const disk = await watchDiskSpace(options.databaseFolder, pools.others, logger, options.freeDisk);
    writes = createWriteGate(disk, readiness.clock, schema, readOnly);
    return {
      pools,
      epochs,
      nodes,
      keys,
      readiness,
      /** Addresses of nodes that are down, where it is a cluster. */
      nodesDown: nodeWatch.down,
      /** What every write passes. */
      writes,
      /** What entries of request journals pass: they tell of reads as well, and are kept in read-only mode. */
      journalWrites: createWriteGate(disk, readiness.clock, schema),
      readOnly,
      schema,
      drain,
      quotas: createQuotas(pools.others, options.ledgerQuota, disk, options.quotaExceeded),
      async close() {
        readiness.close();
        nodeWatch.close();
        disk.close();
        await presence.leave();
        await end();
      },
    };
  } catch (error) {
    readiness.close();
    await end();
    throw error;
  }
}

function tellWentBack({ epochBegan, logger }: DatabaseOptions) {
  return ({ node, epoch, ledgers }: WentBack): void => {
    epochBegan(epoch, ledgers);
    logger.warn(
      { node, epoch, ledgers: ledgers.length },
      'a node of the cluster has gone on from an earlier point: what was read before of its ledgers is read again',
    );
  };
}

async function migrateDatabase(
  { database, masterKey, loadKeys, logger, epochBegan }: DatabaseOptions,
  failed: (error: Error) => void,
): Promise<{ readonly epochs: EpochGuard; readonly keys: Keyring }> {
  const pool = createPool({ ...database, max: 1 }, failed);
  try {
    await migrate(pool);
    const keys = await settleMasterKeys(pool, [masterKey, ...((await loadKeys?.()) ?? [])], 'as it was given');
    const epochs = await createEpochGuard(pool, {
      epochBegan(epoch) {
        epochBegan(epoch);
        logger.warn({ epoch }, 'the database has gone on from an earlier point: what was read before is read again');
      },
    });
    return { epochs, keys };
  } finally {
    await pool.end();
  }
}
