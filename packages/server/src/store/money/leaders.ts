import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isDistributed } from '../nodes/distribution.js';
import { callOf } from '../parameters.js';
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
export type Leaders = ReturnType<typeof createLeaders>;

/** @param holder unique name of this process */
export function createLeaders(pool: pg.Pool, holder: string) {
  return {
    /** Makes this process the leader of the ledger for so many milliseconds, unless another one is. */
    async acquire(ledger: number, lease: number): Promise<AcquiredLead | OtherLeader> {
      type Row = { moment: Date | null; holder: string | null };
      const { rows } = await pool.query<Row>(callOf('acquire_lead_1', { ledger, holder, lease, kinds: ALL_KINDS }));
      const { moment, holder: before } = rows[0]!;
      if (!moment) return { holder: before ?? undefined };
      return { moment: moment.toISOString(), isMoved: before !== null && before !== holder };
    },
    /** Lets go of the ledgers, so that another process need not wait. */
    async leave(ledgers: readonly number[]): Promise<void> {
      if (await isDistributed(pool)) {
        await leaveOnNodes(pool, ledgers, holder);
        return;
      }
      const text = `update home set until = '-infinity' where ledger_id = any($1::bigint[]) and holder = $2`;
      await pool.query({ name: 'home-leave', text, values: [ledgers, holder] });
    },
  };
}

/** Ledgers that are given up at a time: the other connections are left to requests. */
const AT_A_TIME = 3;

/** Milliseconds after which no more is given up: what is left ends with its lease. */
const LEAVE_TIME = 2_000;

/** One statement for each ledger: a node that is down must not keep leads on other nodes from being given up. */
async function leaveOnNodes(pool: pg.Pool, ledgers: readonly number[], holder: string): Promise<void> {
  const until = performance.now() + LEAVE_TIME;
  const left = ledgers[Symbol.iterator]();
  const leave = async () => {
    for (const ledger of left) {
      if (performance.now() > until) return;
      await leaveOne(pool, ledger, holder).catch(() => {});
    }
  };
  const all = Promise.all(Array.from({ length: AT_A_TIME }, leave));
  await Promise.race([all, pause(LEAVE_TIME, undefined, { ref: false })]);
}

async function leaveOne(pool: pg.Pool, ledger: number, holder: string): Promise<void> {
  const text = `update home set until = '-infinity' where ledger_id = $1 and holder = $2`;
  await pool.query({ name: 'home-leave-one', text, values: [ledger, holder] });
}
