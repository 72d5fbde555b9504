import pg from 'pg';
import { type BackOff, backOff } from '../base/back-off.js';
import { type HostSearch, searchHosts } from './hosts/search.js';

/** A dedicated connection that hears `NOTIFY` on a channel. */
export type Listener = ReturnType<typeof listenToChannel>;

export interface ListenerOptions {
  readonly database: pg.ClientConfig;
  readonly channel: string;
  /** Verifies a new connection before it is used, and may refuse it. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  readonly heard: (payload: string) => void;
  /** Called when listening begins and when it ends: notifications in between are lost. */
  readonly listening: (is: boolean) => void;
  /** Called with the reason when the connection is lost or fails. */
  readonly failed: (error: Error) => void;
  readonly reconnect: BackOff;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/**
 * Listens on a channel until closed, and reconnects after a back-off when the connection is lost. Notifications are
 * hints: those sent meanwhile are lost, as are those to a connection that died silently.
 */
export function listenToChannel(options: ListenerOptions) {
  const { listening, failed, reconnect, random } = options;
  const search = searchHosts(options.database);
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failures = 0;

  const connectLater = (error: Error) => {
    if (closed) return;
    failures += 1;
    failed(error);
    timer = setTimeout(
      () => {
        connecting = connect();
      },
      backOff(reconnect, failures, random()),
    );
  };

  const connect = async () => {
    try {
      client = await (search ? search.eachHost(() => connectListening(options, search)) : connectListening(options));
      failures = 0;
      listening(true);
      client.once('end', () => {
        listening(false);
        connectLater(new Error('The connection that listens for hints was lost.'));
      });
    } catch (error) {
      connectLater(error as Error);
    }
  };

  let connecting = connect();
  return {
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await connecting;
      // The server may be out of reach, so its answer is ignored.
      void client?.end().catch(() => {});
    },
  };
}

/** Connects and listens; ends the connection when that fails. */
async function connectListening(
  { database, channel, onConnect, heard }: ListenerOptions,
  search?: HostSearch,
): Promise<pg.Client> {
  const client = new (search?.Client ?? pg.Client)({
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
    application_name: 'countersign',
    ...database,
  });
  // An error without a listener ends the process. The connection ends with it, which the `end` event reports.
  client.on('error', () => {});
  client.on('notification', ({ payload }) => heard(payload ?? ''));
  try {
    await client.connect();
    await onConnect?.(client);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    return client;
  } catch (error) {
    search?.leave(client, error);
    void client.end().catch(() => {});
    throw error;
  }
}
