import cluster from 'node:cluster';
import { forgetWal, type Postgres } from '@countersign/embedded-postgres';
import type { pino } from 'pino';
import { Registry } from 'prom-client';
import { BUILD } from './cluster/build.js';
import { checkDeployment, formatFindings } from './cluster/check.js';
import { parseCommandLine, type ServerTask } from './cluster/command-line.js';
import { findInstallation, firstSteps } from './cluster/first-steps.js';
import { helpText } from './cluster/help.js';
import { createLogger } from './cluster/log.js';
import type { ToPrimary } from './cluster/messages.js';
import { type MetricsListener, serveMetrics } from './cluster/metrics-listener.js';
import { findMisspelled } from './cluster/misspelled.js';
import { ADMIN_ADDRESS, assertFree, METRICS_ADDRESS } from './cluster/port.js';
import { letServe, migrateDatabase, prepareDatabase } from './cluster/prepare.js';
import { startWorkers } from './cluster/workers.js';
import { type Config, parseConfig, WrongSettings } from './config.js';
import { describeKeySource, loadMasterKeys } from './keys/master-key.js';
import { type FromOperators, OPERATORS_PROCESS } from './operators/messages.js';
import type { OperatorsProcess } from './operators/process.js';
import { startEmbedded } from './store/embedded.js';
import { isAnyOfSeveral } from './store/hosts/database-url.js';
import { assertTraceable, TracingUnavailable } from './tracing/sdk.js';

/**
 * Does what the command line asks for; without any, starts the service from the environment. A failure is told in one line on
 * standard error.
 */
export async function start(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (process.env[OPERATORS_PROCESS] !== undefined && process.send) return serveOperatorsAlone();
  let task: ServerTask;
  try {
    task = cluster.isWorker ? 'serve' : parseCommandLine(args);
  } catch (error) {
    console.error(`countersign: ${(error as Error).message}`);
    process.exitCode = 2;
    return;
  }
  try {
    await TASK_FUNCTIONS[task]();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // What its channel to the primary keeps alive, such as a worker that finds a secret's file gone, would never end.
    if (cluster.isWorker)
      process.send?.({ type: 'failed', why, isDatabaseUnavailable: false } satisfies ToPrimary, () => process.exit(1));
    else {
      console.error(`countersign: ${why}`);
      process.exitCode = error instanceof WrongSettings || error instanceof TracingUnavailable ? 2 : 1;
    }
  }
}

const TASK_FUNCTIONS: Readonly<Record<ServerTask, () => Promise<void>>> = {
  serve: serveFromEnvironment,
  check: checkFromEnvironment,
  migrate: migrateFromEnvironment,
  async help() {
    console.log(helpText());
  },
  async version() {
    console.log(BUILD);
  },
};

async function checkFromEnvironment(): Promise<void> {
  const config = parseConfig(process.env);
  warnOfSettings(config);
  const findings = await checkDeployment(config);
  console.log(formatFindings(findings));
  if (findings.some(({ isFine }) => !isFine)) process.exitCode = 1;
}

/** Migrates a database that servers will use. */
async function migrateFromEnvironment(): Promise<void> {
  const config = parseConfig(process.env);
  warnOfSettings(config);
  if (config.databaseUrl === undefined) {
    throw new WrongSettings('--migrate needs DATABASE_URL: our own PostgreSQL is migrated when the server starts');
  }
  const migrated = await migrateDatabase(config.databaseUrl, config, {
    seconds: config.databaseWait,
    begin: () => console.error('countersign: the database is out of reach: this waits for it'),
  });
  if (config.databaseRole !== undefined) await letServe(config.databaseUrl, config.databaseRole);
  const [first, last = first] = [migrated.at(0), migrated.at(-1)];
  console.log(
    first === undefined
      ? `the database has the schema of ${BUILD} already`
      : `the database was migrated to the schema of ${BUILD}: ${migrated.length} migrations, from ${first} to ${last}`,
  );
}

/** The database has backups and a standby of its own. The key is in one place. */
function warnOfNewKey(config: Config): void {
  console.error(
    `countersign: A NEW MASTER KEY WAS MADE, ${describeKeySource(config)}. Backups of the database do not hold it: keep a copy ` +
      "elsewhere, or set MASTER_KEY. Without it the ledgers' own keys are lost.",
  );
}

function warnOfSettings({ databaseUrl }: Config): void {
  if (databaseUrl !== undefined && isAnyOfSeveral(databaseUrl)) {
    console.error(
      'countersign: DATABASE_URL names several hosts: add target_session_attrs=read-write, so that none but the primary is used',
    );
  }
  for (const { name, meant } of findMisspelled(process.env)) {
    console.error(`countersign: ${name} is not a setting, and is ignored: ${meant} may be meant`);
  }
}

