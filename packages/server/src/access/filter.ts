import type { Json, JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import { matches, member } from './condition.js';
import type { Subject } from './context.js';

/**
 * Whether a record is what a policy's filter asks for (interface/policies#access-policies): every key, a path in `data`
 * or `meta.…`, has the value or meets the operators.
 *
 * @param cost charged for what is compared
 * @param unknown what is said of a key that leads to what is not known: `$ne` and `$nin` hold for what is absent, and
 *   must not hold for what only seems to be
 */
export function fits(filter: JsonObject, subject: Subject, cost: Cost, unknown = false): boolean {
  const keys = Object.keys(filter);
  cost.spend(1 + 2 * keys.length);
  return keys.every((key) => {
    // A key may be as long as a body, and be all dots.
    cost.spend(1 + (key.length >> 2) + ((subject.meta.labels?.length ?? 0) >> 2));
    return isKnown(subject, key) ? matches(filter[key] as Json, valueAt(subject, key), cost) : unknown;
  });
}

/** Whether it is known what a filter's key leads to, be it that nothing is there. */
function isKnown({ data, meta, known }: Subject, key: string): boolean {
  if (known === undefined) return true;
  const [first = '', second = ''] = key.split('.');
  if (first === 'meta') return known === 'index' || Object.hasOwn(meta, second);
  return known === 'data' || Object.hasOwn(data, first);
}

/** What a filter's key names: a path in `meta`, else in `data`. */
function valueAt({ data, meta }: Subject, key: string): Json | undefined {
  const [first = '', ...rest] = key.split('.');
  if (first !== 'meta') return rest.reduce(member, member(data, first));
  return rest.reduce(member, { ...meta, labels: [...(meta.labels ?? [])] } as Json | undefined);
}
