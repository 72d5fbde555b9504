import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import { matches, member } from './condition.js';

/** Operators that compare by order. Access rules are without them, and there they grant nothing. */
const ORDER_COMPARISONS: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['$gt', (order) => order > 0],
  ['$gte', (order) => order >= 0],
  ['$lt', (order) => order < 0],
  ['$lte', (order) => order <= 0],
]);

/**
 * Whether data matches the filter of an effect or of a bridge's trait (interface/effects#filters): each key is a dotted path
 * in the data, and all must hold. A path that leads nowhere matches nothing, whatever the operator.
 *
 * @param cost charged for the comparisons; its errors are the only ones thrown
 */
export function matchesData(filter: JsonObject, data: JsonObject, cost: Cost): boolean {
  const keys = Object.keys(filter);
  cost.spend(1 + 2 * keys.length);
  return keys.every((key) => {
    cost.spend(1 + (key.length >> 2));
    const found = valuesAt(data, key.split('.'), 0, cost);
    return found.length > 0 && conditionHolds(filter[key] as Json, found, cost);
  });
}

/** The values that a path leads to, from its step `at` on: through an array to every element, or to one by its index. */
function valuesAt(value: Json, path: readonly string[], at: number, cost: Cost): Json[] {
  const step = path[at];
  if (step === undefined) return [value];
  if (Array.isArray(value)) {
    cost.spend(1 + value.length);
    if (/^\d{1,6}$/.test(step)) {
      const element = value[Number(step)];
      return element === undefined ? [] : valuesAt(element, path, at + 1, cost);
    }
    return value.flatMap((element) => valuesAt(element, path, at, cost));
  }
  const next = member(value, step);
  return next === undefined ? [] : valuesAt(next, path, at + 1, cost);
}

/** Whether one of the values, or an element of one that is an array, is as expected; of `$ne` and `$nin`, whether all are. */
function conditionHolds(expected: Json, found: readonly Json[], cost: Cost): boolean {
  const operators = isObject(expected) ? Object.keys(expected) : [];
  if (!isObject(expected) || !operators.some((name) => name.startsWith('$'))) {
    return found.some((value) => matches(expected, value, cost));
  }
  return operators.every((name) => {
    // A trait may mix operators with anything: what is no operator fails.
    if (!name.startsWith('$')) return false;
    const operand = expected[name] as Json;
    const order = ORDER_COMPARISONS.get(name);
    if (order) return found.some((value) => isOrdered(order, value, operand, cost));
    const test = (value: Json) => matches({ [name]: operand }, value, cost);
    return name === '$ne' || name === '$nin' ? found.every(test) : found.some(test);
  });
}

/** Compares numbers with numbers and texts with texts by code units, as lists do. */
function isOrdered(test: (order: number) => boolean, value: Json, operand: Json, cost: Cost): boolean {
  if (Array.isArray(value)) {
    cost.spend(1 + value.length);
    return value.some((element) => !Array.isArray(element) && isOrdered(test, element, operand, cost));
  }
  if (typeof value === 'number' && typeof operand === 'number') return test(value - operand);
  if (typeof value !== 'string' || typeof operand !== 'string') return false;
  cost.spend(1 + (Math.min(value.length, operand.length) >> 8));
  return test(value < operand ? -1 : Number(value > operand));
}
