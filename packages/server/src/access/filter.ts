import type { Json, JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import { matches, member } from './condition.js';
import type { Subject } from './context.js';

/**
 * Whether a record matches the filter of a policy (interface/policies#access-policies): at every key, a path in `data`
 * or `meta.…`, the value is equal or meets the operators.
 *
 * @param cost charged for the comparisons
 * @param unknown the result for a key whose value is unknown: `$ne` and `$nin` hold for an absent value, and must not
 *   hold for one that is only unknown
 */
export function matchesFilter(filter: JsonObject, subject: Subject, cost: Cost, unknown = false): boolean {
  const keys = Object.keys(filter);
  cost.spend(1 + 2 * keys.length);
  return keys.every((key) => {
    // Splitting a key takes as long as the key, which may fill the body.
    cost.spend(1 + (key.length >> 2) + ((subject.meta.labels?.length ?? 0) >> 2));
    return isKnown(subject, key) ? matches(filter[key] as Json, findFilterValue(subject, key), cost) : unknown;
  });
}

/** Whether the value at a filter's key is known, be it absent. */
function isKnown({ data, meta, known }: Subject, key: string): boolean {
  if (known === undefined) return true;
  const [first = '', second = ''] = key.split('.');
  if (first === 'meta') return known === 'index' || Object.hasOwn(meta, second);
  return known === 'data' || Object.hasOwn(data, first);
}

/** What a filter's key names: a path in `meta`, else in `data`. */
function findFilterValue({ data, meta }: Subject, key: string): Json | undefined {
  const [first = '', ...rest] = key.split('.');
  if (first !== 'meta') return rest.reduce(member, member(data, first));
  return rest.reduce(member, { ...meta, labels: [...(meta.labels ?? [])] } as Json | undefined);
}
