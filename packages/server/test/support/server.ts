import { type Logger, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { openServer, type Server, type ServerOptions } from '../../src/app.js';
import type { Runtime } from '../../src/base/clock.js';
import { createDatabase, createMigratedDatabase, type TestDatabase } from './database.js';
import { asServingRole } from './serving-role.js';
import { signBy } from './signing-clock.js';

/** A real server on a real port over a database of its own. */
export interface RunningServer {
  /** Base URL with `/v2`. */
  readonly url: string;
  readonly server: Server;
  readonly database: TestDatabase;
  stop(): Promise<void>;
}

export const TEST_MASTER_KEY = Buffer.alloc(32, 7);

export interface TestServerOptions {
  /** One to share, as two processes of a deployment do. */
  readonly database?: TestDatabase;
  /** The folder in which it meets the others. */
  readonly siblings?: string;
  /** The folder for what must outlast a restore of the database. */
  readonly dataDir?: string;
  /** Which of the processes that share that folder it is. */
  readonly worker?: string;
  /** Of a deployment of its own. */
  readonly masterKey?: Buffer;
  /** Keys that are set, the next one included. */
  readonly loadKeys?: NonNullable<ServerOptions['loadKeys']>;
  /** Holds time still. */
  readonly runtime?: Runtime;
  /** Compares its clock with the database's. */
  readonly compareClock?: boolean;
  /** Lets calls lead to this machine. */
  readonly deliveryAllowPrivate?: boolean;
  /** PEM of the authority that services outside are verified by. */
  readonly outboundCa?: string;
  readonly requestTimeout?: number;
  readonly recordProofs?: number;
  /** Rules of the deployment; anyone may make ledgers unless given. */
  readonly serverRules?: NonNullable<ServerOptions['serverRules']>;
  readonly ledgerQuota?: number;
  readonly accessLog?: number;
  readonly tracing?: NonNullable<ServerOptions['tracing']>;
  readonly measuredLedgers?: readonly string[];
  readonly rates?: NonNullable<ServerOptions['rates']>;
  /** A folder whose disk must have so much free. */
  readonly databaseFolder?: string;
  readonly freeDisk?: NonNullable<ServerOptions['freeDisk']>;
  /** Serves the console, which may ask these origins as well. */
  readonly consoleServers?: readonly string[];
  readonly reportAssetsDir?: string;
  readonly reportAssetsBucket?: string;
  /** Bounds on connections that a test can wait for. */
  readonly connections?: NonNullable<ServerOptions['connections']>;
  /** Bounds on deliveries and background work that a test can wait for. */
  readonly deliveries?: NonNullable<ServerOptions['deliveries']>;
  readonly background?: NonNullable<ServerOptions['background']>;
  readonly witnesses?: NonNullable<ServerOptions['witnesses']>;
  /** Names of a test's own. */
  readonly guard?: NonNullable<ServerOptions['guard']>;
  readonly names?: NonNullable<ServerOptions['names']>;
  /** Takes what is logged; without it nobody sees that. */
  readonly logger?: Logger;
}

const same = (url: string) => url;

/**
 * Starts a server. With `TEST_SERVING_ROLE` set, it connects by a role that does not own the tables.
 *
 * @param open that of another build of the server
 */
export async function startServer(options: TestServerOptions = {}, open = openServer): Promise<RunningServer> {
  const database = options.database ?? (await (open === openServer ? createMigratedDatabase() : createDatabase()));
  // The port is known only after listening, the public URL (which tokens are bound to) is needed before: it follows it.
  const named = { publicUrl: '' };
  const { database: shared, ...others } = options;
  const server = await open({
    database: { connectionString: await (process.env.TEST_SERVING_ROLE ? asServingRole : same)(database.url) },
    masterKey: TEST_MASTER_KEY,
    get publicUrl() {
      return named.publicUrl;
    },
    name: 'test',
    build: '0.0.0',
    logger: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    // How long a request takes is the machine's affair, except where a test is about that.
    requestTimeout: 120_000,
    ...others,
  });
  const { runtime } = others;
  if (runtime) {
    const forget = signBy(() => runtime.now());
    // However it is closed: a clock that stays would date what clients sign in all later files.
    server.app.addHook('onClose', async () => forget());
  }
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as { port: number };
  named.publicUrl = `http://127.0.0.1:${port}/v2`;
  Object.assign(server.service, { publicUrl: named.publicUrl });
  return {
    url: named.publicUrl,
    server,
    database,
    async stop() {
      await server.close();
      if (!shared) await database.drop();
    },
  };
}

/** Servers that the files of this process share, by their options. */
const shared = new Map<string, Promise<RunningServer>>();

/** Options of which one server serves all files: they let a server do more, and change nothing that it does. */
const SHARED: ReadonlySet<string> = new Set(['', 'deliveryAllowPrivate']);

/**
 * A server for the tests of a file, which it shares with other files where it has no options of its own: a test makes its own
 * ledgers, and counts nothing that others change. A file that looks at the whole database, or disturbs the server, takes
 * `withOwnServer`.
 */
export function withServer(options: TestServerOptions = {}): { readonly current: RunningServer } {
  const key = Object.keys(options).join();
  if (!SHARED.has(key)) return withOwnServer(options);
  let running: RunningServer | undefined;
  beforeAll(async () => {
    const started = shared.get(key) ?? startServer(options);
    shared.set(key, started);
    running = await started;
  });
  return currentOf(() => running);
}

/** A server that only the tests of one file use. */
export function withOwnServer(options: TestServerOptions = {}): { readonly current: RunningServer } {
  let running: RunningServer | undefined;
  beforeAll(async () => {
    running = await startServer(options);
  });
  afterAll(async () => {
    await running?.stop();
  });
  return currentOf(() => running);
}

function currentOf(find: () => RunningServer | undefined): { readonly current: RunningServer } {
  return {
    get current() {
      const running = find();
      if (!running) throw new Error('The server is started before the tests, not before the file is read.');
      return running;
    },
  };
}

/** Two servers on one database for all tests of a file, as two processes of one deployment. */
export function withTwoServers(options: TestServerOptions = {}): {
  readonly current: [RunningServer, RunningServer];
  readonly databaseUrl: string;
} {
  let running: { database: TestDatabase; servers: [RunningServer, RunningServer] } | undefined;
  beforeAll(async () => {
    const database = await createMigratedDatabase();
    running = {
      database,
      servers: [await startServer({ ...options, database }), await startServer({ ...options, database })],
    };
  });
  afterAll(async () => {
    for (const server of running?.servers ?? []) await server.stop();
    await running?.database.drop();
  });
  const started = () => {
    if (!running) throw new Error('The servers are started before the tests, not before the file is read.');
    return running;
  };
  return {
    get current() {
      return started().servers;
    },
    get databaseUrl() {
      return started().database.url;
    },
  };
}
