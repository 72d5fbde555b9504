import { hash } from 'node:crypto';
import { LruCache } from '../../base/lru-cache.js';
import { queryLimits } from './query-limits.js';

/**
 * Names for generated statements, under which each connection keeps their plans: planning takes about as long as
 * reading a page of a list.
 *
 * Connections keep plans for ever, and clients choose what they list by. So a statement gets a name once it was seen
 * often, and the number of names is limited; the others are planned each time.
 *
 * @returns gives the name of a statement, if it has one
 */
export function createNames(): (text: string) => string | undefined {
  const { count, seen, among, characters } = queryLimits.plans;
  const names = new Map<string, string>();
  const unnamed = new LruCache<string, { times: number }>(among);
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= count || text.length > characters) return name;
    const counted = unnamed.getOrSet(text, () => ({ times: 0 }));
    counted.times += 1;
    if (counted.times >= seen) names.set(text, `list-${hash('sha256', text).slice(0, 16)}`);
    return names.get(text);
  };
}
