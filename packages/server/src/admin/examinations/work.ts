import type pg from 'pg';
import { Illness } from './diagnosis.js';

/** Runs of a unit that failed in a row before it is told. */
const MOST_FAILURES = 3;

/** Milliseconds for which an intent may wait for bridges to carry out what is decided, where their reports are taken. */
const LONGEST_BRIDGE_WAIT = 3_600_000;

/** Whether background work goes on, and nothing that is decided about money stands still. */
export async function examineWork(pool: pg.Pool, now: number): Promise<string> {
  const { rows: failing } = await pool.query<{ worker: string; units: number }>(
    `select worker, count(*)::int as units from lease where failures > $1 group by worker order by worker`,
    [MOST_FAILURES],
  );
  if (failing.length > 0)
    throw new Illness(
      `fails again and again: ${failing.map(({ worker, units }) => `${worker} (${units})`).join(', ')}`,
      'read the log of the server: `background work failed` says why',
    );
  const { rows: stuck } = await pool.query<{ handle: string; count: number }>(
    `select o.handle, count(*)::int as count from (
       select i.ledger_id, i.luid, l.handle from open_intent i join ledger l on l.id = i.ledger_id
       where i.stage in ('committing', 'aborting') and l.suspended is distinct from 'all' limit 10000) o
       join record r on r.ledger_id = o.ledger_id and r.luid = o.luid
     where r.moment < $1 group by o.handle order by 2 desc limit 5`,
    [new Date(now - LONGEST_BRIDGE_WAIT)],
  );
  if (stuck.length > 0)
    throw new Illness(
      `intents wait for bridges for more than an hour: ${stuck.map(({ handle, count }) => `${handle} (${count})`).join(', ')}`,
      'run `countersign admin intents <ledger> --older-than 1h`, which says what they wait for',
    );
  const { rows } = await pool.query<{ suspended: number }>(
    'select count(*)::int as suspended from ledger where suspended is not null',
  );
  return `goes on; ${rows[0]!.suspended} suspended`;
}
