import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Policy } from '@countersign/protocol/log';
import { DEFAULT_SERVER_RULES, type Rule } from './access/rules.js';
import { parseServerRules } from './access/server-rules.js';
import { tokenLifetime } from './base/token-lifetime.js';
import {
  loadWitnessPolicy,
  parseConsole,
  parseHandle,
  parseHandles,
  parseHost,
  parseInteger,
  parsePort,
  parseProxies,
  parseUrl,
  readPath,
} from './config-values.js';
// Registers the kinds, which server rules name.
import './kinds/registry.js';
import { backgroundLimits } from './background/background-limits.js';
import { isWithin } from './base/within.js';
import { databaseSettings } from './database-settings.js';
import { keySettings } from './key-settings.js';
import { type LedgerQuota, parseQuota, quotaOfOthers } from './ledger-quota.js';
import { findSharedPorts, urlsOf } from './listen-addresses.js';
import { type LogLevel, logSettings, type TraceConfig } from './log-settings.js';
import { type OperatorConfig, operatorSettings } from './operator-settings.js';
import { outboundLimits } from './outbound/outbound-limits.js';
import { rateSettings } from './rate-settings.js';
import { recordLimits } from './records/record-limits.js';

/** The settings of the server. */
export interface Config extends TraceConfig, OperatorConfig {
  readonly port: number;
  readonly host: string;
  /** The TCP port of the metrics; undefined where none are served. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** Handles of the ledgers that have metrics of their own. */
  readonly metricsLedgers: readonly string[];
  /** Addresses and networks (CIDR) of proxies, whose `X-Forwarded-For` names the sender of a request. */
  readonly trustedProxies: readonly string[];
  /** The URL that clients call, `/v2` included; it ends without a slash. */
  readonly publicUrl: string;
  /** Further loopback URLs that are accepted, when the server listens on loopback and PUBLIC_URL is absent. */
  readonly publicAliases: readonly string[];
  /** An absolute path. */
  readonly dataDir: string;
  /** A PostgreSQL connection string; undefined to run the embedded PostgreSQL. Do not log it: it holds a password. */
  readonly databaseUrl: string | undefined;
  /** The role that `--migrate` lets serve; undefined where the role that migrates does. */
  readonly databaseRole: string | undefined;
  /** The folder of backups, to which the write-ahead log is copied, an absolute path; undefined where it is not. */
  readonly backupDir: string | undefined;
  /** Seconds that a start waits for a database that is out of reach. */
  readonly databaseWait: number;
  /** 32 bytes in base64; undefined to use the key file. Do not log it. */
  readonly masterKey: string | undefined;
  /** The same, of the key that is to replace it. Do not log it. */
  readonly masterKeyNext: string | undefined;
  /** The number of serving processes. */
  readonly workers: number;
  /** Milliseconds. */
  readonly requestTimeout: number;
  /** Seconds. */
  readonly tokenMaxLife: number;
  readonly recordProofs: number;
  readonly deliveryTimeout: number;
  readonly deliveryConcurrency: number;
  /** Hours. */
  readonly deliveryRetryHours: number;
  readonly backgroundLease: number;
  /** Whether calls to bridges may lead to loopback and private addresses. */
  readonly deliveryAllowPrivate: boolean;
  /** The folder of generated files of reports, an absolute path; undefined where none is served. */
  readonly reportAssetsDir: string | undefined;
  /** The bucket that they must be in; undefined where any place will do. */
  readonly reportAssetsBucket: string | undefined;
  /** Origins of other servers that the console may ask; undefined where it is not served. */
  readonly consoleServers: readonly string[] | undefined;
  /** Whose cosignatures checkpoints have; undefined without witnesses. */
  readonly witnesses: Policy | undefined;
  /** Seconds. */
  readonly witnessInterval: number;
  readonly ledgerQuota: LedgerQuota;
  /** Requests of one address in a second; undefined for no limit, here and below. */
  readonly addressRequests: number | undefined;
  /** New ledgers of one address in an hour. */
  readonly addressLedgers: number | undefined;
  /** Open connections of one address to each serving process. */
  readonly addressConnections: number | undefined;
  /** Writes in one ledger in a second. */
  readonly ledgerWrites: number | undefined;
  readonly logLevel: LogLevel;
  /** The part of all requests that the access log has; undefined for no access log. */
  readonly accessLog: number | undefined;
  readonly journalDays: number | 'off';
  readonly name: string;
  /** The handle of the ledger for requests that lack `x-ledger`; undefined to refuse them. */
  readonly defaultLedger: string | undefined;
  /** Rules that hold on every ledger of the deployment. */
  readonly serverRules: readonly Rule[];
}

