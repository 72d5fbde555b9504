import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { type Background, startBackground } from './background/background.js';
import { backgroundLimits } from './background/background-limits.js';
import { renewStatistics } from './background/renew-statistics.js';
import { sweepUsedTokens } from './background/sweep-used-tokens.js';
import type { BackgroundWorker } from './background/worker.js';
import type { BackgroundBounds } from './background/worker-deps.js';
import type { Service } from './ledgers/service.js';
import type { Metrics } from './metrics.js';
import { findSchedules } from './schedules/find.js';
import { FOLLOW_SCHEDULES, followSchedules } from './schedules/follow.js';
import type { EpochGuard } from './store/epoch-guard.js';
import type { createPools } from './store/pools.js';
import { createSchedules } from './store/schedules.js';
import { type Witnesses, witnessLogs } from './witnessing/worker.js';

/** What background work is done with. */
interface WorkDeps {
  readonly database: pg.PoolConfig;
  /** Name of this process. */
  readonly holder: string;
  readonly service: Service;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  readonly background?: Partial<BackgroundBounds>;
  readonly witnesses?: Witnesses;
}

/** Starts the background work of this process. */
export function startWork(
  { database, holder, service, metrics, logger, background: bounds, witnesses }: WorkDeps,
  workers: readonly BackgroundWorker[],
  { leases, others }: ReturnType<typeof createPools>,
  onConnect: EpochGuard['verify'],
): Background {
  const { runtime } = service;
  const random = () => Buffer.from(runtime.random(4)).readUInt32LE() / 2 ** 32;
  const clock = () => performance.now();
  const publicKeyOf = async (ledger: string) => (await service.ledgers.resolve(ledger)).system.public;
  const schedules = createSchedules(others);
  const background = startBackground({
    workers: [
      sweepUsedTokens(others, runtime.now),
      renewStatistics(others),
      findSchedules(schedules, runtime.now, () => background.hint(FOLLOW_SCHEDULES)),
      followSchedules({ service, schedules, metrics: metrics.schedules, logger }),
      ...(witnesses ? [witnessLogs(witnesses, { ...service, publicKeyOf, pool: others, logger, clock, random })] : []),
      ...workers,
    ],
    pool: leases,
    database,
    onConnect,
    holder,
    metrics: metrics.background,
    logger,
    now: runtime.now,
    clock,
    random,
    bounds: { ...backgroundLimits, ...bounds },
  });
  return background;
}
