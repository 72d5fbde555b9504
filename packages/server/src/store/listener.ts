import pg from 'pg';
import { type BackOff, backOff } from '../base/back-off.js';

/** A connection of its own that hears what `NOTIFY` sends on a channel. */
export interface Listener {
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly database: pg.ClientConfig;
  readonly channel: string;
  /** Looks at a new connection before it is used, and may refuse it. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  readonly heard: (payload: string) => void;
  /** Told when it begins to listen, and when it does not any more: what is sent in between is lost. */
  readonly listening: (is: boolean) => void;
  /** Told why the connection was lost or could not be made. */
  readonly failed: (error: Error) => void;
  readonly reconnect: BackOff;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
}

/**
 * Listens on a channel until it is closed, and connects again after a back-off when the connection is lost. Notifications
 * are hints: those sent meanwhile are lost, and a connection that died without a word hears none.
 */
export function listen(options: ListenerOptions): Listener {
  const { listening, failed, reconnect, random } = options;
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
      client = await connectListening(options);
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
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      // The other end may be out of reach: nobody waits for its answer.
      void client?.end().catch(() => {});
    },
  };
}

/** A connection that listens. It is ended when that fails. */
async function connectListening({ database, channel, onConnect, heard }: ListenerOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
    application_name: 'countersign',
    ...database,
  });
  // An error without a listener would end the process. The connection ends with it, and that is noticed.
  client.on('error', () => {});
  client.on('notification', ({ payload }) => heard(payload ?? ''));
  try {
    await client.connect();
    await onConnect?.(client);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}
