import type pg from 'pg';
import { ALL_KINDS } from '../queries/kinds-where.js';

/** That this process leads a ledger. */
export interface AcquiredLead {
  /** The last one of the ledger, ISO 8601. */
  readonly moment: string;
  /** Whether another process was the leader before. */
  readonly isMoved: boolean;
}

/** The process that is the leader instead; undefined where it has just become so. */
export interface OtherLeader {
  readonly holder: string | undefined;
}

/** The leaders of ledgers: the process that decides on a ledger's intents. By the clock of the database. */
export interface Leaders {
  /**
   * Makes this process the leader of the ledger for so many milliseconds, unless another one is.
   */
  acquire(ledger: number, lease: number): Promise<AcquiredLead | OtherLeader>;
  /** Lets go of the ledgers, so that another process need not wait. */
  leave(ledgers: readonly number[]): Promise<void>;
}

const ACQUIRE = `with was as (select holder from home where ledger_id = $1),
  acquired as (
    insert into home (ledger_id, holder, until, moment)
    values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', 'epoch')
    on conflict (ledger_id) do update set holder = $2, until = excluded.until
      where home.holder = $2 or home.until < clock_timestamp()
    returning moment
  )
  select case when acquired.moment is not null then greatest(acquired.moment, newest_moment_1($1, $4)) end as moment, was.holder
  from (select) one left join acquired on true left join was on true`;

/** @param holder unique name of this process */
export function createLeaders(pool: pg.Pool, holder: string): Leaders {
  return {
    async acquire(ledger, lease) {
      const values = [ledger, holder, lease, ALL_KINDS];
      type Row = { moment: Date | null; holder: string | null };
      const { rows } = await pool.query<Row>({ name: 'home-acquire', text: ACQUIRE, values });
      const { moment, holder: before } = rows[0]!;
      if (!moment) return { holder: before ?? undefined };
      return { moment: moment.toISOString(), isMoved: before !== null && before !== holder };
    },
    async leave(ledgers) {
      const text = `update home set until = '-infinity' where ledger_id = any($1::bigint[]) and holder = $2`;
      await pool.query({ name: 'home-leave', text, values: [ledgers, holder] });
    },
  };
}
