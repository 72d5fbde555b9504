import { DEFAULT_SERVER_RULES } from './access/rules.js';
import { native } from './auth/native-suite.js';
import type { Runtime } from './base/clock.js';
import { LedgerClock } from './base/ledger-clock.js';
import { tokenLifetime } from './base/token-lifetime.js';
import { createWeightedSemaphore } from './base/weighted-semaphore.js';
import type { HttpService } from './http/http-service.js';
import { makeRefusedTokenLog } from './http/refused-tokens.js';
import type { Siblings } from './http/relay/siblings.js';
import { createIntegrity } from './integrity/integrity.js';
import { createItems } from './integrity/items.js';
import { createJournal } from './journal/journal.js';
import { countEntries } from './journal/metrics.js';
import { createLedgerMutex } from './ledgers/ledger-mutex.js';
import { createLedgers } from './ledgers/ledgers.js';
import { watchLedgers } from './ledgers/metrics.js';
import type { Service } from './ledgers/service.js';
import { listLimits } from './lists/list-limits.js';
import { createLogs } from './log/log.js';
import { tellRefusals } from './metering/refusals.js';
import { Scheduler } from './metering/scheduler.js';
import { UNBOUNDED } from './metering/task.js';
import { TenantRates } from './metering/tenant-rates.js';
import { type Metrics, watchTurns } from './metrics.js';
import { createMoney, type Money } from './money/money.js';
import { createAccessTokens } from './outbound/access-tokens.js';
import type { Outbound } from './outbound/outbound.js';
import { createAssetFolder } from './records/asset-folder.js';
import { recordLimits } from './records/record-limits.js';
import { CompiledSchemas } from './schemas/compiled-schemas.js';
import { RUNTIME, type ServerOptions } from './server-options.js';
import { createRequestSignatures } from './signing/request-signatures.js';
import type { Signing } from './signing/signing.js';
import type { Database } from './store/database.js';
import { createFailedAttempts } from './store/queries/failed-attempts.js';
import { createSystemKeys } from './store/queries/ledgers.js';
import { createReplays } from './store/queries/replays.js';
import { createStore } from './store/store.js';
import { UNTRACED } from './tracing/tracing.js';

/** What the service is built on; released when it closes. */
interface Resources {
  readonly metrics: Metrics;
  readonly database: Database;
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
  { logger, runtime }: Pick<ServerOptions, 'logger'> & { readonly runtime: Runtime },
  { metrics, database: { pools, keys } }: Pick<Resources, 'metrics' | 'database'>,
) {
  return createIntegrity({
    keys,
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
export function createService(options: ServerOptions, resources: Resources): { service: HttpService; money: Money } {
  const { metrics, database, outbound, signing, deliveriesQueued: queued, retriesQueued } = resources;
  const { holder, siblings, intentsAccepted: accepted, effectEnded } = resources;
  const { pools, keys, epochs, nodes, readiness, readOnly, schema, drain, quotas, nodesDown } = database;
  const { publicUrl, publicAliases, name, build, defaultLedger, logger } = options;
  const { reportAssetsDir: folder, reportAssetsBucket: bucket, tokenMaxLife = tokenLifetime.selfSigned } = options;
  const { runtime = RUNTIME, serverRules = DEFAULT_SERVER_RULES, requestTimeout = 15_000, worker = '0' } = options;
  const { tracing = UNTRACED } = options;
  const scheduler = new Scheduler();
  watchTurns(metrics, () => scheduler.waiting);
  const integrity = createAlarmedIntegrity({ logger, runtime }, resources);
  const logs = createLogs({
    pool: pools.others,
    keys,
    suite: native,
    integrity,
    publicUrl: () => service.publicUrl,
    dataDir: options.dataDir,
    worker,
    ...{ metrics, logger, tracing },
    policy: options.witnesses?.policy,
    isPaused: () => schema.isOutdated,
  });
  const moments = new LedgerClock(runtime.now);
  const guards = { ...integrity, epochs, nodes };
  const store = createStore(pools, guards, metrics.batched, database, logs.wake, moments, quotas);
  const money = createMoney(pools.others, {
    ...{ store, runtime, moments, signing, holder, accepted, queued, metrics, tracing },
    reaches: siblings.reaches,
    drain,
  });
  const ledgers = createLedgers(store.ledgers, { keys, suite: native, integrity, scheduler });
  watchLedgers(metrics, ledgers.count);
  const limitRefused = tellRefusals(logger, metrics.rateLimited, runtime.now);
  const keepsJournals = options.journalDays !== 'off';
  const journal = createJournal({ store, suite: native, runtime, metrics: countEntries(metrics), logger });
  const service: HttpService = {
    publicUrl,
    publicAliases,
    name,
    build,
    defaultLedger,
    ...{ accessLog: options.accessLog, measuredLedgers: options.measuredLedgers, keepsJournals, journal },
    consoleServers: options.consoleServers,
    ...{ keys, runtime, moments, readiness, drain, tracing, nodesDown, readOnly: () => readOnly.mode },
    engine: money.engine,
    siblings,
    outbound,
    accessTokens: createAccessTokens({ outbound, now: runtime.now, fetched: metrics.tokenFetched }),
    rates: new TenantRates(options.rates ?? {}, () => performance.now(), limitRefused),
    limitRefused,
    requestTimeout,
    tokenMaxLife,
    recordProofs: options.recordProofs ?? recordLimits.proofs,
    tokenRefused: makeRefusedTokenLog(logger, runtime.now),
    ...{ store, logs, integrity },
    suite: native,
    signatures: createRequestSignatures(signing, native, metrics.batched),
    serverRules,
    failedAttempts: createFailedAttempts(pools.others, runtime),
    replays: createReplays(pools.others, runtime, (size, waited) => metrics.batched('token', size, waited)),
    ledgers,
    compiledSchemas: new CompiledSchemas(),
    items: createItems(integrity.check),
    answerBytes: createWeightedSemaphore(listLimits.answers),
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
