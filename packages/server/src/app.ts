import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type pg from 'pg';
import { DEFAULT_SERVER_RULES, type Rule } from './access/rules.js';
import { native } from './auth/native-suite.js';
import type { Background } from './background/background.js';
import { nameProcess } from './background/process-name.js';
import type { BackgroundBounds } from './background/worker-deps.js';
import type { Runtime } from './base/clock.js';
import { LedgerClock } from './base/ledger-clock.js';
import { makePooledRandom } from './base/pooled-random.js';
import { createWeightedSemaphore } from './base/weighted-semaphore.js';
import type { DeliveryBounds } from './deliveries/bounds.js';
import { DELIVER } from './deliveries/deliver.js';
import { RETRY_DELIVERIES } from './deliveries/retries.js';
import { TAKE_UP_DELIVERIES } from './deliveries/take-up.js';
import { createDeliveryWorkers, endSoon } from './deliveries/workers.js';
import type { ConnectionBounds } from './http/connections.js';
import type { HttpService } from './http/http-service.js';
import { makeRefusedTokenLog } from './http/refused-tokens.js';
import { listenToSiblings } from './http/relay/listen.js';
import { createSiblings, type Siblings } from './http/relay/siblings.js';
import { createServer } from './http/server.js';
import { createIntegrity } from './integrity/integrity.js';
import { createItems } from './integrity/items.js';
import { versionKeyOf } from './integrity/mac.js';
import { keyCheck } from './keys/master-key.js';
import { createLedgerMutex } from './ledgers/ledger-mutex.js';
import { createLedgers } from './ledgers/ledgers.js';
import type { Service } from './ledgers/service.js';
import { limits } from './limits.js';
import { createLogs } from './log/log.js';
import { Scheduler } from './metering/scheduler.js';
import { UNBOUNDED } from './metering/task.js';
import { createMetrics, type Metrics, watchPools, watchTurns } from './metrics.js';
import { createMoney, type Money } from './money/money.js';
import { PROCESS_INTENTS, type ProcessMeans, processIntents } from './money/process.js';
import { createAccessTokens } from './outbound/access-tokens.js';
import { createOutbound } from './outbound/client.js';
import type { Guard } from './outbound/guarded-connector.js';
import { createHostNames, type NamesOptions } from './outbound/names.js';
import type { Outbound } from './outbound/outbound.js';
import { createAssetFolder } from './records/asset-folder.js';
import { CompiledSchemas } from './schemas/compiled-schemas.js';
import { createRequestSignatures } from './signing/request-signatures.js';
import { type Signing, startSigning } from './signing/signing.js';
import { startWork } from './start-work.js';
import { type FreeDisk, UNWATCHED, watchDiskSpace } from './store/disk-space.js';
import { createEpochGuard, type EpochGuard } from './store/epoch-guard.js';
import { assertSameMasterKey } from './store/key-check.js';
import { migrate } from './store/migrate.js';
import { createPool } from './store/pool.js';
import { createPools } from './store/pools.js';
import { createFailedAttempts } from './store/queries/failed-attempts.js';
import { createSystemKeys } from './store/queries/ledgers.js';
import { createReplays } from './store/queries/replays.js';
import { createQuotas, type Quotas } from './store/quotas.js';
import { type Readiness, watchReadiness } from './store/readiness.js';
import { createStore, type Pools } from './store/store.js';
import { askAll, type WriteGuard } from './store/writes-refused.js';
import type { Witnesses } from './witnessing/worker.js';

