import { setTimeout as pause } from 'node:timers/promises';
import { HASH_BYTES, SALT_BYTES } from '@countersign/protocol/log';
import type { ChangeLine, ClosedLeaf, LeafLine, LogHead } from '@countersign/verifier';
import type pg from 'pg';
import { RESTART } from '../log/restart.js';

/** Milliseconds between two looks at the queue; looks at most, and looks at most while nothing moves. */
const QUEUE_LOOK = 100;
const MOST_LOOKS = 50;
const IDLE_LOOKS = 20;

const WAITING = `select
  (select count(*) from unsealed u where u.ledger_id = $1 and u.id <= $2) as queued,
  (select b.luid || '/' || b.change from log_backfill b where b.ledger_id = $1) as behind`;

/**
 * Waits until what the ledger has stored so far is sealed, so that an export has a leaf of each change. Only a server
 * seals: where nothing moves, there is none, and the export goes on after moments.
 */
export async function waitSealed(pool: pg.Pool, ledger: number): Promise<void> {
  const { rows: last } = await pool.query<{ id: number }>(
    'select coalesce(max(id), 0) as id from unsealed where ledger_id = $1',
    [ledger],
  );
  let before = '';
  let idle = 0;
  for (let look = 0; look < MOST_LOOKS && idle < IDLE_LOOKS; look += 1) {
    const { rows } = await pool.query<{ queued: number; behind: string | null }>(WAITING, [ledger, last[0]!.id]);
    const { queued, behind } = rows[0]!;
    if (Number(queued) === 0 && behind === null) return;
    const now = `${queued} ${behind}`;
    idle = now === before ? idle + 1 : 0;
    before = now;
    await pause(QUEUE_LOOK);
  }
}

/** The log of a ledger in the snapshot of a transaction; undefined where nothing was sealed. */
export async function readLogHead(client: pg.ClientBase, ledger: number): Promise<LogHead | undefined> {
  const { rows } = await client.query<
    Omit<LogHead, 'cosigned' | 'behind' | 'stopped'> & {
      cosigned: string | null;
      behind: boolean;
      stopped: string | null;
    }
  >(
    `select origin, generation, size, checkpoint, cosigned, stopped,
       exists (select from log_backfill b where b.ledger_id = $1) as behind
     from log where ledger_id = $1 and checkpoint is not null`,
    [ledger],
  );
  if (!rows[0]) return undefined;
  const { cosigned, behind, stopped, ...head } = rows[0];
  return {
    ...head,
    ...(cosigned === null ? {} : { cosigned }),
    ...(behind ? { behind } : {}),
    ...(stopped === null ? {} : { stopped }),
  };
}

/**
 * The first leaf of a log that an operator has begun anew, which commits to the last checkpoint of the one before
 * (interface/log-witnesses#a-new-generation); undefined of a log that goes on from its first change.
 */
export async function readRestart(client: pg.ClientBase, ledger: number): Promise<LeafLine | undefined> {
  const { rows } = await client.query<{ luid: string; change: number; text: string; salts: Buffer }>(
    `select l.luid, f.change, g.predecessor as text, f.salts
     from log g join ledger l on l.id = g.ledger_id join log_leaf f on f.ledger_id = g.ledger_id and f.luid = $2
     where g.ledger_id = $1 and g.checkpoint is not null`,
    [ledger, RESTART],
  );
  if (!rows[0]) return undefined;
  const { salts, ...leaf } = rows[0];
  return { line: 'leaf', kind: 'log', ...leaf, action: 'restart', index: 0, salt: salts.toString('base64') };
}

/** The leaf of a change: that of the write which has stored it, with those before it. */
export interface LeafColumns {
  readonly leaf_change: number | null;
  readonly leaf_first: number;
  readonly commitments: Buffer;
  readonly salts: Buffer | null;
  /** Of an erased change that was imported, as it will be queued; null once the log has it. */
  readonly leaf_named: string | null;
}

/** Joins changes `c` with their leaves, as `LeafColumns`. */
export const LEAVES = `left join lateral (
    select f.change as leaf_change, f.first as leaf_first, f.commitments, f.salts from log_leaf f
    where f.ledger_id = $1 and f.luid = c.luid and f.change >= c.change order by f.change limit 1
  ) leaf on true
  left join erased_leaf named on named.ledger_id = c.ledger_id and named.luid = c.luid and named.change = c.change`;

/** The leaf of a change, as an export names it; undefined where it was not sealed. */
export function leafOf(change: number, row: LeafColumns): ChangeLine['leaf'] | ClosedLeaf {
  const { leaf_change, leaf_first, commitments, salts } = row;
  if (leaf_change === null) return undefined;
  const at = commitments.length / HASH_BYTES - 1 - (leaf_change - change);
  if (at < 0) return undefined;
  const index = leaf_first + at;
  if (salts === null) return { index, commitment: piece(commitments, at, HASH_BYTES) };
  return { index, salt: piece(salts, at, SALT_BYTES) };
}

/**
 * What the log of another deployment had of an erased change, where the log of this one does not have it: it is still being
 * made, or is none.
 *
 * @param opened what an import has stored of it (integrity/log-leaves.ts, `makeClosedLeaf`)
 */
export function toNamedLeaf(opened: Uint8Array): ClosedLeaf {
  return { commitment: Buffer.from(opened.subarray(SALT_BYTES)).toString('base64') };
}

function piece(bytes: Buffer, at: number, length: number): string {
  return bytes.subarray(at * length, (at + 1) * length).toString('base64');
}