/** A setting: its documentation, and how its text is parsed. */
interface Setting<T> {
  readonly name: string;
  /** The default, in Markdown. */
  readonly default: string;
  readonly meaning: string;
  /** Whether the variable `<name>_FILE` may name a file with the value instead. */
  readonly isSecret?: true;
  /** @throws Error whose message completes a sentence that begins with the setting's name */
  readonly read: (text: string | undefined) => T;
}

export const settings = {
  port: {
    name: 'PORT',
    default: '`3000`',
    meaning: 'The TCP port to listen on.',
    read: (text = '3000') => parsePort(text, 'a number from 1 to 65535'),
  },
  host: {
    name: 'HOST',
    default: '`127.0.0.1`',
    meaning: 'The address to listen on: `0.0.0.0` for all of IPv4, `::` for all addresses.',
    read: (text = '127.0.0.1') => parseHost(text),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    default: '`9464`',
    meaning: 'The TCP port of the [metrics](monitoring.md#metrics) of all processes. `off` for none.',
    read: (text = '9464') => (text === 'off' ? undefined : parsePort(text, 'a number from 1 to 65535, or off')),
  },
  metricsHost: {
    name: 'METRICS_HOST',
    default: '`127.0.0.1`',
    meaning: 'The address of the metrics. They need no token: name one that only your monitoring can reach.',
    read: (text = '127.0.0.1') => parseHost(text),
  },
  metricsLedgers: {
    name: 'METRICS_LEDGERS',
    default: 'none',
    meaning:
      'Handles of at most 20 ledgers, separated by commas, that have [metrics of their own](monitoring.md#metrics-of-a-ledger).',
    read: (text) => (text === undefined ? [] : parseHandles(text, 20)),
  },
  ...operatorSettings,
  publicUrl: {
    name: 'PUBLIC_URL',
    default: '`http://HOST:PORT/v2`',
    meaning:
      'What clients call, with `/v2`: the server states it, and tokens bound to a request name it. Without it `localhost`, `127.0.0.1` and `[::1]` count as one.',
    read: (text) => (text === undefined ? undefined : parseUrl(text)),
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: 'none',
    meaning:
      'The addresses or networks (as in `192.0.2.7,10.0.0.0/8`) of [proxies](install.md#behind-a-proxy) that tell by `X-Forwarded-For` who sent a request.',
    read: (text) => (text === undefined ? [] : parseProxies(text)),
  },
  dataDir: {
    name: 'DATA_DIR',
    default: '`./data`',
    meaning: 'The folder for what the server keeps: its own PostgreSQL, the key file. One server at a time uses it.',
    read: (text = './data') => readPath(text),
  },
  ...databaseSettings,
  ...keySettings,
  workers: {
    name: 'WORKERS',
    default: 'one per processor, at most 8',
    meaning:
      'How many processes serve, on one socket. `SIGHUP` replaces them one after the other; one that dies or stands still is replaced.',
    read: (text = String(Math.min(availableParallelism(), 8))) => parseInteger(text, 1, 64),
  },
  requestTimeout: {
    name: 'REQUEST_TIMEOUT',
    default: '`15000`',
    meaning:
      'Milliseconds after which a request is answered 408. It may still have been done; sending it again is safe.',
    read: (text = '15000') => parseInteger(text, 100, 600_000),
  },
  tokenMaxLife: {
    name: 'TOKEN_MAX_LIFE',
    default: '`86400`',
    meaning:
      'Seconds that a [self-signed token](../interface/tokens.md#self-signed-tokens) may live, by its `iat` and `exp`.',
    read: (text = String(tokenLifetime.selfSigned)) => parseInteger(text, 60, tokenLifetime.greatest),
  },
  recordProofs: {
    name: 'RECORD_PROOFS',
    default: '`100`',
    meaning:
      'How many [proofs](../interface/proofs.md) a record carries, those of the ledger counted, from 10 to 500. Set it alike for all processes.',
    read: (text = String(recordLimits.proofs)) => parseInteger(text, 10, 500),
  },
  deliveryTimeout: {
    name: 'DELIVERY_TIMEOUT',
    default: '`15000`',
    meaning: 'Milliseconds that a receiver has to answer an event; then the attempt has failed.',
    read: (text = '15000') => parseInteger(text, 100, outboundLimits.total),
  },
  deliveryConcurrency: {
    name: 'DELIVERY_CONCURRENCY',
    default: '`1024`',
    meaning: 'How many events one process sends at a time; a quarter of that for one ledger.',
    read: (text = '1024') => parseInteger(text, 4, 10_000),
  },
  deliveryRetryHours: {
    name: 'DELIVERY_RETRY_HOURS',
    default: '`72`',
    meaning:
      'Hours for which [further attempts](../interface/effects.md#further-attempts) of a delivery are made, once it failed as often as its schedule says. `0` gives it up then.',
    read: (text = '72') => parseInteger(text, 0, 720),
  },
  backgroundLease: {
    name: 'BACKGROUND_LEASE',
    default: '`30000`',
    meaning:
      'Milliseconds after which other processes go on with the background work, deliveries included, of one that was killed.',
    read: (text = String(backgroundLimits.lease)) => parseInteger(text, 1_000, 600_000),
  },
  deliveryAllowPrivate: {
    name: 'DELIVERY_ALLOW_PRIVATE',
    default: '`false`',
    meaning:
      'Whether calls to webhooks and bridges may lead to loopback, private and other addresses off the public Internet: for development.',
    read: (text = 'false') => {
      if (text !== 'true' && text !== 'false') throw new Error(`must be true or false, not ${JSON.stringify(text)}`);
      return text === 'true';
    },
  },
  reportAssetsDir: {
    name: 'REPORT_ASSETS_DIR',
    default: 'off',
    meaning:
      'The folder that generated files of reports are served from: [where files lie](../interface/reports.md#where-files-lie). Off, none is served.',
    read: (text) => (text === undefined ? undefined : readPath(text)),
  },
  reportAssetsBucket: {
    name: 'REPORT_ASSETS_BUCKET',
    default: 'off',
    meaning:
      'The bucket that each asset of a report must name its place in, as a `gs://` URL. Off, any `output` is taken.',
    read: (text) => {
      if (text !== undefined && !/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(text)) {
        throw new Error(`must be the name of a bucket, not ${JSON.stringify(text)}`);
      }
      return text;
    },
  },
  consoleServers: {
    name: 'CONSOLE',
    default: '`on`',
    meaning:
      'Whether `/console` serves [the console](console.md). `off` for none, or the origins of other servers that it may ask as well, separated by commas.',
    read: (text = 'on') => parseConsole(text),
  },
  witnesses: {
    name: 'WITNESSES',
    default: 'off',
    meaning:
      'The file of a [policy](../interface/log-witnesses.md#the-witnesses-of-a-server): the witnesses that cosign checkpoints, and the quorum without which none is shown.',
    read: (text) => (text === undefined ? undefined : loadWitnessPolicy(readPath(text))),
  },
  witnessInterval: {
    name: 'WITNESS_INTERVAL',
    default: '`10`',
    meaning: 'Seconds from one request to a witness to the next, for each log that grows.',
    read: (text = '10') => parseInteger(text, 1, 3_600),
  },
  ledgerQuota: {
    name: 'LEDGER_QUOTA',
    default: '`25%`; `off` with DATABASE_URL',
    meaning:
      'What each ledger may [store](../interface/limits.md#stored-bytes): bytes, as in `10GiB`, or a part of the disk of our own PostgreSQL. With `DATABASE_URL` that disk is not known: name bytes, or nothing is bounded. All ledgers together are not bounded by it ([quotas](database.md#quotas)). `off` for no bound.',
    read: (text = '25%') => parseQuota(text),
  },
  ...rateSettings,
  ...logSettings,
  name: {
    name: 'NAME',
    default: '`countersign`',
    meaning: 'The handle of this deployment, which the server information states.',
    read: (text = 'countersign') => parseHandle(text),
  },
  defaultLedger: {
    name: 'DEFAULT_LEDGER',
    default: 'off',
    meaning: 'The handle of the ledger that a request without `x-ledger` is for. Off, such a request is refused.',
    read: (text) => (text === undefined ? undefined : parseHandle(text)),
  },
  serverRules: {
    name: 'SERVER_ACCESS_RULES',
    default: `\`${JSON.stringify(DEFAULT_SERVER_RULES)}\``,
    meaning:
      'Access rules that hold beside those of each record-based ledger, as a JSON array: [who may make ledgers](tenants.md#who-may-make-ledgers). `[]` for none.',
    read: (text) => (text === undefined ? DEFAULT_SERVER_RULES : parseServerRules(text)),
  },
} as const satisfies { [Key in Exclude<keyof Config, 'publicAliases'>]: Setting<Config[Key] | undefined> };

