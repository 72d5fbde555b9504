import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { RE2JS } from 're2js';
import { limits } from '../limits.js';

/**
 * Whether `actual` is as `expected` says (contract 03 §6.2): equal to a scalar; what all operators hold for; an object
 * whose members are as those of `expected`. An array is as a scalar or an operator says when one of its elements is.
 * Something absent is as `$ne` and `$nin` say, and nothing else (contract 01 §10). Never throws.
 */
export function matches(expected: Json, actual: Json | undefined): boolean {
  if (isOperators(expected)) {
    return Object.entries(expected).every(([operator, operand]) => holds(expected, operator, operand, actual));
  }
  if (isObject(expected)) {
    return Object.entries(expected).every(([name, value]) => matches(value, member(actual, name)));
  }
  return equals(expected, actual);
}

/** The member of `value` of that name: never one that an object inherits. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isOperators(expected: Json): expected is JsonObject {
  return isObject(expected) && Object.keys(expected).some((name) => name.startsWith('$'));
}

/** Whether one operator holds. One that does not exist never does, so that a rule not understood grants nothing. */
function holds(operators: JsonObject, operator: string, operand: Json, actual: Json | undefined): boolean {
  switch (operator) {
    case '$eq':
      return equals(operand, actual);
    case '$ne':
      return !equals(operand, actual);
    case '$in':
      return Array.isArray(operand) && operand.some((one) => equals(one, actual));
    case '$nin':
      return Array.isArray(operand) && !operand.some((one) => equals(one, actual));
    case '$regex':
      // Rules are validated, but not what their `custom` and claims hold.
      return (
        typeof operand === 'string' &&
        operand.length <= limits.filter &&
        contains(patternOf(operators, operand), actual)
      );
    default:
      return false;
  }
}

function equals(expected: Json, actual: Json | undefined): boolean {
  if (Array.isArray(actual) && !Array.isArray(expected)) return actual.includes(expected);
  return isDeepStrictEqual(expected, actual);
}

function contains(pattern: RE2JS, actual: Json | undefined): boolean {
  if (Array.isArray(actual))
    return actual.some((element) => typeof element === 'string' && pattern.matcher(element).find());
  return typeof actual === 'string' && pattern.matcher(actual).find();
}

// A rule is judged many times and compiling is most of the cost; the pattern lives as long as the rule it is of.
const compiled = new WeakMap<JsonObject, RE2JS>();

function patternOf(operators: JsonObject, text: string): RE2JS {
  const known = compiled.get(operators);
  if (known) return known;
  const pattern = likePattern(text);
  compiled.set(operators, pattern);
  return pattern;
}

/**
 * The form of `$regex`: text to be found anywhere, in which `.*` and `%` stand for any run, `.` and `_` for one
 * character, and `\` takes the meaning from the next (contract 01 §10). Matching takes time linear in the text.
 */
export function likePattern(text: string): RE2JS {
  let source = '';
  for (const [token = '', escaped] of text.matchAll(/\\(.)|\.\*|./gsu)) {
    if (escaped !== undefined) source += RE2JS.quote(escaped);
    else if (token === '.*' || token === '%') source += '.*';
    else if (token === '.' || token === '_') source += '.';
    else source += RE2JS.quote(token);
  }
  return RE2JS.compile(source, RE2JS.DOTALL);
}
