import type { FastifyBaseLogger } from 'fastify';
import type { Server } from '../app.js';
import type { Config } from '../config.js';
import { rateLimits } from '../metering/rate-limits.js';
import { isUnavailable } from '../store/unavailable.js';
import type { Counts, ToPrimary, ToWorker } from './messages.js';
import { startProcess } from './serve.js';
import { BEAT } from './watchdog.js';

/**
 * A serving process. It begins when the primary sends the parameters, ends when the primary says so or is gone, and
 * finishes the requests it took in either case.
 *
 * @param loadKeys reads the master keys that are set anew
 */
export function runWorker(config: Config, logger: FastifyBaseLogger, loadKeys: () => Promise<readonly Buffer[]>): void {
  let server: Server | undefined;

  const stop = async () => {
    await server?.leave().catch((error: unknown) => logger.error({ err: error }, 'did not stop cleanly'));
    process.exit(0);
  };

  const begin = async ({ databaseUrl, masterKey, worker, siblings }: Extract<ToWorker, { type: 'serve' }>) => {
    server = await startProcess(config, {
      databaseUrl,
      masterKey: Buffer.from(masterKey, 'base64'),
      loadKeys,
      logger: logger.child({ worker }) as FastifyBaseLogger,
      worker,
      siblings,
    });
    tellPrimary({ type: 'serving' });
  };

  process.on('message', (message: ToWorker) => {
    if (message.type === 'serve') {
      begin(message).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const isDatabaseUnavailable = isUnavailable(error);
        process.send?.({ type: 'failed', why, isDatabaseUnavailable } satisfies ToPrimary, () => process.exit(1));
      });
    } else if (message.type === 'stop') void stop();
    else if (message.type === 'spent') server?.service.rates.charge(message.spent);
    else if (message.type === 'count') {
      void server?.metrics.registry.getMetricsAsJSON().then((counts) => {
        tellPrimary({ type: 'counts', question: message.question, counts: counts as unknown as Counts });
      });
    }
  });
  // A terminal sends Ctrl-C to every process; the primary acts on it, and on SIGHUP.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.on('SIGTERM', () => void stop());
  process.on('disconnect', () => void stop());
  setInterval(() => tellPrimary({ type: 'alive' }), BEAT).unref();
  setInterval(() => {
    const spent = server?.service.rates.takeSpent();
    if (spent) tellPrimary({ type: 'spent', spent });
  }, rateLimits.reportInterval).unref();
  tellPrimary({ type: 'ready' });
}

function tellPrimary(message: ToPrimary): void {
  process.send?.(message);
}
