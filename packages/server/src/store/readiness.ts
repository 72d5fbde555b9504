import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { momentLimits } from '../base/ledger-clock.js';
import { ClockCheck } from './clock-check.js';
import { OUR_DRAINS } from './deployment/drain.js';
import type { Presence, SeenDeployment } from './deployment/presence.js';
import { READ_ONLY_ROW } from './deployment/read-only.js';
import { LEAST_SCHEMA } from './deployment/schema-range.js';

/** Whether the database answers, by the latest look at it, this process holds its keys, and the clock lets writes be dated. */
export type Readiness = Awaited<ReturnType<typeof watchReadiness>>;

export interface ReadinessBounds {
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Milliseconds that a look may take, connecting included. */
  readonly patience: number;
}

/**
 * Looks at a database that has just answered, again and again, so that those who ask cost it nothing. The first look is over.
 *
 * @param presence told of what each look has seen of the deployment
 * @param now the clock of this process, milliseconds since 1970: while it is far ahead of the database's, writes are refused. Absent
 *   where any clock will do
 */
export async function watchReadiness(
  pool: pg.Pool,
  { pause, patience }: ReadinessBounds,
  logger: FastifyBaseLogger,
  presence: Presence,
  now?: () => number,
) {
  const closing = new AbortController();
  const clock = new ClockCheck(momentLimits.ahead, logger);
  const ping = { text: LOOK, values: [OUR_DRAINS], query_timeout: patience };
  let isReady = true;
  const tell = (is: boolean, err?: unknown) => {
    if (is === isReady || closing.signal.aborted) return;
    isReady = is;
    if (is) logger.info('ready again');
    else logger.warn({ err }, 'not ready');
  };
  const lookOnce = async () => {
    const asked = now?.();
    try {
      const { rows } = await within(patience, pool.query<Seen>(ping));
      if (asked !== undefined) clock.compare(asked, rows[0]!.now);
      await presence.look(rows[0]!);
      tell(true);
    } catch (error) {
      tell(false, error);
    }
  };
  const look = async () => {
    while (!closing.signal.aborted) {
      await wait(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      if (!closing.signal.aborted) await lookOnce();
    }
  };
  await lookOnce();
  void look();
  return {
    /** Refuses writes while the clock of this process is ahead of the database's. */
    clock,
    isReady: () => isReady && presence.isComplete(),
    /** Looks no more. */
    close: () => closing.abort(),
  };
}

/** What a look sees. */
interface Seen extends SeenDeployment {
  /** Milliseconds since 1970. */
  readonly now: number;
}

const LOOK = `select extract(epoch from clock_timestamp())::float8 * 1000 as now,
  (select json_agg(json_build_object('number', number, 'check', key_check)) from master_key) as keys,
  (select value from deployment where name = '${READ_ONLY_ROW}') as "readOnly",
  (select value from deployment where name = '${LEAST_SCHEMA}') as "leastSchema",
  exists (select from deployment where name = any ($1::text[])) as "isDraining"`;

/** The outcome of a look, unless that takes longer: the pool waits for a connection for longer than a look may take. */
async function within<T>(patience: number, looking: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = wait(patience, undefined, { ref: false, signal: over.signal }).then((): never => {
    throw new Error(`The database has not answered within ${patience} ms.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([looking, late]);
  } finally {
    over.abort();
  }
}
