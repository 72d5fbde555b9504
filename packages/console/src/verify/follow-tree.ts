import { decodeBase64 } from '@countersign/protocol';
import { checkConsistency } from '@countersign/protocol/log';
import type { OpenLedger } from '../session/open-ledger.js';
import { findLog, findTree, rememberLog, rememberTree, type SeenTree } from '../session/trees.js';
import { openOwnCheckpoint } from './log.js';

/** How a checkpoint stands to the one that this browser remembers from before. */
export interface TreeVerdict {
  readonly origin: string;
  readonly size: number;
  /** What was remembered; undefined at the first visit. */
  readonly before: SeenTree | undefined;
  /** The last tree of the log that the ledger had before this one was begun anew; undefined where there is none. */
  readonly former: SeenTree | undefined;
  /** Hashes of the proof between the two. */
  readonly hashes: number;
}

/** The log tells two stories. Both checkpoints are signed by the ledger: together they are evidence. */
export class TreeBroken extends Error {
  constructor(
    readonly before: SeenTree,
    readonly shown: string,
  ) {
    super('The log does not go on from what this browser has seen of it');
  }
}

/**
 * Proves here that a checkpoint goes on from the one that was seen before, or that one from it, and remembers the larger.
 *
 * @throws TreeBroken; LogError for a checkpoint that the ledger has not signed; what the client throws
 */
export async function followTree(ledger: OpenLedger, checkpoint: string): Promise<TreeVerdict> {
  const { server, pin, client } = ledger;
  const { size, root, origin } = openOwnCheckpoint(checkpoint, pin).checkpoint;
  const before = findTree(server, origin);
  const former = formerTree(ledger, origin);
  if (before === undefined) {
    rememberTree(server, origin, { size, checkpoint });
    return { origin, size, before, former, hashes: 0 };
  }
  const known = openOwnCheckpoint(before.checkpoint, pin).checkpoint;
  const [older, newer] = known.size <= size ? [known, { size, root }] : [{ size, root }, known];
  const hashes = older.size === newer.size ? [] : await consistency(client, older.size, newer.size);
  const claim = { old: older.size, oldRoot: older.root, size: newer.size, root: newer.root, proof: hashes };
  if (!checkConsistency(claim)) throw new TreeBroken(before, checkpoint);
  if (size > known.size) rememberTree(server, origin, { size, checkpoint });
  return { origin, size, before, former, hashes: hashes.length };
}

/** What was seen of another log of the ledger, which nobody has given up yet. */
function formerTree({ server, pin }: OpenLedger, origin: string): SeenTree | undefined {
  const known = findLog(server, pin.luid);
  const former = known === undefined || known === origin ? undefined : findTree(server, known);
  if (former === undefined) rememberLog(server, pin.luid, origin);
  return former;
}

async function consistency(client: OpenLedger['client'], from: number, to: number): Promise<Uint8Array[]> {
  const { data } = await client.record.consistency(from, to);
  return data.hashes.map((hash) => decodeBase64(hash) ?? new Uint8Array());
}
