import { createRequire } from 'node:module';
import { pino } from 'pino';
import { type Config, readConfig } from './config.js';
import { loadMasterKey } from './ledgers/master-key.js';
import { openServer } from './server.js';
import { type Embedded, startEmbedded } from './store/embedded.js';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** Starts the service from the environment, and ends the process cleanly on SIGTERM and SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel, redact: ['err.config'] }, pino.destination({ dest: 2, sync: false }));
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: config.dataDir, log: (line) => logger.debug({ postgres: line }) });
  try {
    await serve(config, logger, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function serve(config: Config, logger: pino.Logger, embedded: Embedded | undefined): Promise<void> {
  const { masterKey, dataDir, publicUrl, name, defaultLedger } = config;
  const server = await openServer({
    database: { connectionString: embedded?.url ?? config.databaseUrl },
    masterKey: await loadMasterKey({ ...(masterKey === undefined ? {} : { masterKey }), dataDir }),
    publicUrl,
    name,
    build: version,
    ...(defaultLedger === undefined ? {} : { defaultLedger }),
    logger,
  });
  let stopping = false;
  const stop = async (status: number) => {
    if (stopping) return;
    stopping = true;
    try {
      await server.close();
      await embedded?.stop();
      process.exit(status);
    } catch (error) {
      logger.error({ err: error }, 'did not stop cleanly');
      process.exit(1);
    }
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  void embedded?.exited.then((error) => {
    logger.fatal({ err: error }, 'PostgreSQL has ended');
    stop(1);
  });
  try {
    await server.app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await server.close();
    throw error;
  }
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  console.log(`listening on http://${host}:${config.port}/v2`);
}

main().catch((error: unknown) => {
  console.error(`countersign: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
