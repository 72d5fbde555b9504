import type { Json, JsonObject } from '@countersign/protocol';
import { matches, member } from './condition.js';
import type { Subject } from './context.js';

/**
 * Whether a record is what a policy's filter asks for (contract 03 §8.2): every key, a path in `data` or `meta.…`, has
 * the value or meets the operators.
 *
 * @param unknown what is said of a key that leads to what is not known: `$ne` and `$nin` hold for what is absent, and
 *   must not hold for what only seems to be
 */
export function fits(filter: JsonObject, subject: Subject, unknown = false): boolean {
  return Object.entries(filter).every(([key, expected]) =>
    isKnown(subject, key) ? matches(expected, valueAt(subject, key)) : unknown,
  );
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
