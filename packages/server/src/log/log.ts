import { join } from 'node:path';
import type { Suite } from '@countersign/protocol';
import type { Policy } from '@countersign/protocol/log';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Integrity } from '../integrity/integrity.js';
import type { Keyring } from '../keys/keyring.js';
import type { Metrics } from '../metrics.js';
import {
  findLeaf,
  type LoggedChange,
  type LogProgress,
  readLogProgress,
  type SealedLeaf,
} from '../store/log/leaves.js';
import { measureLogs } from '../store/log/sealing.js';
import { createSystemKeys } from '../store/queries/ledgers.js';
import type { Tracing } from '../tracing/tracing.js';
import { createFence } from './fence.js';
import { logLimits } from './log-limits.js';
import { createLogMetrics } from './metrics.js';
import { createProofs, type LogProofs } from './proofs.js';
import { createPublisher } from './publish.js';
import { createSealer } from './sealer.js';
import { createSystemKeyOf } from './system-keys.js';
import { createTiles, type InTurn } from './tiles.js';
import { createSealWait } from './wait-until-sealed.js';
import { watchLogs } from './watch.js';

export interface LogOptions {
  readonly pool: pg.Pool;
  readonly keys: Keyring;
  readonly suite: Suite;
  readonly integrity: Integrity;
  /** The absolute URL that clients call, with `/v2`: known once the server listens. */
  readonly publicUrl: () => string;
  /** The folder for what must outlast a restore of the database; what was shown is forgotten without. */
  readonly dataDir: string | undefined;
  /** Which of the server's processes this is. */
  readonly worker: string;
  readonly metrics: Metrics;
  /** Whose cosignatures checkpoints have; undefined without witnesses. */
  readonly policy: Policy | undefined;
  /** Whether nothing is sealed for a while. */
  readonly isPaused: () => boolean;
  readonly logger: FastifyBaseLogger;
  readonly tracing: Tracing;
}

/** The logs of all ledgers, as one process sees to them. */
export type Logs = ReturnType<typeof createLogs>;

export function createLogs({ pool, dataDir, worker, publicUrl, metrics: { registry }, ...options }: LogOptions) {
  const { keys, suite, integrity, logger, tracing, policy, isPaused } = options;
  const clock = () => performance.now();
  const fence = createFence(dataDir && fenceIn(dataDir), worker, clock);
  const metrics = createLogMetrics(registry, () => measureLogs(pool), policy !== undefined);
  const { logCodes } = integrity;
  const systemKey = createSystemKeyOf(keys, suite, createSystemKeys(pool));
  const sealer = createSealer({
    pool,
    suite,
    logger,
    clock,
    fence,
    metrics,
    leaf: integrity.leaf,
    check: integrity.check,
    logCodes,
    tracing,
    prefix: () => originPrefix(publicUrl()),
    systemKey,
    isPaused,
  });
  const deps = { suite, systemKey, logCodes };
  const publisher = createPublisher({ on: pool, fence, metrics, logger, clock, policy, ...deps });
  const alarms = watchLogs({ pool, fence, publisher, logger, lost: metrics.lost });
  const proofs = createProofs(pool);
  const semaphore = createWeightedSemaphore(logLimits.reads);
  const inTurn: InTurn = (ledger, work) => semaphore(ledger, 1, work);
  return {
    ...sealer,
    ...publisher,
    /** Counts what a witness answered. */
    asked: metrics.asked,
    start(): void {
      sealer.start();
      alarms.start();
    },
    async stop(): Promise<void> {
      alarms.stop();
      await sealer.stop();
    },
    /** How many logs are stopped, by the latest look. */
    countStopped: alarms.countStopped,
    /** The database may have gone back in time: what was shown is compared with what it has. */
    wentBack: alarms.wentBack,
    inclusion: (...[tree, index, anew]: Parameters<LogProofs['inclusion']>) =>
      inTurn(tree.ledger, () => proofs.inclusion(tree, index, anew)),
    consistency: (...[ledger, old, size]: Parameters<LogProofs['consistency']>) =>
      inTurn(ledger, () => proofs.consistency(ledger, old, size)),
    ...createTiles(pool, inTurn),
    ...createSealWait(pool, (err) => logger.error({ err }, 'whether changes are sealed is unknown, and asked again')),
    /** The leaf of a change; undefined while it is not sealed. */
    leaf: (change: LoggedChange): Promise<SealedLeaf | undefined> =>
      inTurn(change.ledger, () => findLeaf(pool, change)),
    /** How far a log is. */
    state: (ledger: number): Promise<LogProgress> =>
      inTurn(ledger, () => readLogProgress(pool, ledger, logLimits.batches)),
  };
}

/** The folder of the fence, among the server's own files. */
export function fenceIn(dataDir: string): string {
  return join(dataDir, 'log-fence');
}

/** What the origins of new logs begin with: the address of the service without its scheme (C2SP tlog-checkpoint). */
export function originPrefix(publicUrl: string): string {
  return `${publicUrl.replace(/^https?:\/\//, '').replace(/\/v2$/, '')}/log/`;
}
