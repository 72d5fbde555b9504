import type pg from 'pg';
import type { Runtime } from '../../base/clock.js';
import { gather, gatherLimits, type Watch } from '../../base/gather.js';
import { queryLimits } from './query-limits.js';
import { formatUnnest } from './unnested.js';

/**
 * Replay protection for single-use tokens (claim `jti`, interface/tokens#claims). All processes of a deployment share
 * it: a token used in one is used in all.
 */
export type Replays = ReturnType<typeof createReplays>;

interface Use {
  readonly ledger: string;
  readonly jti: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Replay protection in the database: of all requests with one token, whichever process they reach, exactly one is the
 * first (interface/tokens#claims).
 */
export function createReplays(pool: pg.Pool, runtime: Runtime, watch?: Watch) {
  const use = gather<Use, boolean>(
    (uses) => takeUses(pool, uses, runtime.now()),
    { batch: gatherLimits.batch, queue: gatherLimits.queue, concurrency: 1 },
    watch,
  );
  return {
    /**
     * Marks `jti` as used in `ledger` until `expiresAt` (milliseconds). Of all calls with the same ledger and `jti`
     * within that time exactly one returns true, or none where tokens of that expiry have been forgotten already.
     *
     * @throws Overloaded when the queue is full; what the database throws
     */
    use: (ledger: string, jti: string, expiresAt: number): boolean | Promise<boolean> =>
      use({ ledger, jti, expiresAt }),
  };
}

/** The row that keeps until when tokens have been forgotten. It shares no name with a token: these are named by digests. */
const SWEPT = `ledger = '' and use = 'swept'`;

/**
 * The statement that deletes expired tokens, `queryLimits.due.swept` of them at most, and answers how many as `swept`. The
 * greatest expiry among them is kept: a clock that goes back would make them good again.
 *
 * @param now milliseconds since 1970
 */
export function deleteExpiredTokens(now: number): pg.QueryConfig {
  return {
    text: `with gone as (
        delete from used_token where (ledger, use) in (
          select ledger, use from used_token where expires_at <= $1 and not (${SWEPT})
          limit ${queryLimits.due.swept} for update skip locked)
        returning expires_at),
      kept as (
        insert into used_token (ledger, use, expires_at)
        select '', 'swept', max(expires_at) from gone having count(*) > 0
        on conflict (ledger, use) do update set expires_at = greatest(used_token.expires_at, excluded.expires_at))
      select count(*)::int as swept from gone`,
    values: [new Date(now).toISOString()],
  };
}

async function takeUses(pool: pg.Pool, uses: readonly Use[], now: number): Promise<boolean[]> {
  // One statement takes a row only once: later uses of the same token are replays already.
  const names = uses.map(({ ledger, jti }) => JSON.stringify([ledger, jti]));
  const firsts = uses.filter((_, index) => names.indexOf(names[index] as string) === index);
  const { rows } = await pool.query<{ ledger: string; use: string }>({
    name: 'use-tokens',
    text: `insert into used_token (ledger, use, expires_at)
      select * from ${formatUnnest('u', ['ledger text', 'use text', 'expires_at timestamptz'])}
      where expires_at > coalesce((select s.expires_at from used_token s where s.ledger = '' and s.use = 'swept'), '-infinity')
      on conflict (ledger, use) do update set expires_at = excluded.expires_at where used_token.expires_at <= $4
      returning ledger, use`,
    values: [
      firsts.map((one) => one.ledger),
      firsts.map((one) => one.jti),
      firsts.map((one) => new Date(one.expiresAt).toISOString()),
      new Date(now).toISOString(),
    ],
  });
  const taken = new Set(rows.map(({ ledger, use }) => JSON.stringify([ledger, use])));
  return names.map((name, index) => names.indexOf(name) === index && taken.has(name));
}
