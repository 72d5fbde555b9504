import type pg from 'pg';
import { Type } from 'typebox';
import { findNamedLedger } from '../archive/named-ledger.js';
import { findLine, type LedgerLine, MOST_COUNTED } from './ledgers.js';
import { defineOperation, LEDGER_NAME } from './operation.js';
import { WrongCall } from './refusals.js';

/** What is seen of one ledger. */
export interface LedgerView extends LedgerLine {
  /** Records in force, by kind; of a million together at most. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Of its last change, ISO 8601. */
  readonly lastChange: string | null;
  readonly log: LogView;
  readonly deliveries: DeliveriesView;
  /** Intents under way, by what they wait for; the oldest first. */
  readonly intents: readonly OpenStage[];
  /** The process that decides on its intents; null where none has done so of late. */
  readonly leader: string | null;
}

export interface LogView {
  readonly size: number;
  /** When a checkpoint was last made, ISO 8601. */
  readonly sealed: string | null;
  /** Writes that wait to be sealed, and for how many seconds the oldest has. */
  readonly waiting: number;
  readonly lag: number;
  readonly stopped: string | null;
}

/** Counted up to 10,000 each. */
export interface DeliveriesView {
  /** Due, or to be tried again at a time of its own; and for how many seconds the oldest has been due. */
  readonly waiting: number;
  readonly overdue: number;
  /** Set aside for a further attempt. */
  readonly aside: number;
  /** Receivers whose last attempts have failed, those that failed most first: ten at most. */
  readonly failing: readonly { readonly receiver: string; readonly failures: number }[];
}

export interface OpenStage {
  readonly stage: string;
  readonly count: number;
  /** When the oldest was created, ISO 8601. */
  readonly oldest: string;
}

/** Looks at one ledger. */
export const showLedger = defineOperation({
  input: Type.Object({ ledger: LEDGER_NAME }, { additionalProperties: false }),
  changes: () => false,
  run: ({ onDatabase, now }, { ledger }) =>
    onDatabase(async ({ pool, config }): Promise<LedgerView> => {
      const { id } = await findNamedLedger(pool, ledger, WrongCall);
      const line = await findLine(pool, id, now(), config.ledgerQuota);
      const { rows } = await pool.query<{ view: Pick<LedgerView, 'kinds' | 'intents' | 'leader'> }>(VIEW, [id]);
      const log = await findLogView(pool, id);
      const deliveries = await findDeliveriesView(pool, id);
      return { ...line, ...rows[0]!.view, lastChange: await lastChangeOf(pool, id), log, deliveries };
    }),
});

/** Records that are looked at to count them by kind. */
const MOST_BY_KIND = 1_000_000;

const VIEW = `select json_build_object(
  'kinds', (select coalesce(json_object_agg(kind, count order by kind), '{}') from (
    select kind, count(*)::int as count from (select kind from record where ledger_id = $1 limit ${MOST_BY_KIND}) r group by kind) k),
  'intents', (select coalesce(json_agg(s order by s.oldest), '[]') from (
    select o.stage, count(*)::int as count, to_char(min(r.moment) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as oldest
    from (select luid, stage from open_intent where ledger_id = $1 order by luid limit ${MOST_COUNTED}) o
      join record r on r.ledger_id = $1 and r.luid = o.luid
    group by o.stage) s),
  'leader', (select holder from home where ledger_id = $1 and until > clock_timestamp())) as view`;

async function findLogView(pool: pg.Pool, id: number): Promise<LogView> {
  const { rows } = await pool.query<Omit<LogView, 'sealed'> & { readonly sealed: Date | null }>(
    `select coalesce(g.size, 0)::bigint as size, g.sealed, g.stopped, u.waiting::int as waiting, u.lag::int as lag
     from (select coalesce(sum(cardinality(changes)), 0) as waiting,
         coalesce(extract(epoch from clock_timestamp() - min(moment)), 0) as lag
       from unsealed where ledger_id = $1) u
       left join log g on g.ledger_id = $1`,
    [id],
  );
  const { sealed, ...log } = rows[0]!;
  return { ...log, sealed: sealed?.toISOString() ?? null };
}

/** Each count is through an index that has no others than it counts. */
async function findDeliveriesView(pool: pg.Pool, id: number): Promise<DeliveriesView> {
  const { rows } = await pool.query<{ view: DeliveriesView }>(
    `select json_build_object(
      'waiting', (select count(*) from (select from delivery where ledger_id = $1 and due is not null limit ${MOST_COUNTED}) d),
      'overdue', (select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(due)), 0))::int from (
        select due from delivery where ledger_id = $1 and due is not null limit ${MOST_COUNTED}) d),
      'aside', (select count(*) from (select from delivery
        where ledger_id = $1 and aside is not null and due is null and status in ('pending', 'failed') limit ${MOST_COUNTED}) d),
      'failing', (select coalesce(json_agg(f), '[]') from (
        select coalesce(r.handle, q.receiver) as receiver, q.failures
        from delivery_backlog q left join record r on r.ledger_id = $1 and r.luid = q.receiver
        where q.ledger_id = $1 and q.failures > 0 order by q.failures desc, q.receiver limit 10) f)) as view`,
    [id],
  );
  return rows[0]!.view;
}

/** Of what waits to be sealed, or else of what was sealed last. */
async function lastChangeOf(pool: pg.Pool, id: number): Promise<string | null> {
  const { rows } = await pool.query<{ moment: Date | null }>(
    `select coalesce(
       (select max(moment) from unsealed where ledger_id = $1),
       (select c.moment from (select luid, change from log_leaf where ledger_id = $1 order by first desc limit 1) f
         join change c on c.ledger_id = $1 and c.luid = f.luid and c.change = f.change)) as moment`,
    [id],
  );
  return rows[0]?.moment?.toISOString() ?? null;
}
