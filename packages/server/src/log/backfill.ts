import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { LogCodes, MakeLeaf } from '../integrity/log-leaves.js';
import type { KindName } from '../kinds/kind.js';
import { moveBackfill, readUnlogged, type Unlogged, type UnloggedErased } from '../store/log/backfill.js';
import type { Queued } from '../store/log/queue.js';
import type { StoredLog } from '../store/log/sealing.js';
import type { Check } from '../store/queries/version.js';
import { logLimits } from './log-limits.js';
import { AlteredLeaves } from './tree-rows.js';

interface BackfillDeps {
  readonly leaf: MakeLeaf;
  readonly check: Check;
  readonly logCodes: LogCodes;
}

/** A change with its leaf, in base64. */
interface ChangeWithLeaf {
  readonly luid: string;
  readonly change: number;
  readonly leaf: string;
  readonly isClosed: boolean;
}

/**
 * Makes leaves of changes that have none: those of before the log, and those of an import. They come in the order of luids,
 * and before any that was queued: the leaves of a record are in the order of its changes. Of a change whose text was
 * erased before an import, the leaf is what the first log committed to.
 *
 * @returns leaves as if they had been queued
 * @throws Corrupt for a version that is not as it was stored; AlteredLeaves for an erased one whose leaf is missing, or is
 *   not what an import has stored
 */
export async function backfillLog(
  client: pg.ClientBase,
  { ledger, luid }: StoredLog,
  deps: BackfillDeps,
): Promise<Queued[]> {
  const { backfill, backfillBytes, backfillTurn } = logLimits;
  const { rows, end } = await readUnlogged(client, ledger, backfill, backfillBytes);
  const leaves: ChangeWithLeaf[] = [];
  for (const [at, row] of rows.entries()) {
    // Requests have their turns in between.
    if (at % backfillTurn === 0) await setImmediate();
    leaves.push(isErased(row) ? leafOfErased(ledger, row, deps) : await newLeaf(ledger, luid, row, deps));
  }
  await moveBackfill(client, ledger, end);
  return inRuns(leaves).map((run) => {
    const { luid, change, isClosed } = run.at(-1)!;
    const coded = deps.logCodes.codeLeaves(ledger, { luid, change }, run.map(({ leaf }) => leaf).join(''));
    return { ledger, id: 0, luids: [luid], changes: [change], leaves: [coded], ...(isClosed ? { isClosed } : {}) };
  });
}

function isErased(row: Unlogged | UnloggedErased): row is UnloggedErased {
  return row.body === null;
}

async function newLeaf(
  ledger: number,
  of: string,
  row: Unlogged,
  { leaf, check }: BackfillDeps,
): Promise<ChangeWithLeaf> {
  const kind = row.kind as KindName;
  await check({ ledger, kind }, row);
  return { luid: row.luid, change: row.change, leaf: leaf(of, kind, row), isClosed: false };
}

function leafOfErased(
  ledger: number,
  { luid, change, leaf }: UnloggedErased,
  { logCodes }: BackfillDeps,
): ChangeWithLeaf {
  const opened = leaf === null ? undefined : logCodes.openLeaves(ledger, { luid, change }, leaf);
  if (!opened) throw new AlteredLeaves(`The leaf of change ${change} of ${luid}, which is erased, was altered.`);
  return { luid, change, leaf: opened.toString('base64'), isClosed: true };
}

/** Splits leaves into those of consecutive changes of one record, and those that are erased from others. */
function inRuns(leaves: readonly ChangeWithLeaf[]): ChangeWithLeaf[][] {
  const runs: ChangeWithLeaf[][] = [];
  for (const leaf of leaves) {
    const before = runs.at(-1)?.at(-1);
    const goesOn = before?.luid === leaf.luid && before.change + 1 === leaf.change;
    if (goesOn && before.isClosed === leaf.isClosed) runs.at(-1)!.push(leaf);
    else runs.push([leaf]);
  }
  return runs;
}
