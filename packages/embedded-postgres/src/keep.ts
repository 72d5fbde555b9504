import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from './server.js';

/** A PostgreSQL that is restarted when it ends by itself. */
export interface KeptPostgres {
  /** Resolves, with the reason, only when PostgreSQL is given up. */
  readonly exited: Promise<Error>;
  /** Stops it for good. */
  stop(): Promise<void>;
}

/** Bounds on restarts, beyond which PostgreSQL is given up. */
export interface RestartBounds {
  /** Restarts allowed `within` so many milliseconds. */
  readonly times: number;
  readonly within: number;
  /** Milliseconds before each restart. */
  readonly respite: number;
}

export interface KeepOptions {
  readonly bounds: RestartBounds;
  /**
   * Starts it again, and resolves when it is ready. `began` is called with the process at once, so that it can be
   * stopped.
   */
  readonly again: (began: (server: PostgresServer) => void) => Promise<void>;
  /** Whether the disk is full: failures then stay uncounted, until there is room. */
  readonly isFull: (said: string) => Promise<boolean>;
  /** Takes messages for the operator, a sentence at a time. */
  readonly alarm: (text: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Supervises a running PostgreSQL: one that ends unasked, as when the system kills it for memory, is restarted. One
 * that does so repeatedly is given up, which `exited` reports.
 */
export function keepRunning(first: PostgresServer, options: KeepOptions): KeptPostgres {
  const { again, isFull, alarm, now } = options;
  const { times, within, respite } = options.bounds;
  let current = first;
  let stopping = false;
  let ends: number[] = [];

  /** @returns whether to give up */
  const wasEnough = async (why: string): Promise<boolean> => {
    if (await isFull(why)) return false;
    ends = [...ends.filter((end) => end > now() - within), now()];
    return ends.length > times;
  };

  const keep = async (): Promise<Error | undefined> => {
    for (;;) {
      let why = `it ended: ${await current.ended}`;
      let told = '';
      for (let running = false; !running; ) {
        if (stopping) return undefined;
        if (await wasEnough(`${why}\n${current.lastWords()}`)) {
          return new Error(
            `PostgreSQL ends again and again, ${ends.length} times within ${within / 60_000} minutes (${why})`,
          );
        }
        if (why !== told) alarm(`PostgreSQL is started again (${why})`);
        told = why;
        await pause(respite);
        if (stopping) return undefined;
        await again((server) => {
          current = server;
          // A stop came before there was a process.
          if (stopping) void server.stop();
        }).then(
          () => {
            running = true;
            alarm('PostgreSQL is ready again');
          },
          (error: Error) => {
            why = error.message;
          },
        );
      }
    }
  };

  const kept = keep();
  return {
    exited: new Promise((resolve) => void kept.then((error) => error && resolve(error))),
    async stop() {
      stopping = true;
      await current.stop();
      await kept;
      // It may have been restarted meanwhile.
      await current.stop();
    },
  };
}
