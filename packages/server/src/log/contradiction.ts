import { type Checkpoint, checkConsistency } from '@countersign/protocol/log';
import { sha256 } from '../base/sha256.js';
import type { LogProofs } from './proofs.js';

type Tree = Pick<Checkpoint, 'size' | 'root'>;

/**
 * Why a log, as it is now, does not go on from an earlier tree of it.
 *
 * @returns `shorter` where it has fewer leaves, `another` where it begins otherwise; undefined where it goes on
 */
export async function contradictionOf(
  ledger: number,
  now: Tree,
  earlier: Tree,
  { consistency }: Pick<LogProofs, 'consistency'>,
): Promise<'shorter' | 'another' | undefined> {
  if (earlier.size > now.size) return 'shorter';
  const proof = await consistency(ledger, earlier.size, now.size);
  const claim = { old: earlier.size, oldRoot: earlier.root, size: now.size, root: now.root, proof };
  return checkConsistency(claim, sha256) ? undefined : 'another';
}
