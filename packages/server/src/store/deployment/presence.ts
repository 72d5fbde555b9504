import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Keyring, NumberedKey } from '../../keys/keyring.js';

/** What a process tells the others of itself, and hears of the deployment. */
export interface Presence {
  /** Takes what was seen of the deployment at a look. Never throws. */
  look(known: readonly NumberedKey[]): Promise<void>;
  /** Whether it holds all master keys of the deployment. */
  isComplete(): boolean;
  /** Tells that the process ends. Never throws. */
  leave(): Promise<void>;
}

export interface PresenceOptions {
  /** Unique name of this process. */
  readonly name: string;
  readonly build: string;
  readonly keys: Keyring;
  /** Reads the keys that are set anew. */
  readonly loadKeys?: (() => Promise<readonly Buffer[]>) | undefined;
  readonly logger: Pick<FastifyBaseLogger, 'error' | 'info'>;
}

/** Looks, of a second each, after which a process tells that it is there. */
const LOOKS_PER_BEAT = 10;

/** Seconds after which a process that was not seen is gone. */
export const SEEN_WITHIN = 30;

/** Keeps the row of this process in the table `process`. */
export function createPresence(pool: pg.Pool, { name, build, keys, loadKeys, logger }: PresenceOptions): Presence {
  let looks = 0;
  let told = '';
  let isComplete = true;
  const compare = () => {
    const missing = keys.missing().map(({ number }) => number);
    if (missing.length > 0 && isComplete)
      logger.error(
        { missing },
        'this process lacks a master key that others seal under: it is not ready until it is set',
      );
    if (missing.length === 0 && !isComplete) logger.info('this process holds all master keys again');
    isComplete = missing.length === 0;
  };
  return {
    async look(known) {
      const isBeat = looks % LOOKS_PER_BEAT === 0;
      looks += 1;
      keys.know(known);
      if (loadKeys && (isBeat || keys.missing().length > 0)) keys.hold(await loadKeys().catch(() => []));
      compare();
      const tells = JSON.stringify([keys.checks, keys.sealing]);
      if (!isBeat && tells === told) return;
      await pool.query({ ...TELL, values: [name, hostname(), build, keys.checks, keys.sealing] }).then(
        () => {
          told = tells;
        },
        // The next look tells it.
        () => {},
      );
    },
    isComplete: () => isComplete,
    leave: () => pool.query('delete from process where name = $1', [name]).then(noop, noop),
  };
}

function noop(): void {}

/** Those that were killed long ago are forgotten. */
const TELL = {
  name: 'presence',
  text: `with gone as (delete from process where seen < clock_timestamp() - interval '1 day')
    insert into process (name, host, build, keys, sealing) values ($1, $2, $3, $4, $5)
    on conflict (name) do update
      set keys = excluded.keys, sealing = excluded.sealing, build = excluded.build, seen = clock_timestamp()`,
};