/** Serves until SIGTERM or SIGINT, which end the process cleanly. */
async function serveFromEnvironment(): Promise<void> {
  const config = parseConfig(process.env);
  const logger = createLogger(config.logLevel);
  if (cluster.isWorker) {
    // The primary serves no request: it starts in half the time, and takes less memory, without what does.
    const { runWorker } = await import('./cluster/worker.js');
    runWorker(config, logger, async () => loadMasterKeys(parseConfig(process.env)));
    return;
  }
  warnOfSettings(config);
  await assertTraceable(config.traceEndpoint);
  // Errors that are easily fixed are found before anything is created.
  await assertFree(config.host, config.port);
  if (config.metricsPort !== undefined) await assertFree(config.metricsHost, config.metricsPort, METRICS_ADDRESS);
  if (config.adminPort !== undefined) await assertFree(config.adminHost, config.adminPort, ADMIN_ADDRESS);
  await loadMasterKeys(config);
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({
        dataDir: config.dataDir,
        workers: config.workers,
        log: (line) => logger.debug({ postgres: line }),
        alarm: (text) => logger.error(text),
      });
  try {
    await runServer(config, logger, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** A running service: it serves until it is stopped, or fails for a reason. */
interface RunningService {
  stop(): Promise<void>;
  restart?(): Promise<void>;
  readonly failed?: Promise<Error>;
  /** What operators call; undefined where they are not served. */
  readonly operators?: string | undefined;
}

async function runServer(config: Config, logger: pino.Logger, embedded: Postgres | undefined): Promise<void> {
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? '';
  const { masterKeys, isKeyNew, isNew, connectionAdvice } = await prepareDatabase(
    databaseUrl,
    embedded !== undefined,
    config,
    {
      seconds: config.databaseWait,
      begin: () =>
        logger.warn({ seconds: config.databaseWait }, 'the database is out of reach: the start waits for it'),
    },
  );
  const key = describeKeySource(config);
  if (isKeyNew && embedded === undefined) warnOfNewKey(config);
  if (connectionAdvice !== undefined) console.error(`countersign: ${connectionAdvice}`);
  const registry = new Registry();
  const backups = embedded && (await beginBackups(config, logger, embedded.url, registry));
  const beginning = beginServing(config, logger, databaseUrl, masterKeys[0]!, registry);
  let stopping = false;
  const end = async (status: number) => {
    if (stopping) return;
    stopping = true;
    try {
      // A stop during the start waits until the start has completed.
      await (await beginning).stop();
      await backups?.stop();
      await embedded?.stop();
      process.exit(status);
    } catch (error) {
      logger.error({ err: error }, 'did not stop cleanly');
      process.exit(1);
    }
  };
  const giveUp = (error: Error) => {
    logger.fatal({ err: error }, 'cannot go on');
    void end(1);
  };
  process.on('SIGTERM', () => void end(0));
  process.on('SIGINT', () => void end(0));
  const serving = await beginning;
  process.on('SIGHUP', () => {
    serving.restart?.().catch((error: unknown) => logger.error({ err: error }, 'could not restart the workers'));
  });
  void serving.failed?.then(giveUp);
  void embedded?.exited.then(giveUp);
  if (stopping) return;
  if (config.ledgerQuota === undefined) logger.info('LEDGER_QUOTA is off: nothing bounds what a ledger stores');
  console.log(`listening on ${baseUrlOf(config.host, config.port)}/v2`);
  if (config.metricsPort !== undefined) {
    console.log(`metrics on ${baseUrlOf(config.metricsHost, config.metricsPort)}/metrics`);
  }
  if (serving.operators !== undefined) console.log(`operators on ${serving.operators}`);
  if (config.consoleServers !== undefined) console.log(`console on ${config.publicUrl.replace(/\/v2$/, '')}/console/`);
  if (config.masterKey === undefined) console.log(`master key in ${key}`);
  if (isNew) console.log(firstSteps(config, findInstallation(process.env.PATH)));
}

/** Keeps the log of our own PostgreSQL for backups where BACKUP_DIR is set; without it, PostgreSQL keeps none for them. */
async function beginBackups(
  { backupDir, dataDir }: Config,
  logger: pino.Logger,
  url: string,
  registry: Registry,
): Promise<{ stop(): Promise<void> } | undefined> {
  if (backupDir === undefined) {
    await forgetWal(url);
    return undefined;
  }
  const { keepForBackups } = await import('./backup/keep.js');
  // biome-ignore lint/plugin: the clock that it is given
  return keepForBackups({ folder: backupDir, dataDir, url, logger, registry, now: Date.now });
}

/**
 * The serving processes share the socket. The primary supervises them, and replaces one that stands still. It serves the
 * metrics of all, which then cost no tenant's request anything.
 */
async function beginServing(
  config: Config,
  logger: pino.Logger,
  databaseUrl: string,
  masterKey: Buffer,
  registry: Registry,
): Promise<RunningService> {
  const workers = await startWorkers({ count: config.workers, databaseUrl, masterKey, logger, registry });
  let metrics: MetricsListener | undefined;
  let operators: OperatorsProcess | undefined;
  const stop = async () => {
    // What an operator waits for delays no worker.
    await Promise.all([operators?.stop(), workers.stop()]);
    await metrics?.stop();
  };
  try {
    const { metricsHost: host, metricsPort: port } = config;
    if (port !== undefined)
      metrics = await serveMetrics(
        { host, port },
        () => workers.collect(),
        () => performance.now(),
      );
    operators = await beginOperators(config, logger, databaseUrl);
    return { failed: workers.failed, restart: () => workers.restart(), stop, operators: operators?.url };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Serves operators where that is set, in a process of its own, which alone loads their code. */
async function beginOperators(
  config: Config,
  logger: pino.Logger,
  databaseUrl: string,
): Promise<OperatorsProcess | undefined> {
  const { adminHost: host, adminPort: port } = config;
  if (port === undefined) return undefined;
  const { startOperatorsProcess } = await import('./operators/process.js');
  return startOperatorsProcess({ host, port, databaseUrl, logger, env: process.env });
}

/** In the process that `beginOperators` starts. */
async function serveOperatorsAlone(): Promise<void> {
  // Without a callback, a channel that has closed would end the process.
  const send = (message: FromOperators, done = () => {}) => void process.send?.(message, undefined, undefined, done);
  try {
    const config = parseConfig(process.env);
    const { runOperatorsProcess } = await import('./operators/child.js');
    // biome-ignore lint/plugin: the clock that it is given
    runOperatorsProcess(config, createLogger(config.logLevel), { now: Date.now, send });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    send({ type: 'failed', why }, () => process.exit(1));
  }
}

function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
