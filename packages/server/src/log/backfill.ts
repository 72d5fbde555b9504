import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { MakeLeaf } from '../integrity/leaf.js';
import type { LogCodes } from '../integrity/log-codes.js';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { moveBackfill, readUnlogged, type Unlogged } from '../store/log/backfill.js';
import type { LogState, Queued } from '../store/log/sealing.js';
import type { Check } from '../store/queries/version.js';

/**
 * Makes leaves of changes that have none: those of before the log, and those of an import. They come in the order of luids,
 * and before any that was queued: the leaves of a record are in the order of its changes.
 *
 * @returns leaves as if they had been queued
 * @throws Corrupt for a version that is not as it was stored
 */
export async function backfillLog(
  client: pg.ClientBase,
  { ledger, luid }: LogState,
  { leaf, check, logCodes }: { readonly leaf: MakeLeaf; readonly check: Check; readonly logCodes: LogCodes },
): Promise<Queued[]> {
  const { backfill, backfillBytes, backfillTurn } = limits.log;
  const { rows, end } = await readUnlogged(client, ledger, backfill, backfillBytes);
  for (const [at, row] of rows.entries()) {
    // Requests have their turns in between.
    if (at % backfillTurn === 0) await setImmediate();
    await check({ ledger, kind: row.kind as KindName }, row);
  }
  await moveBackfill(client, ledger, end);
  const runs = inRuns(rows);
  const last = (run: readonly Unlogged[]) => run.at(-1)!;
  return [
    {
      ledger,
      id: 0,
      luids: runs.map((run) => last(run).luid),
      changes: runs.map((run) => last(run).change),
      leaves: runs.map((run) => {
        const leaves = run.map((row) => leaf(luid, row.kind as KindName, row)).join('');
        return logCodes.codeLeaves(ledger, last(run), leaves);
      }),
    },
  ];
}

/** Splits rows into those of consecutive changes of one record. */
function inRuns(rows: readonly Unlogged[]): Unlogged[][] {
  const runs: Unlogged[][] = [];
  for (const row of rows) {
    const before = runs.at(-1)?.at(-1);
    if (before && before.luid === row.luid && before.change + 1 === row.change) runs.at(-1)!.push(row);
    else runs.push([row]);
  }
  return runs;
}
