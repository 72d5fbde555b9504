import pg from 'pg';
import { WrongDatabase } from '../epoch-guard.js';
import { isUnavailable } from '../unavailable.js';
import { type DatabaseHosts, parseDatabaseUrl, placeOfHost, type SessionAttrs } from './database-url.js';

/** None of the hosts of a connection string can be used at the moment. */
export class NoHost extends WrongDatabase {}

/**
 * Finds which of several hosts can be used. New connections lead to the one that last worked. When it fails, as when it is out
 * of reach or a standby, they lead to the next.
 */
export interface HostSearch {
  /** Makes connections that lead to the host which is current then. */
  readonly Client: typeof pg.Client;
  /** Leaves the host of a connection, unless the error is about something else, such as a password. */
  leave(client: pg.ClientBase, error: unknown): void;
  /**
   * Connects, to each host once at most.
   *
   * @throws NoHost when all have failed; what `connect` throws when a host has refused
   */
  eachHost<T>(connect: () => Promise<T>): Promise<T>;
}

/** Reads the hosts of a database; undefined where there is one that needs no looking at. */
export function searchHosts({ connectionString }: pg.ClientConfig): HostSearch | undefined {
  if (connectionString === undefined) return undefined;
  const hosts = parseDatabaseUrl(connectionString);
  return hosts.urls.length === 1 && hosts.attrs === 'any' ? undefined : createSearch(hosts);
}

type Called = (error: Error | null, client?: pg.Client) => void;

function createSearch({ urls, attrs }: DatabaseHosts): HostSearch {
  const names = urls.map((url) => placeOfHost(url).host);
  let current = 0;
  const hostOf = new WeakMap<pg.ClientBase, number>();

  const leave = (client: pg.ClientBase, error: unknown) => {
    const host = hostOf.get(client) ?? current;
    // For the log: which of the hosts it was.
    if (error instanceof Error) Object.assign(error, { databaseHost: names[host] });
    if (isUnavailable(error) && host === current) current = (current + 1) % urls.length;
  };

  class HostClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: urls[current] });
      hostOf.set(this, current);
      // It is looked at before a pool knows it: an error without a listener ends the process.
      this.on('error', () => {});
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Called): void;
    /** @param callback as a pool gives it */
    override connect(callback?: Called): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(() => callback(null), callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        if (attrs !== 'any') await assertTakesWrites(this, attrs);
        return this;
      } catch (error) {
        leave(this, error);
        void this.end().catch(() => {});
        throw error;
      }
    }
  }

  const eachHost = async <T>(connect: () => Promise<T>): Promise<T> => {
    const failures: (Error & { databaseHost?: string })[] = [];
    for (;;) {
      const tried = current;
      try {
        return await connect();
      } catch (error) {
        failures.push(error as Error);
        if (current === tried || urls.length === 1) throw error;
        if (failures.length < urls.length) continue;
        const each = failures.map(({ databaseHost = '', message }) => `${databaseHost}: ${message}`);
        throw new NoHost(`None of the hosts of the database can be used. ${each.join('; ')}`);
      }
    }
  };

  return { Client: HostClient, leave, eachHost };
}

/** @throws WrongDatabase */
async function assertTakesWrites(client: pg.Client, attrs: SessionAttrs): Promise<void> {
  const { rows } = await client.query<{ standby: boolean; refuses: boolean }>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as refuses`,
  );
  if (rows[0]?.standby) throw new WrongDatabase('The database is a standby, which takes no writes.');
  if (rows[0]?.refuses && attrs === 'read-write')
    throw new WrongDatabase('The database is read-only: default_transaction_read_only is on.');
}
