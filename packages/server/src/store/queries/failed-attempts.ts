import type pg from 'pg';
import type { Runtime } from '../../base/clock.js';
import { gather, gatherLimits } from '../../base/gather.js';
import { textArray } from '../parameters.js';

/** Wrong client secrets at the token endpoint. */
export const failedAttemptLimits = {
  /** Wrong secrets of a client and address that make it wait. */
  attempts: 10,
  /** Milliseconds until they are forgotten. */
  window: 60_000,
  /** Clients and addresses that one process remembers them of. */
  remembered: 10_000,
  /** Queries of each sort at a time. */
  concurrency: 2,
} as const;

/** Failed attempts, counted by all processes of a deployment together. */
export type FailedAttempts = ReturnType<typeof createFailedAttempts>;

interface Attempt {
  readonly ledger: string;
  readonly key: string;
  readonly hasFailed: boolean;
}

/**
 * Each failure takes a place of the key, a row beside those of used tokens, until the window has passed. Their names differ
 * from digests by a colon, and they are swept with them.
 */
export function createFailedAttempts(pool: pg.Pool, { now }: Runtime) {
  const { concurrency } = failedAttemptLimits;
  const note = gather<Attempt, number>(
    (attempts) => Promise.all(attempts.map((one) => judgeAttempt(pool, one, now()))),
    { batch: 1, queue: gatherLimits.queue, concurrency },
  );
  const isLastTaken = gather<Attempt, boolean>((attempts) => findLastTaken(pool, attempts, now()), {
    ...gatherLimits,
    concurrency,
  });
  /** Failures that are not noted yet. */
  let failing = 0;
  return {
    /**
     * Notes the outcome of an attempt, in the order of all processes: of those that are allowed, at most
     * `failedAttemptLimits.attempts` have failed within `failedAttemptLimits.window`.
     *
     * @param ledger luid of the ledger
     * @param key digest of who attempts
     * @returns 0 for an attempt that is allowed, else the milliseconds to wait, whatever its outcome
     * @throws Overloaded when the queue is full; what the database throws
     */
    async note(ledger: string, key: string, hasFailed: boolean): Promise<number> {
      const attempt = { ledger, key, hasFailed };
      // Most clients have no failures: right secrets that come together share one query. While failures wait to be noted, those
      // behind them may be the last that are allowed: each waits for its turn.
      if (!hasFailed && failing === 0 && !(await isLastTaken(attempt))) return 0;
      if (!hasFailed) return note(attempt);
      failing += 1;
      try {
        return await note(attempt);
      } finally {
        failing -= 1;
      }
    },
  };
}

async function judgeAttempt(pool: pg.Pool, attempt: Attempt, now: number): Promise<number> {
  const { attempts } = failedAttemptLimits;
  // Of concurrent failures that want the same place, one gets it; the others look for the next.
  for (let round = 0; round <= attempts; round += 1) {
    if (attempt.hasFailed && (await takePlace(pool, attempt, now))) return 0;
    const { taken, until } = await countFailures(pool, attempt, now);
    if (taken >= attempts) return Math.max(1, until - now);
    if (!attempt.hasFailed) return 0;
  }
  return failedAttemptLimits.window;
}

/**
 * For each attempt, whether all places may be taken. A failure takes the first free one, so some are free while the last is.
 */
async function findLastTaken(pool: pg.Pool, attempts: readonly Attempt[], now: number): Promise<readonly boolean[]> {
  const last = attempts.map(({ key }) => places(key).at(-1)!);
  const { rows } = await pool.query<{ ledger: string; use: string }>({
    name: 'find-last-failures',
    text: `select t.ledger, t.use from used_token t
      join unnest($1::text[], $2::text[]) asked (ledger, use) on t.ledger = asked.ledger and t.use = asked.use
      where t.expires_at > $3`,
    values: [textArray(attempts.map(({ ledger }) => ledger)), textArray(last), at(now)],
  });
  const taken = new Set(rows.map(({ ledger, use }) => `${ledger} ${use}`));
  return attempts.map(({ ledger }, index) => taken.has(`${ledger} ${last[index]}`));
}

async function takePlace(pool: pg.Pool, { ledger, key }: Attempt, now: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'note-failure',
    text: `insert into used_token (ledger, use, expires_at)
      select $1::text, place, $3::timestamptz from unnest($2::text[]) with ordinality p (place, n)
      where not exists (select from used_token t where t.ledger = $1 and t.use = place and t.expires_at > $4)
      order by n limit 1
      on conflict (ledger, use) do update set expires_at = excluded.expires_at where used_token.expires_at <= $4`,
    values: [ledger, places(key), at(now + failedAttemptLimits.window), at(now)],
  });
  return rowCount === 1;
}

async function countFailures(pool: pg.Pool, { ledger, key }: Attempt, now: number) {
  const { rows } = await pool.query<{ taken: number; until: Date | null }>({
    name: 'count-failures',
    text: `select count(*)::int as taken, min(expires_at) as until from used_token
      where ledger = $1 and use = any ($2::text[]) and expires_at > $3`,
    values: [ledger, places(key), at(now)],
  });
  const [{ taken, until } = { taken: 0, until: null }] = rows;
  return { taken, until: until === null ? now : new Date(until).getTime() };
}

function places(key: string): string[] {
  return Array.from({ length: failedAttemptLimits.attempts }, (_, index) => `${key}:${index}`);
}

function at(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
