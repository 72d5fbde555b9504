import type { Checkpoint } from '@countersign/protocol/log';
import { generationOf, logOf } from './log-head.js';

/** What comes of a checkpoint of an earlier generation: a finding in words, or whether it could be compared. */
export type PredecessorResult = string | 'same' | 'unknown';

/** Why the checkpoint that a first leaf names is none of a generation before it. */
export function predecessorDefect({ origin }: Checkpoint, current: string): string | undefined {
  if (logOf(origin) === logOf(current) && generationOf(origin) < generationOf(current)) return undefined;
  return `names ${origin} as the log before, which is not one of ${current}`;
}

/**
 * Holds a checkpoint of an earlier generation against the last one that was known of it, which the first leaf commits to.
 *
 * @param last undefined where nothing was known to have been shown
 * @returns `same`; `unknown` where it takes the tree of that generation; else what is wrong, in words
 */
export function judgeEarlier(name: string, held: Checkpoint, last: Checkpoint | undefined): PredecessorResult {
  const { size, origin } = held;
  if (!last)
    return size === 0 ? 'unknown' : `began anew as if nothing had been shown, and ${name} is of ${size} leaves`;
  const isLater = generationOf(origin) > generationOf(last.origin);
  if (isLater) return `began anew from ${last.origin}, and ${name} is of ${origin}, which came after that`;
  if (origin !== last.origin || size < last.size) return 'unknown';
  if (size > last.size) return `began anew from ${last.size} leaves of ${origin}, and ${name} is of ${size}`;
  const isSame = held.root.every((byte, at) => byte === last.root[at]);
  return isSame ? 'same' : `began anew from another tree of ${size} leaves than ${name} is of`;
}
