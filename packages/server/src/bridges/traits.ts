import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { matches, member } from '../access/condition.js';
import type { BridgeMethod } from '../kinds/bridge.js';
import type { Cost } from '../metering/cost.js';
import type { Bridge } from './bridge.js';

/**
 * Whether calls of a method are made to a bridge (interface/bridges#traits): all are where it has no traits, else those that
 * a trait names, and whose data is as the trait's filter asks.
 *
 * @param cost charged for what is compared; all that is thrown is what it throws
 * @param about the data that the call is about
 */
export function allowsMethod(
  cost: Cost,
  { traits }: Pick<Bridge, 'traits'>,
  method: BridgeMethod,
  about: JsonObject = {},
): boolean {
  if (!traits) return true;
  return traits.some((trait) => {
    cost.spend(2);
    if (!isObject(trait)) return trait === method;
    return trait.method === method && (!isObject(trait.filter) || isMet(trait.filter, about, cost));
  });
}

/** Whether every key of a filter, a dotted path, leads to what it asks for. One that leads nowhere does not. */
function isMet(filter: JsonObject, about: JsonObject, cost: Cost): boolean {
  return Object.entries(filter).every(([path, expected]) => {
    cost.spend(3 + (path.length >> 2));
    const value = path.split('.').reduce<Json | undefined>(member, about);
    return value !== undefined && isAsked(expected, value, cost);
  });
}

/** Comparisons that access rules do not have. */
const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

function isAsked(expected: Json, value: Json, cost: Cost): boolean {
  if (!isObject(expected)) return matches(expected, value, cost);
  const { $gt, $gte, $lt, $lte, ...others } = expected;
  const compared = Object.entries({ $gt, $gte, $lt, $lte });
  return (
    compared.every(([name, operand]) => operand === undefined || isOrdered(name, value, operand, cost)) &&
    matches(others, value, cost)
  );
}

/** Numbers are compared with numbers, and texts with texts by code unit, as in lists (interface/lists#comparison). */
function isOrdered(name: string, value: Json, operand: Json, cost: Cost): boolean {
  cost.spend(1);
  if (typeof value === 'number' && typeof operand === 'number') return COMPARISONS[name]!(value - operand);
  if (typeof value !== 'string' || typeof operand !== 'string') return false;
  cost.spend(operand.length >> 8);
  return COMPARISONS[name]!(value < operand ? -1 : Number(value > operand));
}
