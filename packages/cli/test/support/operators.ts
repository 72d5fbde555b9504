import { openOperatorsPort } from '../../../server/src/operators/port.js';
import { type OperatorsOptions, serveOperators } from '../../../server/src/operators/server.js';

/** The listener of operators as the service has it, but within one process. */
export interface OperatorsListener {
  /** What operators call. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error when the address or the database is unusable */
export async function listenForOperators(options: OperatorsOptions): Promise<OperatorsListener> {
  const { adminHost, adminPort = 0 } = options.config;
  const server = await serveOperators(options);
  const port = await openOperatorsPort(adminHost, adminPort);
  port.handTo(async (socket) => server.take(socket));
  return {
    url: server.url,
    async stop() {
      port.close();
      await server.stop();
    },
  };
}
