import type pg from 'pg';
import { gather, gatherLimits } from '../../base/gather.js';
import type { NewDelivery } from '../committer/write.js';
import { ofReachable, readReachable } from '../nodes/reachable.js';
import { DELIVERY_COLUMNS, type DeliveryColumns, withoutNulls } from '../outbox/delivery-columns.js';
import { queryLimits } from '../queries/query-limits.js';
import { formatUnnest } from '../queries/unnested.js';
import { settleLimits } from './settle-limits.js';

/** An intent that is not final, as it is kept. */
export interface StoredOpenIntent {
  readonly luid: string;
  readonly thread: string;
  readonly stage: string;
  readonly state: string;
  readonly mac: string;
  readonly version: number;
  /** As PostgreSQL writes it, to the microsecond. */
  readonly due: string | null;
  readonly deadline: Date | null;
}

/** In place of their stage, intents that wait for an operator to resume their ledger are counted under this. */
export const SUSPENDED = 'suspended';

/** Intents under way of one stage: how many, and when the oldest of them was created. */
export interface OpenOfStage {
  readonly stage: string;
  readonly count: number;
  readonly oldest: Date;
}

/** The intents under way. */
export type OpenIntents = ReturnType<typeof createOpenIntents>;

/** A call of a bridge that was given up. */
export interface GivenUpCall extends NewDelivery {
  /** Why, and the authentication code of that. */
  readonly why: string;
  readonly whyMac: string;
}

/** The stages in which it is decided how an intent ends: they are seen to where an operator has stopped the ledger, too. */
export const DECIDED_STAGES = ['committing', 'aborting'] as const;

/** Whether the intent `o` is seen to, by its ledger `l`. */
const IS_SEEN_TO = `(l.suspended is null or o.stage in (${DECIDED_STAGES.map((stage) => `'${stage}'`).join(', ')}))`;

const INTENT_COLUMNS = 'o.luid, o.thread, o.stage, o.state, o.mac, o.version, o.due::text as due, o.deadline';

const DUE = `select ${INTENT_COLUMNS} from (
    select d.luid, d.due as since from open_intent d where d.ledger_id = $1 and d.due <= $2::timestamptz
    union
    select d.luid, d.deadline from open_intent d where d.ledger_id = $1 and d.deadline <= $2::timestamptz
  ) x join open_intent o on o.ledger_id = $1 and o.luid = x.luid join ledger l on l.id = o.ledger_id
  where ${IS_SEEN_TO}
  order by x.since, o.luid limit $3`;

const THREADS = `select t.ord, ${INTENT_COLUMNS}
  from ${formatUnnest('t', ['ord int', 'thread text'], 2)}
    join open_intent o on o.ledger_id = $1 and o.thread = t.thread
    left join record r on r.ledger_id = o.ledger_id and r.luid = o.luid
  order by t.ord, r.seq`;

/** Whether the intent `o` can go on: reports of bridges are refused where reads are suspended as well. */
const GOES_ON = `(${IS_SEEN_TO} and l.suspended is distinct from 'all')`;

// Those that wait for a resume take no room of the others. Luids sort by age.
const COUNT_BY_STAGE = `with seen as materialized (
    (select o.ledger_id, o.luid, o.stage from open_intent o join ledger l on l.id = o.ledger_id where ${GOES_ON} and ${ofReachable('o.ledger_id')} limit 10000)
    union all
    (select o.ledger_id, o.luid, '${SUSPENDED}' from open_intent o join ledger l on l.id = o.ledger_id
      where not ${GOES_ON} and ${ofReachable('o.ledger_id')} limit 10000)),
  oldest as (select distinct on (stage) stage, ledger_id, luid from seen order by stage, luid)
  select s.stage, s.count, r.moment as oldest
  from (select stage, count(*)::int as count from seen group by stage) s join oldest o using (stage)
    join record r on r.ledger_id = o.ledger_id and r.luid = o.luid and ${ofReachable('r.ledger_id')}`;
const ONE = `select ${INTENT_COLUMNS} from open_intent o where o.ledger_id = $1 and o.luid = $2`;

