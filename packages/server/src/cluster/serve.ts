import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { openServer, type Server } from '../app.js';
import type { Config } from '../config.js';
import type { RateLimit } from '../metering/rate-limiter.js';
import { RUNTIME } from '../server-options.js';
import { openTracing } from '../tracing/sdk.js';
import type { Tracing } from '../tracing/tracing.js';
import { BUILD } from './build.js';
import { cannotListen } from './port.js';

/** Parameters of a serving process, beside the settings. */
export interface ServeOptions {
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
  /** Reads the keys that are set anew. */
  readonly loadKeys?: () => Promise<readonly Buffer[]>;
  readonly logger: FastifyBaseLogger;
  /** Which of the deployment's processes it is; `0` when it is the only one. */
  readonly worker: string;
  /** The folder in which the processes meet. */
  readonly siblings?: string;
}

const MILLISECONDS_PER_HOUR = 3_600_000;

/** Opens a server and listens, with the settings of the environment. */
export async function startProcess(config: Config, deps: ServeOptions): Promise<Server> {
  const { publicUrl, publicAliases, name, defaultLedger, serverRules, requestTimeout, deliveryAllowPrivate } = config;
  const { witnesses: policy, witnessInterval, tokenMaxLife, recordProofs } = config;
  const {
    reportAssetsDir,
    reportAssetsBucket,
    deliveryTimeout,
    deliveryConcurrency: slots,
    backgroundLease: lease,
  } = config;
  const databaseFolder = config.databaseUrl === undefined ? join(config.dataDir, 'postgres') : undefined;
  const server = await openServer({
    database: { connectionString: deps.databaseUrl },
    masterKey: deps.masterKey,
    loadKeys: deps.loadKeys,
    dataDir: config.dataDir,
    databaseFolder,
    publicUrl,
    publicAliases,
    name,
    build: BUILD,
    defaultLedger,
    serverRules,
    logger: deps.logger,
    accessLog: config.accessLog,
    journalDays: config.journalDays,
    tracing: await openTraces(config, deps),
    measuredLedgers: config.metricsLedgers,
    requestTimeout,
    tokenMaxLife,
    recordProofs,
    ledgerQuota: await quotaOf(config, databaseFolder),
    deliveryAllowPrivate,
    connections: { trustedProxies: config.trustedProxies, each: config.addressConnections },
    rates: {
      requests: perSecond(config.addressRequests),
      writes: perSecond(config.ledgerWrites),
      ledgers: config.addressLedgers === undefined ? undefined : { count: config.addressLedgers, seconds: 3_600 },
    },
    deliveries: {
      attempt: deliveryTimeout,
      slots: { process: slots, ledger: Math.ceil(slots / 4) },
      retryFor: config.deliveryRetryHours * MILLISECONDS_PER_HOUR,
    },
    background: { lease, beat: lease / 3 },
    reportAssetsDir,
    reportAssetsBucket,
    consoleServers: config.consoleServers,
    ...(policy ? { witnesses: { policy, interval: witnessInterval * 1_000 } } : {}),
    worker: deps.worker,
    siblings: deps.siblings,
  });
  try {
    // For a name with several addresses the framework would start a second server, outside the guard of connections.
    const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
    await server.app.listen({ port: config.port, host });
  } catch (error) {
    await server.close();
    throw cannotListen(error, config.host, config.port);
  }
  return server;
}

/** Spans are sent where that is asked for. @throws TracingUnavailable */
async function openTraces(
  { traceEndpoint: endpoint, traceShare: share, name: serviceName }: Config,
  { logger, worker }: ServeOptions,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const random = () => Buffer.from(RUNTIME.random(4)).readUInt32LE() / 2 ** 32;
  return openTracing({
    endpoint,
    share,
    serviceName,
    build: BUILD,
    instance: `${hostname()}/${worker}`,
    random,
    logger,
  });
}

/** A rate that holds over some seconds: what comes at once is no flood. */
function perSecond(rate: number | undefined): RateLimit | undefined {
  return rate === undefined ? undefined : { count: rate * BURST_SECONDS, seconds: BURST_SECONDS };
}

const BURST_SECONDS = 5;

/** Bytes that each ledger may store. A part of a disk is one of the disk of the embedded PostgreSQL. */
async function quotaOf({ ledgerQuota: quota }: Config, folder: string | undefined): Promise<number> {
  if (quota !== undefined && 'bytes' in quota) return quota.bytes;
  if (quota === undefined || folder === undefined) return Number.POSITIVE_INFINITY;
  const { blocks, bsize } = await statfs(folder);
  return Math.floor((blocks * bsize * quota.percent) / 100);
}
