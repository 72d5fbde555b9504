import { isObject, type JsonObject } from '@countersign/protocol';
import { matchesData } from '../access/data-filter.js';
import type { BridgeMethod } from '../kinds/bridge.js';
import type { Cost } from '../metering/cost.js';
import type { Bridge } from './bridge.js';

/**
 * Whether calls of a method are made to a bridge (interface/bridges#traits): a bridge without traits takes all of them; any
 * other takes those that a trait names, where the trait's filter matches their data.
 *
 * @param cost charged for the comparisons; its errors are the only ones thrown
 * @param about the data of the call
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
    return trait.method === method && (!isObject(trait.filter) || matchesData(trait.filter, about, cost));
  });
}