export interface ServerOptions {
  readonly database: pg.PoolConfig;
  readonly masterKey: Buffer;
  /** The data folder of the embedded PostgreSQL. Its free space is watched: writes are refused when the disk is nearly full. */
  readonly databaseFolder?: string;
  /** What must be free there; `limits` unless given. */
  readonly freeDisk?: FreeDisk;
  /** The folder of the server's own files, which a restore of the database leaves alone; none is kept unless given. */
  readonly dataDir?: string;
  /** The URL that clients call; known only after listening when the system chooses the port. */
  readonly publicUrl: string;
  /** Other URLs by which clients reach the same address. */
  readonly publicAliases?: readonly string[];
  readonly name: string;
  readonly build: string;
  readonly defaultLedger?: string;
  readonly logger: FastifyBaseLogger;
  readonly runtime?: Runtime;
  /** Whether writes are refused while the clock is ahead of the database's; unless given, where no runtime is. */
  readonly compareClock?: boolean;
  /** Rules that hold on every ledger; those of interface/access#levels unless given. */
  readonly serverRules?: readonly Rule[];
  /** Milliseconds a request may take; 15 seconds unless given. */
  readonly requestTimeout?: number;
  /** Seconds a self-signed token may live; a day unless given. */
  readonly tokenMaxLife?: number;
  /** Proofs that a record carries; 100 unless given. */
  readonly recordProofs?: number;
  /** Bytes that each ledger may store, unless an operator allows it otherwise; any number unless given. */
  readonly ledgerQuota?: number;
  /** Whether outbound calls may reach addresses outside the public Internet; false unless given. */
  readonly deliveryAllowPrivate?: boolean;
  /** PEM of the authorities that services outside are verified by; those of Node.js unless given. */
  readonly outboundCa?: string;
  /** The folder of generated files of reports; none is served unless given. */
  readonly reportAssetsDir?: string;
  /** The bucket that they must be in; any place will do unless given. */
  readonly reportAssetsBucket?: string;
  /** Whose cosignatures checkpoints have; none are asked for unless given. */
  readonly witnesses?: Witnesses;
  /** Which of the deployment's processes this is; the only one unless given. */
  readonly worker?: string;
  /** The folder in which the processes of this machine meet, private to their user; they stay apart unless given. */
  readonly siblings?: string;
  /** Limits on client connections; the service's own unless given. */
  readonly connections?: Partial<ConnectionBounds>;
  /** Limits on deliveries and on background work; `limits` unless given. */
  readonly deliveries?: Partial<DeliveryBounds>;
  readonly background?: Partial<BackgroundBounds>;
  /** How the names of services outside are resolved, and which addresses count as public; as the system does unless given. */
  readonly guard?: Guard;
  /** The name servers and files that names are resolved by; those of the system unless given. */
  readonly names?: NamesOptions;
}

/** A server with its connection to the database. */
export interface Server {
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly metrics: Metrics;
  /** Closes once clients have left (`Connections.leave`), which takes seconds where one keeps an idle connection. */
  leave(): Promise<void>;
  /** Finishes what is under way, then closes the connections to the database. */
  close(): Promise<void>;
}

// biome-ignore lint/plugin: the clock that everything else is given
const RUNTIME: Runtime = { now: () => Date.now(), random: makePooledRandom(8_192) };

function logSpoilt(logger: FastifyBaseLogger): ProcessMeans['failed'] {
  return (failure) => logger.error(failure, 'an intent under way could not be processed, and is put off');
}

