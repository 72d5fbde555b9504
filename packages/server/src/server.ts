import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type pg from 'pg';
import { DEFAULT_SERVER_RULES, type Rule } from './access/rules.js';
import { native } from './auth/native-suite.js';
import type { Nature } from './clock.js';
import { createServer } from './http/server.js';
import { createLedgers } from './ledgers/ledgers.js';
import { keyCheck } from './ledgers/master-key.js';
import { limits } from './limits.js';
import { createMetrics, type Metrics, watchPools, watchTurns } from './metrics.js';
import { createOutbound } from './outbound/client.js';
import { createItems } from './records/items.js';
import { createTurns } from './records/turns.js';
import { createUserSchemas } from './records/user-schemas.js';
import { CompiledSchemas } from './schemas/compiled.js';
import type { Service } from './service.js';
import { assertSameMasterKey } from './store/key-check.js';
import { migrate } from './store/migrate.js';
import { createPool } from './store/pool.js';
import { createReplays } from './store/replays.js';
import { createStore } from './store/store.js';
import { Scheduler } from './work/scheduler.js';
import { UNBOUNDED } from './work/task.js';

export interface ServerOptions {
  readonly database: pg.PoolConfig;
  readonly masterKey: Buffer;
  /** What clients call; known only after listening when the port is chosen by the system. */
  readonly publicUrl: string;
  readonly name: string;
  readonly build: string;
  readonly defaultLedger?: string;
  readonly logger: FastifyBaseLogger;
  readonly nature?: Nature;
  /** Rules that hold on every ledger; those of contract 03 §6.4 unless given. */
  readonly serverRules?: readonly Rule[];
  /** Milliseconds a request may take; 15 seconds unless given. */
  readonly requestTimeout?: number;
  /** Whether calls may lead to addresses that are not of the public Internet; they may not unless given. */
  readonly deliveryAllowPrivate?: boolean;
  /** Which of the deployment's processes this is; the only one unless given. */
  readonly worker?: string;
  /** Collects the metrics of all processes; this one's unless given. */
  readonly collect?: () => Promise<string>;
}

/** A server with its connection to the database. */
export interface Server {
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly metrics: Metrics;
  /** Finishes what was begun, then lets go of the database. */
  close(): Promise<void>;
}

const NATURE: Nature = { now: () => Date.now(), random: pooledRandom(8_192) };

/** Random bytes, drawn from the system many at a time: a luid needs few, and asking costs more than filling. */
function pooledRandom(size: number): Nature['random'] {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (bytes > size) return randomBytes(bytes);
    if (pool.length < bytes) pool = randomBytes(size);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

/** Wires store, services and HTTP, and brings the database to this release's schema. It does not listen yet. */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { database, masterKey, logger, nature = NATURE, requestTimeout = 15_000, worker = '0', ...named } = options;
  const { serverRules = DEFAULT_SERVER_RULES, deliveryAllowPrivate: allowPrivate = false } = options;
  const metrics = createMetrics(worker);
  const outbound = createOutbound({ allowPrivate });
  const failed = (error: Error) => logger.error({ err: error }, 'idle database connection failed');
  const { connections } = limits;
  const pool = createPool({ max: connections.others, ...database }, failed);
  const patience = { statement_timeout: limits.listing, connectionTimeoutMillis: 2 * limits.listing };
  const lists = createPool({ max: connections.lists, ...patience, ...database }, failed);
  const pools = { lists, others: pool };
  const letGo = () => Promise.all([outbound.close(), pool.end(), lists.end()]);
  try {
    await migrate(pool);
    await assertSameMasterKey(pool, keyCheck(masterKey));
    watchPools(metrics, pools);
    const scheduler = new Scheduler();
    watchTurns(metrics, () => scheduler.waiting);
    const store = createStore(pools, metrics.batched);
    const service: Service = {
      ...named,
      masterKey,
      nature,
      outbound,
      requestTimeout,
      store,
      suite: native,
      serverRules,
      replays: createReplays(pool, nature, (size, waited) => metrics.batched('token', size, waited)),
      ledgers: createLedgers(store.ledgers, masterKey, native, scheduler),
      userSchemas: createUserSchemas(store, new CompiledSchemas()),
      items: createItems(),
      turns: createTurns(),
      scheduler,
      task: UNBOUNDED,
    };
    const collect = options.collect ?? (() => metrics.registry.metrics());
    const app = createServer(service, logger, { metrics, collect });
    return {
      app,
      service,
      metrics,
      async close() {
        await app.close();
        await letGo();
      },
    };
  } catch (error) {
    await letGo();
    throw error;
  }
}
