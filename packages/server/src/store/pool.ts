import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { type HostSearch, searchHosts } from './hosts/search.js';
import { READ_ONLY_STATE } from './unavailable.js';

const INT8 = 20;

/** bigint columns are ids and counters, far below 2^53: parsed as numbers in place of the driver's strings. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * A pool of connections to the ledger's database.
 *
 * @param config how to reach it: a URL or the driver's settings; `onConnect` may verify a new connection, and refuse it
 * @param onError called when an idle connection fails, as when the database goes away
 */
export function createPool(
  // A backstop: statements take less than this, and a stuck one must release its connection.
  { statement_timeout: statement = 30_000, onConnect, ...config }: pg.PoolConfig,
  onError: (error: Error) => void,
): pg.Pool {
  // By a statement: what a connection begins with may have only the parameters that a pooler knows.
  const timeouts = `set statement_timeout = ${statement || 0}; set idle_in_transaction_session_timeout = 30000`;
  const search = searchHosts(config);
  const options: pg.PoolConfig = {
    connectionTimeoutMillis: 5_000,
    async onConnect(client) {
      await client.query(timeouts);
      await onConnect?.(client);
    },
    // Where the database is out of reach, the client ends the query itself and gives up the connection.
    query_timeout: 35_000,
    keepAlive: true,
    application_name: 'countersign',
    ...config,
    types,
  };
  const pool = search === undefined ? new pg.Pool(options) : new SearchingPool(options, search);
  // One that is checked out, or given up, has no listener of the pool's: an error without a listener ends the process.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    onReadOnly(client, () => {
      void client.end().catch(() => {});
      closeIdle(pool);
    });
  });
  pool.on('error', (error: Error & { client?: unknown }) => {
    // While the pool ends, connections may be cut as well as closed.
    if (pool.ending) return;
    // The driver attaches the whole connection to the error, and the error goes into a log.
    delete error.client;
    onError(error);
  });
  return pool;
}

/** A pool whose database has several hosts. */
class SearchingPool extends pg.Pool {
  readonly #search: HostSearch;

  constructor(options: pg.PoolConfig, search: HostSearch) {
    const { onConnect } = options;
    super({
      ...options,
      Client: search.Client,
      async onConnect(client) {
        try {
          await onConnect?.(client);
        } catch (error) {
          search.leave(client, error);
          throw error;
        }
      },
    });
    this.#search = search;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = this.#search.eachHost(() => super.connect());
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (broken?: boolean | Error) => void,
) => void;

/** Calls back when the server of a connection has refused a write because it takes none, as a standby does. */
function onReadOnly(client: pg.ClientBase, refused: () => void): void {
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
    if (code === READ_ONLY_STATE) refused();
  });
}

/** Closes the connections that nobody uses: they lead where the others led. New ones are looked at. */
function closeIdle(pool: pg.Pool): void {
  for (let idle = pool.idleCount; idle > 0; idle -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
  }
}
