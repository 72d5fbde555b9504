import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from './server.js';

/** A PostgreSQL that is started again when it ends by itself. */
export interface Kept {
  /** Resolves, with the reason, when it is given up; never otherwise. */
  readonly exited: Promise<Error>;
  /** Stops it for good. */
  stop(): Promise<void>;
}

/** How often PostgreSQL may end by itself before it is given up. */
export interface RestartBounds {
  /** Ends that are answered by another start, of those `within` so many milliseconds. */
  readonly times: number;
  readonly within: number;
  /** Milliseconds before it is started again. */
  readonly respite: number;
}

export interface KeepOptions {
  readonly bounds: RestartBounds;
  /** Starts it anew, and resolves when it is ready. `began` is told of the process at once, so that it can be stopped. */
  readonly again: (began: (server: Server) => void) => Promise<void>;
  /** Whether the disk is full: then it can end and fail to start any number of times, until there is room. */
  readonly isFull: (said: string) => Promise<boolean>;
  /** Takes what an operator must know, a sentence at a time. */
  readonly alarm: (text: string) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/**
 * Looks after a running PostgreSQL: one that ends without being asked to, as when the system kills it for memory, is
 * started again. One that does so again and again is given up, so that whoever looks after us is told.
 */
export function keepRunning(first: Server, options: KeepOptions): Kept {
  const { again, isFull, alarm, now } = options;
  const { times, within, respite } = options.bounds;
  let current = first;
  let stopping = false;
  let ends: number[] = [];

  /** @returns whether it is worth trying again */
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
          // Asked to stop before there was anything to stop.
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
      // It may have been started meanwhile.
      await current.stop();
    },
  };
}