/** Wires store, services and HTTP, and migrates the database to this release's schema. The caller makes it listen. */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { logger, databaseFolder, worker = '0', outboundCa: ca, guard, deliveryAllowPrivate = false } = options;
  const metrics = createMetrics(worker);
  const failed = (error: Error) => logger.error({ err: error }, 'idle database connection failed');
  const bounds = { request: limits.request, ...limits.clients, ...options.connections };
  let reloadLogs = () => {};
  const epochs = await migrateDatabase(options, metrics, failed, () => reloadLogs());
  const signing = await startSigningThread(options);
  const names = createHostNames(options.names);
  const out = {
    allowPrivate: deliveryAllowPrivate,
    names,
    ca,
    guard,
  };
  const deliveries = { ...limits.deliveries, ...options.deliveries };
  const outbound = createOutbound(out);
  const { process: all, ledger: each } = deliveries.slots;
  // Slots bound the connections: a slow receiver takes none that its ledger has for another one of the origin.
  const calls = createOutbound({ ...out, calls: { process: all, ledger: each }, connections: each });
  const pools = createPools(options.database, epochs.verify, failed);
  let disk = UNWATCHED;
  const siblings = createSiblings(options.siblings, metrics, () => performance.now());
  const readiness = await watchReadiness(pools.others, limits.readiness, logger, clockToCompare(options));
  let stopReceiving = async () => {};
  const letGo = async () => {
    await stopReceiving();
    await closeAll([readiness, siblings, outbound, calls, signing, disk], pools);
  };
  try {
    disk = await watchDiskSpace(databaseFolder, pools.others, logger, options.freeDisk);
    const quotas = createQuotas(pools.others, options.ledgerQuota, disk, metrics.quotaExceeded);
    watchPools(metrics, pools);
    let background: Background | undefined;
    const hint = (worker: string) => () => background?.hint(worker);
    const goOn = hint(TAKE_UP_DELIVERIES);
    const deliveriesQueued = hint(DELIVER);
    const effectEnded = endSoon(pools.others, (options.runtime ?? RUNTIME).now, goOn);
    const others = { retriesQueued: hint(RETRY_DELIVERIES), intentsAccepted: hint(PROCESS_INTENTS) };
    const hints = { deliveriesQueued, effectEnded, ...others };
    const holder = nameProcess(worker, options.runtime ?? RUNTIME);
    const writes = askAll(disk, readiness);
    const resources = { metrics, pools, epochs, writes, readiness, quotas, outbound, holder, siblings, ...hints };
    const { service, money } = createService(options, { ...resources, signing });
    stopReceiving = await listenToSiblings(service, logger, options.siblings, holder);
    const { app, connections } = createServer(service, logger, metrics, bounds);
    const outwards = createDeliveryWorkers(service, {
      ...{ pools, outbound: calls, metrics, logger, bounds: deliveries, deliveriesQueued, goOn },
    });
    const work = startWork(
      { ...options, holder, service, metrics },
      [...outwards, processIntents({ service, holder, ...money, failed: logSpoilt(logger) })],
      pools,
      epochs.verify,
    );
    [background, reloadLogs] = [work, service.logs.reload];
    service.logs.start();
    const close = once(async () => {
      await Promise.all([app.close(), work.stop()]);
      await stopReceiving();
      await money.engine.leave();
      await service.logs.stop();
      await letGo();
    });
    return {
      app,
      service,
      metrics,
      close,
      async leave() {
        await Promise.all([connections.leave(), work.stop()]);
        await close();
      },
    };
  } catch (error) {
    await letGo();
    throw error;
  }
}

/** Does the work once, whoever asks. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Closes what a server has opened, and its connections to the database. */
async function closeAll(opened: readonly { close(): unknown }[], pools: Pools): Promise<void> {
  await Promise.all([...opened.map((one) => one.close()), ...Object.values(pools).map((one) => one.end())]);
}

/**
 * Starts the signing thread, before anything that would have to be closed if it did not start. The process cannot do without it: the
 * error that its end throws, which nothing catches, ends it.
 */
function startSigningThread({ masterKey, runtime = RUNTIME, logger }: ServerOptions): Promise<Signing> {
  return startSigning({
    versionKey: versionKeyOf(masterKey),
    random: runtime.random,
    ended(err) {
      logger.fatal({ err }, 'the signing thread has ended: the process ends');
      throw err;
    },
  });
}

/** The clock that is compared with the database's. One that was given is, where that is asked for. */
function clockToCompare({ runtime, compareClock = runtime === undefined }: ServerOptions): Runtime['now'] | undefined {
  return compareClock ? (runtime ?? RUNTIME).now : undefined;
}

/** What the service is built on; released when it closes. */
interface Resources {
  readonly metrics: Metrics;
  readonly pools: Pools;
  readonly epochs: EpochGuard;
  /** Asked before every write. */
  readonly writes: WriteGuard;
  readonly readiness: Readiness;
  readonly quotas: Quotas;
  readonly outbound: Outbound;
  readonly signing: Signing;
  readonly siblings: Siblings;
  readonly deliveriesQueued: () => void;
  readonly retriesQueued: () => void;
  readonly effectEnded: Service['effectEnded'];
  readonly intentsAccepted: () => void;
  /** Name of this process. */
  readonly holder: string;
}

