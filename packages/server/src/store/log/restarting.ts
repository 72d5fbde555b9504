import type pg from 'pg';
import type { StoredLog } from './sealing.js';

/** A log that an operator has named. */
export interface NamedLog extends StoredLog {
  readonly handle: string;
  readonly stopped: string | null;
}

/** Locks the log of a ledger, by handle or luid, until the transaction ends. @returns undefined where there is none */
export async function lockNamedLog(client: pg.ClientBase, ledger: string): Promise<NamedLog | undefined> {
  const { rows: named } = await client.query<{ id: number }>(
    'select id from ledger where handle = $1 or luid = $1 order by (luid = $1) desc limit 1',
    [ledger],
  );
  // On a cluster, rows are locked on the node of one ledger only.
  const { rows } = await client.query<NamedLog>(
    `select g.ledger_id as ledger, l.luid, l.handle, g.generation, g.origin, g.size, g.edge, g.checkpoint, g.mac, g.stopped
     from log g join ledger l on l.id = g.ledger_id where g.ledger_id = $1 for update of g`,
    [named[0]?.id],
  );
  return rows[0];
}

/** Leaves of an erased record: what they committed to is gone, and they stay. */
export interface ErasedLeaves {
  readonly luid: string;
  /** Number of the last of their changes. */
  readonly change: number;
  /** 32 bytes each. */
  readonly commitments: Buffer;
}

/** The leaves of erased records, in their order. */
export async function readErasedLeaves(client: pg.ClientBase, ledger: number): Promise<ErasedLeaves[]> {
  const { rows } = await client.query<ErasedLeaves>(
    'select luid, change, commitments from log_leaf where ledger_id = $1 and salts is null order by first',
    [ledger],
  );
  return rows;
}

/** How a log begins anew. */
export interface Beginning {
  readonly ledger: number;
  readonly generation: number;
  readonly origin: string;
  /** What the first leaf commits to: the last checkpoint of the generation before. */
  readonly predecessor: string;
}

/** Forgets the tree of a log, and has all changes of its ledger added again. What waits in the queue stays there. */
export async function beginGeneration(
  client: pg.ClientBase,
  { ledger, generation, origin, predecessor }: Beginning,
): Promise<void> {
  for (const table of ['log_leaf', 'log_tile', 'log_witness']) {
    await client.query(`delete from ${table} where ledger_id = $1`, [ledger]);
  }
  await client.query(
    `update log set generation = $2, origin = $3, predecessor = $4, size = 0, edge = '', checkpoint = null, mac = null, sealed = null,
       cosigned = null, unwitnessed = null, stopped = null
     where ledger_id = $1`,
    [ledger, generation, origin, predecessor],
  );
  await client.query(
    `insert into log_backfill (ledger_id, luid, change) values ($1, '', 0)
     on conflict (ledger_id) do update set luid = '', change = 0`,
    [ledger],
  );
}
