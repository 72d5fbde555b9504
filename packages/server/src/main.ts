import cluster from 'node:cluster';
import { pino } from 'pino';
import { type Config, readConfig } from './config.js';
import { prepareDatabase } from './deployment/prepare.js';
import { runWorker } from './deployment/worker.js';
import { startWorkers } from './deployment/workers.js';
import { loadMasterKey } from './ledgers/master-key.js';
import { type Embedded, startEmbedded } from './store/embedded.js';

/** Starts the service from the environment, and ends the process cleanly on SIGTERM and SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  if (cluster.isWorker) {
    runWorker(config, logger);
    return;
  }
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: config.dataDir, log: (line) => logger.debug({ postgres: line }) });
  try {
    await run(config, logger, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** What a newcomer may want to know when there is no ledger yet. */
const FIRST_STEPS = `
There is no ledger yet. To see one made and used, in another terminal:   npm run tour
The interface, for people and programs:   /v2/openapi.json   and   README.md
Keep a copy of the master key: without it the ledgers' own keys are lost.`;

/** Something that serves until it is told to stop, and may end by itself for a reason. */
interface Serving {
  stop(): Promise<void>;
  restart?(): Promise<void>;
  readonly failed?: Promise<Error>;
}

async function run(config: Config, logger: pino.Logger, embedded: Embedded | undefined): Promise<void> {
  const { masterKey, dataDir } = config;
  const key = await loadMasterKey({ ...(masterKey === undefined ? {} : { masterKey }), dataDir });
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? '';
  const { isNew } = await prepareDatabase(databaseUrl, key);
  const beginning = begin(config, logger, databaseUrl, key);
  let stopping = false;
  const end = async (status: number) => {
    if (stopping) return;
    stopping = true;
    try {
      // Asked to stop while it still starts, it does so as soon as it can do it cleanly.
      await (await beginning).stop();
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
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  console.log(`listening on http://${host}:${config.port}/v2`);
  if (isNew) console.log(FIRST_STEPS);
}

/** The processes that serve share the socket and are looked after by this one, which replaces one that stands still. */
function begin(config: Config, logger: pino.Logger, databaseUrl: string, masterKey: Buffer): Promise<Serving> {
  return startWorkers({ count: config.workers, databaseUrl, masterKey, logger });
}

main().catch((error: unknown) => {
  console.error(`countersign: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
