import type { Json, JsonObject } from '@countersign/protocol';
import { matches, member } from './condition.js';
import type { Subject } from './context.js';

/**
 * Whether a record is what a policy's filter asks for (contract 03 §8.2): every key, a path in `data` or `meta.…`, has
 * the value or meets the operators.
 */
export function fits(filter: JsonObject, subject: Subject): boolean {
  return Object.entries(filter).every(([key, expected]) => matches(expected, valueAt(subject, key)));
}

/** What a filter's key names: a path in `meta`, else in `data`. */
function valueAt({ data, meta }: Subject, key: string): Json | undefined {
  const [first = '', ...rest] = key.split('.');
  if (first !== 'meta') return rest.reduce(member, member(data, first));
  return rest.reduce(member, { ...meta, labels: [...(meta.labels ?? [])] } as Json | undefined);
}
