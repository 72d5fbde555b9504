import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Keyring, NumberedKey } from '../../keys/keyring.js';
import type { Drain } from './drain.js';
import type { ReadOnlyGuard } from './read-only.js';
import type { SchemaGuard } from './schema-range.js';

/** What a look has seen of the deployment. */
export interface SeenDeployment {
  readonly keys: readonly NumberedKey[] | null;
  /** As `ReadOnlyGuard.see` takes it. */
  readonly readOnly: string | null;
  /** As `SchemaGuard.see` takes it. */
  readonly leastSchema: string | null;
  readonly isDraining: boolean;
}

/** What a process tells the others of itself, and hears of the deployment. */
export type Presence = ReturnType<typeof createPresence>;

export interface PresenceOptions {
  /** Unique name of this process. */
  readonly name: string;
  readonly build: string;
  readonly keys: Keyring;
  /** Reads the keys that are set anew. */
  readonly loadKeys?: (() => Promise<readonly Buffer[]>) | undefined;
  readonly readOnly: ReadOnlyGuard;
  readonly schema: SchemaGuard;
  readonly drain: Drain;
  /** Whether it does a write at the moment. */
  readonly isWriting: () => boolean;
  readonly logger: Pick<FastifyBaseLogger, 'error' | 'info'>;
}

/** Looks, of a second each, after which a process tells that it is there. */
const LOOKS_PER_BEAT = 10;

/** Seconds after which a process that was not seen is gone. */
export const SEEN_WITHIN = 30;

/** Keeps the row of this process in the table `process`. */
export function createPresence(
  pool: pg.Pool,
  { name, build, keys, loadKeys, readOnly, drain, schema, isWriting, logger }: PresenceOptions,
) {
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
    /** Takes what was seen of the deployment at a look. Never throws. */
    async look(seen: SeenDeployment): Promise<void> {
      const isBeat = looks % LOOKS_PER_BEAT === 0;
      looks += 1;
      readOnly.see(seen.readOnly);
      schema.see(seen.leastSchema);
      drain.see(seen.isDraining, schema.isOutdated);
      keys.know(seen.keys ?? []);
      if (loadKeys && (isBeat || keys.missing().length > 0)) keys.hold(await loadKeys().catch(() => []));
      compare();
      const isReadOnly = readOnly.mode !== undefined && !isWriting();
      const tells = [keys.checks, keys.sealing, isReadOnly, drain.isDrained] as const;
      const text = JSON.stringify(tells);
      if (!isBeat && text === told) return;
      await pool.query({ ...TELL, values: [name, hostname(), build, ...tells, schema.known] }).then(
        () => {
          told = text;
        },
        // The next look tells it.
        () => {},
      );
    },
    /** Whether it holds all master keys of the deployment, and may serve on its schema. */
    isComplete: () => isComplete && !schema.isOutdated,
    /** Tells that the process ends. Never throws. */
    leave: (): Promise<void> => pool.query('delete from process where name = $1', [name]).then(noop, noop),
  };
}

function noop(): void {}

/** Those that were killed long ago are forgotten. */
const TELL = {
  name: 'presence',
  text: `with gone as (delete from process where seen < clock_timestamp() - interval '1 day')
    insert into process (name, host, build, keys, sealing, is_read_only, is_drained, schema) values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (name) do update
      set keys = excluded.keys, sealing = excluded.sealing, is_read_only = excluded.is_read_only, is_drained = excluded.is_drained,
        build = excluded.build, seen = clock_timestamp()`,
};