/** Checks what is stored, and raises the alarm where it was altered. */
function createAlarmedIntegrity(
  { masterKey, logger, runtime }: Pick<ServerOptions, 'masterKey' | 'logger'> & { readonly runtime: Runtime },
  { metrics, pools }: Pick<Resources, 'metrics' | 'pools'>,
) {
  return createIntegrity({
    masterKey,
    suite: native,
    random: runtime.random,
    systemKey: createSystemKeys(pools.others),
    alarm({ ledger, luid, change, defect }) {
      metrics.corrupt();
      logger.error({ ledger, luid, change, defect }, 'a stored version is not what its ledger stored');
    },
  });
}

/** The service of all requests: the store, the ledgers, and the caches and bounds that they share. */
function createService(options: ServerOptions, resources: Resources): { service: HttpService; money: Money } {
  const { metrics, pools, epochs, writes, outbound, signing, deliveriesQueued: queued, retriesQueued } = resources;
  const { holder, siblings, readiness, quotas, intentsAccepted: accepted, effectEnded } = resources;
  const { publicUrl, publicAliases, name, build, defaultLedger, masterKey, logger } = options;
  const { reportAssetsDir: folder, reportAssetsBucket: bucket, tokenMaxLife = limits.selfSignedLife } = options;
  const { runtime = RUNTIME, serverRules = DEFAULT_SERVER_RULES, requestTimeout = 15_000, worker = '0' } = options;
  const scheduler = new Scheduler();
  watchTurns(metrics, () => scheduler.waiting);
  const integrity = createAlarmedIntegrity({ masterKey, logger, runtime }, resources);
  const logs = createLogs({
    pool: pools.others,
    masterKey,
    suite: native,
    integrity,
    publicUrl: () => service.publicUrl,
    dataDir: options.dataDir,
    worker,
    metrics,
    logger,
    policy: options.witnesses?.policy,
  });
  const moments = new LedgerClock(runtime.now);
  const store = createStore(pools, { ...integrity, epochs }, metrics.batched, writes, logs.wake, moments, quotas);
  const money = createMoney(pools.others, {
    ...{ store, runtime, moments, signing, holder, accepted, queued, metrics },
    reaches: siblings.reaches,
  });
  const service: HttpService = {
    publicUrl,
    publicAliases,
    name,
    build,
    defaultLedger,
    ...{ masterKey, runtime, moments },
    readiness,
    engine: money.engine,
    siblings,
    outbound,
    accessTokens: createAccessTokens({ outbound, now: runtime.now, fetched: metrics.tokenFetched }),
    requestTimeout,
    tokenMaxLife,
    recordProofs: options.recordProofs ?? limits.proofs,
    tokenRefused: makeRefusedTokenLog(logger, runtime.now),
    store,
    logs,
    integrity,
    suite: native,
    signatures: createRequestSignatures(signing, native, metrics.batched),
    serverRules,
    failedAttempts: createFailedAttempts(pools.others, runtime),
    replays: createReplays(pools.others, runtime, (size, waited) => metrics.batched('token', size, waited)),
    ledgers: createLedgers(store.ledgers, { masterKey, suite: native, integrity, scheduler }),
    compiledSchemas: new CompiledSchemas(),
    items: createItems(integrity.check),
    answerBytes: createWeightedSemaphore(limits.answers),
    ledgerMutex: createLedgerMutex(),
    scheduler,
    settle: money.engine.create,
    ...{ deliveriesQueued: queued, effectEnded, intentsDue: accepted, retriesQueued },
    task: UNBOUNDED,
    assetBucket: bucket,
    openAsset: folder === undefined ? undefined : createAssetFolder(folder),
  };
  return { service, money };
}

/**
 * Migrates the database to this release's schema, verifies its master key, and makes the epoch guard of its
 * connections.
 */
async function migrateDatabase(
  { database, masterKey, logger }: ServerOptions,
  metrics: Metrics,
  failed: (error: Error) => void,
  wentBack: () => void,
): Promise<EpochGuard> {
  const pool = createPool({ ...database, max: 1 }, failed);
  try {
    await migrate(pool);
    await assertSameMasterKey(pool, keyCheck(masterKey));
    return await createEpochGuard(pool, {
      epochBegan(epoch) {
        metrics.epochBegan(epoch);
        wentBack();
        logger.warn({ epoch }, 'the database has gone on from an earlier point: what was read before is read again');
      },
    });
  } finally {
    await pool.end();
  }
}
