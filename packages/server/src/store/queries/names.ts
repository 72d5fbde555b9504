import { hash } from 'node:crypto';
import { LruCache } from '../../base/lru-cache.js';
import { limits } from '../../limits.js';

/**
 * Names for statements that are made on the fly, under which each connection keeps their plans: planning takes about as
 * long as reading a page of a list.
 *
 * Nothing makes a connection forget a plan, and clients choose what they list by. So a statement gets a name when it was
 * seen often, and only so many get one; the others are planned each time.
 *
 * @returns tells the name of a statement, if it has one
 */
export function createNames(): (text: string) => string | undefined {
  const { count, seen, among, characters } = limits.plans;
  const names = new Map<string, string>();
  const unnamed = new LruCache<string, { times: number }>(among);
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= count || text.length > characters) return name;
    const counted = unnamed.take(text, () => ({ times: 0 }));
    counted.times += 1;
    if (counted.times >= seen) names.set(text, `list-${hash('sha256', text).slice(0, 16)}`);
    return names.get(text);
  };
}