// A retry may yet succeed, but that it was given up once stays noted.
const GIVEN_UP = `select ${DELIVERY_COLUMNS}, d.given_up as why, d.given_up_mac as "whyMac" from delivery d
  where d.ledger_id = $1 and d.linked = $2 and d.given_up is not null order by d.seq`;
const POSTPONE = `update open_intent set due = greatest(due, $3::timestamptz),
    deadline = case when deadline < $3::timestamptz then $3::timestamptz else deadline end
  where ledger_id = $1 and luid = any($2::text[])`;

/**
 * Lists the ledgers with intents that are due, but for those that another process is the leader of
 * (`BackgroundWorker.due`).
 *
 * @param holder name of this process
 */
export function dueLedgers(holder: string): string {
  const others = `select from home h where h.ledger_id = o.ledger_id and h.holder <> '${holder.replaceAll("'", "''")}'
    and h.until > statement_timestamp()`;
  return `select o.ledger_id, l.luid as unit, min(o.since) as since
    from (
      select d.ledger_id, d.stage, d.due as since from open_intent d, clock where d.due <= clock.now and ${ofReachable('d.ledger_id')}
      union all
      select d.ledger_id, d.stage, d.deadline from open_intent d, clock where d.deadline <= clock.now and ${ofReachable('d.ledger_id')}
    ) o join ledger l on l.id = o.ledger_id
    where ${IS_SEEN_TO} and not exists (${others})
    group by o.ledger_id, l.luid`;
}

export function createOpenIntents(pool: pg.Pool) {
  const threads = createThreads(pool);
  return {
    /** Those of a ledger that somebody must look at, longest due first: accepted by another process, reported on, or expired. */
    async due(ledger: number, now: string, count: number): Promise<readonly StoredOpenIntent[]> {
      const { rows } = await pool.query<StoredOpenIntent>({
        name: 'open-intents-due',
        text: DUE,
        values: [ledger, now, count],
      });
      return rows;
    },
    /** All of a thread, in the order in which they were made. */
    thread: (ledger: number, thread: string): Promise<readonly StoredOpenIntent[]> => threads({ ledger, thread }),
    /** Counts those of the whole deployment, up to 10,000, and as many suspended ones. Stages that no intent is in are absent. */
    async count(): Promise<readonly OpenOfStage[]> {
      return readReachable<OpenOfStage>(pool, { name: 'open-intents-count', text: COUNT_BY_STAGE, values: [] });
    },
    /** One, by its luid; undefined for a final one. */
    async one(ledger: number, luid: string): Promise<StoredOpenIntent | undefined> {
      const { rows } = await pool.query<StoredOpenIntent>({ name: 'open-intent', text: ONE, values: [ledger, luid] });
      return rows[0];
    },
    /** The calls of an intent, by its handle, that were given up: unverified. */
    async givenUp(ledger: number, intent: string): Promise<readonly GivenUpCall[]> {
      const { rows } = await pool.query<DeliveryColumns<GivenUpCall>>({
        name: 'given-up-calls',
        text: GIVEN_UP,
        values: [ledger, intent],
      });
      return rows.map((row) => withoutNulls<GivenUpCall>(row));
    },
    /** Puts off those that are due, until a moment. */
    async postpone(ledger: number, luids: readonly string[], until: string): Promise<void> {
      if (luids.length === 0) return;
      await pool.query({ name: 'open-intents-postpone', text: POSTPONE, values: [ledger, luids, until] });
    },
  };
}

/** Many are looked for at once, when a process sees to what another has accepted: together they are one query. */
function createThreads(pool: pg.Pool) {
  return gather<{ ledger: number; thread: string }, readonly StoredOpenIntent[]>(
    async (queries) => {
      const { rows } = await pool.query<StoredOpenIntent & { ord: number }>({
        name: 'open-intents-threads',
        text: THREADS,
        values: [queries[0]!.ledger, queries.map((_, ord) => ord), queries.map(({ thread }) => thread)],
      });
      const found = queries.map((): StoredOpenIntent[] => []);
      for (const { ord, ...row } of rows) found[ord]!.push(row);
      return found;
    },
    {
      batch: settleLimits.batch,
      queue: gatherLimits.queue,
      concurrency: queryLimits.lookups.together,
      apart: ({ ledger }) => ledger,
      each: queryLimits.lookups.each,
    },
  );
}
