import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { BEAT } from '../cluster/watchdog.js';
import type { Config } from '../config.js';
import type { FromOperators, ToOperators } from './messages.js';
import { type OperatorsServer, serveOperators } from './server.js';

/**
 * The process for operators. It serves on the message `serve` the connections that it is sent, and ends on `stop` or when its channel
 * closes.
 */
export function runOperatorsProcess(
  config: Config,
  logger: FastifyBaseLogger,
  { now, send }: { readonly now: () => number; send(message: FromOperators, done?: () => void): void },
): void {
  let server: OperatorsServer | undefined;
  const stop = async () => {
    await server?.stop().catch((error: unknown) => logger.error({ err: error }, 'did not stop cleanly'));
    process.exit(0);
  };
  const serve = async (databaseUrl: string) => {
    server = await serveOperators({ config, databaseUrl, logger, now });
    send({ type: 'serving', url: server.url });
  };
  process.on('message', (message: ToOperators, socket?: Socket) => {
    if (message.type === 'stop') void stop();
    else if (message.type === 'connection') {
      if (socket !== undefined) server?.take(socket);
      send({ type: 'taken' });
    } else
      serve(message.databaseUrl).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        send({ type: 'failed', why }, () => process.exit(1));
      });
  });
  // A terminal sends Ctrl-C to every process, and a supervisor such as systemd may signal all: the primary acts on it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  const beat = setInterval(() => send({ type: 'alive' }), BEAT).unref();
  process.on('disconnect', () => {
    clearInterval(beat);
    void stop();
  });
  send({ type: 'ready' });
}
