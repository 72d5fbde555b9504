import { Writable } from 'node:stream';
import type { JsonObject } from '@countersign/protocol';
import { pino } from 'pino';
import type { Rule } from '../../src/access/rules.js';
import { openServer } from '../../src/app.js';
import type { TestDatabase } from '../support/database.js';
import { TEST_MASTER_KEY } from '../support/server.js';

/** A server with settings of its own, and what it logs. */
export interface Deployed {
  readonly url: string;
  readonly log: LogLine[];
  stop(): Promise<void>;
}

export type LogLine = JsonObject & { readonly msg: string };

/** Starts a server on a database of the test's. */
export async function deploy(
  database: TestDatabase,
  options: { serverRules?: readonly Rule[]; logLevel?: string } = {},
): Promise<Deployed> {
  const log: LogLine[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      log.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const { serverRules, logLevel = 'silent' } = options;
  const server = await openServer({
    database: { connectionString: database.url },
    masterKey: TEST_MASTER_KEY,
    publicUrl: 'https://ledger.example/v2',
    name: 'test',
    build: '0.0.0',
    logger: pino({ level: logLevel }, sink),
    ...(serverRules ? { serverRules } : {}),
  });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/v2`, log, stop: () => server.close() };
}
