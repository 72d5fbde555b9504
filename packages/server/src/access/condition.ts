import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Cost } from '../metering/cost.js';
import { filterLimits } from './filter-limits.js';
import { compileTextMatcher, findsIn, type TextMatcher } from './text-matcher.js';

/**
 * Whether `actual` satisfies `expected` (interface/access#signer-matchers). A scalar must be equal, every operator must
 * hold, and an object must match member by member. An array satisfies a scalar or an operator when one of its elements
 * does. An absent value satisfies only `$ne` and `$nin` (interface/lists#operators).
 *
 * @param cost charged for the comparisons; its errors are the only ones thrown
 */
export function matches(expected: Json, actual: Json | undefined, cost: Cost): boolean {
  if (!isObject(expected)) return equals(expected, actual, cost);
  const names = Object.keys(expected);
  cost.spend(1 + MEMBER * names.length);
  if (names.some((name) => name.startsWith('$'))) {
    return names.every((operator) => operatorHolds(expected, operator, actual, cost));
  }
  return names.every((name) => matches(expected[name] as Json, member(actual, name), cost));
}

/** Steps per member of an object. */
const MEMBER = 2;

/** The own member of `value` of that name; inherited members are ignored. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether one operator holds. An unknown operator fails, so that a rule this release cannot read grants nothing. */
function operatorHolds(operators: JsonObject, operator: string, actual: Json | undefined, cost: Cost): boolean {
  const operand = operators[operator] as Json;
  switch (operator) {
    case '$eq':
      return equals(operand, actual, cost);
    case '$ne':
      return !equals(operand, actual, cost);
    case '$in':
      return Array.isArray(operand) && operand.some((one) => equals(one, actual, cost));
    case '$nin':
      return Array.isArray(operand) && !operand.some((one) => equals(one, actual, cost));
    case '$regex':
      // `custom` and claims of a rule are free-form, so the operand may be any JSON of any length.
      return (
        typeof operand === 'string' &&
        operand.length <= filterLimits.characters &&
        contains(matcherOf(operators, operand, cost), actual, cost)
      );
    default:
      return false;
  }
}

function equals(expected: Json, actual: Json | undefined, cost: Cost): boolean {
  if (!Array.isArray(actual) || Array.isArray(expected)) return isDeepEqual(expected, actual, cost);
  cost.spend(1 + (actual.length >> 2) * (1 + comparisonCost(expected)));
  return actual.includes(expected);
}

/** Whether two values are deeply equal. */
function isDeepEqual(one: Json, other: Json | undefined, cost: Cost): boolean {
  cost.spend(1 + comparisonCost(one));
  if (typeof one !== 'object' || one === null) return one === other;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || other.length !== one.length) return false;
    return one.every((element, index) => isDeepEqual(element, other[index], cost));
  }
  if (!isObject(other)) return false;
  const names = Object.keys(one);
  cost.spend(MEMBER * names.length);
  if (Object.keys(other).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isDeepEqual(one[name] as Json, other[name], cost));
}

/** Steps beside the first to compare a text with one of the same length. */
function comparisonCost(value: Json): number {
  return typeof value === 'string' ? value.length >> 8 : 0;
}

function contains(matcher: TextMatcher, actual: Json | undefined, cost: Cost): boolean {
  if (typeof actual === 'string') return findsIn(matcher, actual, cost);
  if (!Array.isArray(actual)) return false;
  cost.spend(actual.length >> 2);
  return actual.some((element) => typeof element === 'string' && findsIn(matcher, element, cost));
}

// A rule is judged many times; the matcher lives as long as its rule.
const textMatchers = new WeakMap<JsonObject, TextMatcher>();

function matcherOf(operators: JsonObject, text: string, cost: Cost): TextMatcher {
  const found = textMatchers.get(operators);
  if (found) return found;
  cost.spend(text.length);
  const matcher = compileTextMatcher(text);
  textMatchers.set(operators, matcher);
  return matcher;
}
