import { commitmentOf, HASH_BYTES, SALT_BYTES } from '@countersign/protocol/log';
import type pg from 'pg';
import type { Runtime } from '../base/clock.js';
import { sha256 } from '../base/sha256.js';
import { type LogCodes, makeClosedLeaf } from '../integrity/log-leaves.js';
import type { Queued } from '../store/log/queue.js';
import {
  beginGeneration,
  type ErasedLeaves,
  lockNamedLog,
  type NamedLog,
  readErasedLeaves,
} from '../store/log/restarting.js';
import { transaction } from '../store/transaction.js';
import { appendLeaves, type Signs } from './append.js';
import { type Fence, type PublishedCheckpoint, readPublished } from './fence.js';
import { logDefect } from './log-defect.js';

/**
 * Under which luid the first leaf of a new generation is kept, beside those of records: its change is the number of the
 * generation. What it commits to has the luid of the ledger.
 */
export const RESTART = 'log';

/** A log that begins anew. */
export interface RestartedLog {
  readonly handle: string;
  readonly generation: number;
  readonly origin: string;
  /** Why the one before was stopped. */
  readonly stopped: string;
  /** The last checkpoint that was known of it; undefined where there was none. */
  readonly last: PublishedCheckpoint | undefined;
}

/** A log that may not begin anew, in words for the operator. */
export class CannotRestart extends Error {
  override readonly name = 'CannotRestart';
}

interface RestartOptions extends Signs {
  readonly pool: pg.Pool;
  readonly fence: Fence;
  readonly random: Runtime['random'];
}

/**
 * Begins a new generation of a log that is stopped (interface/log-witnesses#a-new-generation): another origin, and a tree
 * whose first leaf commits to the last checkpoint that was shown. All changes that there are get leaves again; those of erased
 * records keep theirs.
 *
 * @param ledger handle or luid
 * @throws CannotRestart when there is no such log, or it is not stopped and has all that was shown
 */
export function restartLog(options: RestartOptions, ledger: string): Promise<RestartedLog> {
  const { pool, fence, random } = options;
  return transaction(pool, async (client) => {
    const log = await lockNamedLog(client, ledger);
    if (!log) throw new CannotRestart(`There is no log of a ledger ${ledger}.`);
    const { handle } = log;
    // Of a ledger that nobody has asked for since, it is seen here first.
    const stopped = log.stopped ?? logDefect(log, await fence.last(log.origin), options.logCodes);
    if (stopped === undefined)
      throw new CannotRestart(`The log of ledger ${handle} is not stopped: it goes on as it is.`);
    const { generation, origin, last } = await nextGeneration(log, fence);
    const predecessor = last?.note ?? '';
    const erased = await readErasedLeaves(client, log.ledger);
    await beginGeneration(client, { ledger: log.ledger, generation, origin, predecessor });
    const salt = random(SALT_BYTES);
    const commitment = commitmentOf(
      { salt, ledger: log.luid, kind: 'log', luid: log.luid, change: generation, action: 'restart', text: predecessor },
      sha256,
    );
    const leaf = Buffer.concat([salt, commitment]).toString('base64');
    const leaves = [options.logCodes.codeLeaves(log.ledger, { luid: RESTART, change: generation }, leaf)];
    const fresh = { ...log, generation, origin, size: 0, edge: Buffer.alloc(0), checkpoint: null };
    const first = { ledger: log.ledger, id: 0, luids: [RESTART], changes: [generation], leaves };
    await appendLeaves(options, client, [fresh], [first, withoutSalts(log.ledger, erased, options.logCodes)]);
    return { handle, generation, origin, stopped, last };
  });
}

/** Leaves as if they were queued, without salts. */
function withoutSalts(ledger: number, erased: readonly ErasedLeaves[], codes: LogCodes): Queued {
  return {
    ledger,
    id: 1,
    isClosed: true,
    luids: erased.map(({ luid }) => luid),
    changes: erased.map(({ change }) => change),
    leaves: erased.map(({ luid, change, commitments }) => {
      const leaves = Array.from({ length: commitments.length / HASH_BYTES }, (_, at) =>
        makeClosedLeaf(commitments.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
      );
      return codes.codeLeaves(ledger, { luid, change }, leaves.join(''));
    }),
  };
}

/** Bound of the search for an unused generation. */
const MOST_GENERATIONS = 10_000;

/**
 * The next generation that nothing was shown of, and the last checkpoint before it: a database that has gone back to before
 * a restart does not know of that one.
 */
async function nextGeneration(log: NamedLog, fence: Fence) {
  const first = log.generation === 1 ? log.origin : log.origin.replace(/\/\d+$/, '');
  const own = log.checkpoint === null ? undefined : readPublished(log.checkpoint);
  let last = (await fence.last(log.origin)) ?? own;
  for (let generation = log.generation + 1; generation < MOST_GENERATIONS; generation += 1) {
    const origin = `${first}/${generation}`;
    const shown = await fence.last(origin);
    if (!shown) return { generation, origin, last };
    last = shown;
  }
  throw new CannotRestart(`The log of ledger ${log.handle} has had ${MOST_GENERATIONS} generations.`);
}
