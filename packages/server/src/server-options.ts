import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { DEFAULT_SERVER_RULES, type Rule } from './access/rules.js';
import type { BackgroundBounds } from './background/worker-deps.js';
import type { Runtime } from './base/clock.js';
import { makePooledRandom } from './base/pooled-random.js';
import { tokenLifetime } from './base/token-lifetime.js';
import type { DeliveryBounds } from './deliveries/delivery-limits.js';
import type { ConnectionBounds } from './http/connections.js';
import type { TenantRateLimits } from './metering/tenant-rates.js';
import type { Guard } from './outbound/guarded-connector.js';
import type { NamesOptions } from './outbound/names.js';
import { recordLimits } from './records/record-limits.js';
import type { FreeDisk } from './store/disk-space.js';
import { type Tracing, UNTRACED } from './tracing/tracing.js';
import type { Witnesses } from './witnessing/worker.js';

export interface ServerOptions {
  readonly database: pg.PoolConfig;
  readonly masterKey: Buffer;
  /** Reads the keys that are set anew, the next one included; there is one key for good unless given. */
  readonly loadKeys?: () => Promise<readonly Buffer[]>;
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
  /** The part of requests that succeed which the access log has, beside the others; none is kept unless given. */
  readonly accessLog?: number;
  /** Spans of what the server does; none are made unless given. */
  readonly tracing?: Tracing;
  /** Days for which entries of request journals are kept; `off` where none are written. Unless given, 90. */
  readonly journalDays?: number | 'off';
  /** Handles of the ledgers that have metrics of their own; none unless given. */
  readonly measuredLedgers?: readonly string[];
  /** What senders and ledgers may do in a time; no limit unless given. */
  readonly rates?: TenantRateLimits;
  /** Whether outbound calls may reach addresses outside the public Internet; false unless given. */
  readonly deliveryAllowPrivate?: boolean;
  /** PEM of the authorities that services outside are verified by; those of Node.js unless given. */
  readonly outboundCa?: string;
  /** The folder of generated files of reports; none is served unless given. */
  readonly reportAssetsDir?: string;
  /** The bucket that they must be in; any place will do unless given. */
  readonly reportAssetsBucket?: string;
  /** Origins of other servers that the console may ask; the console is not served unless given. */
  readonly consoleServers?: readonly string[];
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

// biome-ignore lint/plugin: the clock that everything else is given
export const RUNTIME: Runtime = { now: () => Date.now(), random: makePooledRandom(8_192) };

/** Options with what holds unless it is given. */
export type SettledOptions = ReturnType<typeof withDefaults>;

/** The options, with what holds unless it is given. */
export function withDefaults({
  runtime,
  compareClock = runtime === undefined,
  serverRules = DEFAULT_SERVER_RULES,
  requestTimeout = 15_000,
  tokenMaxLife = tokenLifetime.selfSigned,
  recordProofs = recordLimits.proofs,
  rates = {},
  tracing = UNTRACED,
  worker = '0',
  ...others
}: ServerOptions) {
  const limits = { requestTimeout, tokenMaxLife, recordProofs, rates };
  return { ...others, ...limits, runtime: runtime ?? RUNTIME, compareClock, serverRules, tracing, worker };
}