/** Settings are invalid: the server exits with code 2; where something is in use or unreachable, with 1. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';
}

/** The settings of the server, as environment variables. */
export type EnvironmentSettings = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the environment. An empty variable counts as absent. A secret may be in a file instead, whose
 * blanks and line ends at both ends do not count.
 *
 * @throws WrongSettings with one line for each invalid setting
 */
export function parseConfig(env: EnvironmentSettings): Config {
  const wrong: string[] = [];
  const read = <T>(setting: Pick<Setting<T>, 'name' | 'isSecret' | 'read'>): T | undefined => {
    const file = setting.isSecret ? env[`${setting.name}_FILE`] || undefined : undefined;
    try {
      return setting.read(file === undefined ? env[setting.name] || undefined : readSecret(setting.name, file, env));
    } catch (error) {
      wrong.push(`${setting.name}${file === undefined ? '' : '_FILE'} ${(error as Error).message}`);
      return undefined;
    }
  };
  const values = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, read<unknown>(setting)]));
  if (values.databaseUrl !== undefined) {
    const { name } = settings.ledgerQuota;
    const of = { name, read: () => quotaOfOthers(values.ledgerQuota as LedgerQuota, Boolean(env[name])) };
    values.ledgerQuota = read(of);
  }
  if (values.databaseUrl !== undefined && values.backupDir !== undefined) {
    wrong.push('BACKUP_DIR is for our own PostgreSQL: with DATABASE_URL the database has backups of its own');
  }
  const { dataDir, backupDir } = values as Partial<Config>;
  if (dataDir !== undefined && backupDir !== undefined && isWithin(dataDir, backupDir)) {
    wrong.push(`BACKUP_DIR ${backupDir} is in the data folder: name one on another disk`);
  }
  wrong.push(...findSharedPorts(values as Partial<Config>));
  if (values.adminPort !== undefined && (values.operatorKeys as Config['operatorKeys'] | undefined)?.length === 0) {
    wrong.push('ADMIN_PORT needs OPERATOR_KEYS: without any, nobody could ask there');
  }
  if (values.adminPort !== undefined && ['error', 'fatal', 'silent'].includes(values.logLevel as string)) {
    wrong.push('ADMIN_PORT needs a LOG_LEVEL of warn or more: the log says which operator has changed what');
  }
  if (wrong.length > 0) throw new WrongSettings(wrong.join('\n'));
  const { publicUrl, ...config } = values as unknown as Omit<Config, 'publicUrl'> & { publicUrl?: string };
  const [own = '', ...others] = urlsOf(config.host, config.port).map((url) => `${url}/v2`);
  return { ...config, publicUrl: publicUrl ?? own, publicAliases: publicUrl === undefined ? others : [] };
}

/** The settings as a table in Markdown, for the documentation. */
export function renderSettings(): string {
  const rows = Object.values(settings).map((one) => `| \`${one.name}\` | ${one.default} | ${one.meaning} |`);
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

/**
 * The value of a secret setting that is in a file.
 *
 * @throws Error whose message completes a sentence that begins with the name of the variable for the file
 */
function readSecret(name: string, file: string, env: EnvironmentSettings): string {
  if (env[name]) throw new Error(`is set, and so is ${name}: set one of them`);
  const path = readPath(file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new Error(`names ${path}, which is empty`);
  return text;
}
