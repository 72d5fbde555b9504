import { native } from './auth/native-suite.js';
import { LedgerClock } from './base/ledger-clock.js';
import type { HttpService } from './http/http-service.js';
import { makeRefusedTokenLog } from './http/refused-tokens.js';
import type { Siblings } from './http/relay/siblings.js';
import { createIntegrity } from './integrity/integrity.js';
import { createItems } from './integrity/items.js';
import { createJournal } from './journal/journal.js';
import { createLedgerMutex } from './ledgers/ledger-mutex.js';
import { createLedgers } from './ledgers/ledgers.js';
import type { Service } from './ledgers/service.js';
import { createAnswerBytes } from './lists/page-bodies.js';
import { createLogs } from './log/log.js';
import { createMetering } from './metering/metering.js';
import { UNBOUNDED } from './metering/task.js';
import { type Metrics, watchTurns } from './metrics.js';
import { createMoney, type Money } from './money/money.js';
import { createAccessTokens } from './outbound/access-tokens.js';
import type { Outbound } from './outbound/outbound.js';
import { createAssetFolder } from './records/asset-folder.js';
import { CompiledSchemas } from './schemas/compiled-schemas.js';
import type { SettledOptions } from './server-options.js';
import { createRequestSignatures } from './signing/request-signatures.js';
import type { Signing } from './signing/signing.js';
import type { Database } from './store/database.js';
import { createFailedAttempts } from './store/queries/failed-attempts.js';
import { createReplays } from './store/queries/replays.js';
import { createStore } from './store/store.js';

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
function createAlarmedIntegrity({ logger, runtime }: SettledOptions, { metrics, database }: Resources) {
  return createIntegrity({
    keys: database.keys,
    suite: native,
    random: runtime.random,
    pool: database.pools.others,
    alarm({ ledger, luid, change, defect }) {
      metrics.corrupt();
      logger.error({ ledger, luid, change, defect }, 'a stored version is not what its ledger stored');
    },
  });
}

/** The service of all requests: the store, the ledgers, and the caches and bounds that they share. */
export function createService(options: SettledOptions, resources: Resources): { service: HttpService; money: Money } {
  const { metrics, database, outbound, signing, deliveriesQueued: queued, retriesQueued } = resources;
  const { holder, siblings, intentsAccepted: accepted, effectEnded } = resources;
  const { pools, keys, epochs, nodes, readiness, readOnly, schema, drain, quotas, nodesDown } = database;
  const { publicUrl, publicAliases, name, build, defaultLedger, logger } = options;
  const { reportAssetsDir: folder, reportAssetsBucket: bucket, runtime, tracing } = options;
  const { requestTimeout, tokenMaxLife, recordProofs, serverRules, dataDir, worker } = options;
  const metering = createMetering({
    rates: options.rates,
    ...{ logger, refused: metrics.rateLimited, now: runtime.now },
  });
  const { scheduler } = metering;
  watchTurns(metrics, () => scheduler.waiting);
  const integrity = createAlarmedIntegrity(options, resources);
  const logs = createLogs({
    pool: pools.others,
    publicUrl: () => service.publicUrl,
    ...{ keys, suite: native, integrity, dataDir, worker, metrics, logger, tracing },
    policy: options.witnesses?.policy,
    isPaused: () => schema.isOutdated,
  });
  const moments = new LedgerClock(runtime.now);
  const guards = { ...integrity, epochs, nodes };
  const store = createStore(pools, guards, metrics.batched, database, logs.wake, moments, quotas);
  const money = createMoney(pools.others, {
    ...{ store, runtime, moments, signing, holder, accepted, queued, metrics, tracing, drain },
    reaches: siblings.reaches,
  });
  const ledgers = createLedgers(store.ledgers, { keys, suite: native, integrity, scheduler, metrics });
  const service: HttpService = {
    ...{ publicUrl, publicAliases, name, build, defaultLedger },
    ...{ accessLog: options.accessLog, measuredLedgers: options.measuredLedgers },
    consoleServers: options.consoleServers,
    keepsJournals: options.journalDays !== 'off',
    journal: createJournal({ store, suite: native, runtime, metrics, logger }),
    ...{ keys, runtime, moments, readiness, drain, tracing, nodesDown, readOnly: () => readOnly.mode },
    engine: money.engine,
    ...{ siblings, outbound },
    accessTokens: createAccessTokens({ outbound, now: runtime.now, fetched: metrics.tokenFetched }),
    ...metering,
    ...{ requestTimeout, tokenMaxLife, recordProofs, serverRules },
    tokenRefused: makeRefusedTokenLog(logger, runtime.now),
    ...{ store, logs, integrity },
    suite: native,
    signatures: createRequestSignatures(signing, native, metrics.batched),
    failedAttempts: createFailedAttempts(pools.others, runtime),
    replays: createReplays(pools.others, runtime, (size, waited) => metrics.batched('token', size, waited)),
    ledgers,
    compiledSchemas: new CompiledSchemas(),
    items: createItems(integrity.check),
    answerBytes: createAnswerBytes(),
    ledgerMutex: createLedgerMutex(),
    settle: money.engine.create,
    ...{ deliveriesQueued: queued, effectEnded, intentsDue: accepted, retriesQueued },
    task: UNBOUNDED,
    assetBucket: bucket,
    openAsset: folder === undefined ? undefined : createAssetFolder(folder),
  };
  return { service, money };
}
