import type { LogCodes } from '../integrity/log-leaves.js';
import type { StoredLog } from '../store/log/sealing.js';
import { type PublishedCheckpoint, readPublished } from './fence.js';
import { readEdge } from './tree-rows.js';

/**
 * Why a log must not go on from what the database has; undefined when it may.
 *
 * @param shown the largest checkpoint that was shown of it
 */
export function logDefect(log: StoredLog, shown: PublishedCheckpoint | undefined, codes: LogCodes): string | undefined {
  if (!isAuthentic(log, codes)) return 'its row was altered in the database';
  const root = rootOfEdge(log);
  if (!root) return 'its edge does not fit its size';
  if (log.checkpoint === null && log.size > 0) return 'it has leaves and no checkpoint';
  if (log.checkpoint !== null) {
    const own = readPublished(log.checkpoint);
    if (own.size !== log.size || Buffer.compare(own.root, root) !== 0) return 'its checkpoint is about another tree';
  }
  if (!shown || shown.size < log.size) return undefined;
  if (shown.size > log.size) return `it has ${log.size} leaves, and ${shown.size} were shown`;
  return Buffer.compare(shown.root, root) === 0 ? undefined : 'another tree of its size was shown';
}

/** Whether the row of a log is as a server wrote it. */
export function isAuthentic(log: StoredLog, codes: LogCodes): boolean {
  return log.mac !== null && log.mac === codes.tree(log.ledger, log);
}

function rootOfEdge(log: StoredLog): Uint8Array | undefined {
  try {
    return readEdge(log).root();
  } catch {
    return undefined;
  }
}
