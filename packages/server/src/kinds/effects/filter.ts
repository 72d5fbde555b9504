import { isObject, type Json, type JsonObject, type LedgerError } from '@countersign/protocol';
import { filterLimits } from '../../access/filter-limits.js';
import { requestInvalid } from '../refusal.js';

/** The operators, each with the check of its operand. */
const OPERANDS: Readonly<Record<string, (pointer: string, operand: Json) => void>> = {
  $gt: checkOrdered,
  $gte: checkOrdered,
  $lt: checkOrdered,
  $lte: checkOrdered,
  $eq: checkPlain,
  $ne: checkPlain,
  $in: checkSeveral,
  $nin: checkSeveral,
  $regex: checkTextOperand,
};

/** Operators that a filter of an effect may use (interface/effects#filters). */
export const FILTER_OPERATORS: readonly string[] = Object.keys(OPERANDS);

const SCALARS = ['string', 'number', 'boolean', 'null'];

/**
 * Checks the filter of an effect, which every later write of its ledger is compared with: each key is a dotted path, each
 * value what must be found there, or operators (interface/effects#filters).
 *
 * @throws `record.schema-invalid` for the first thing that is wrong
 */
export function checkEffectFilter(filter: JsonObject): void {
  const paths = Object.keys(filter);
  if (paths.length > filterLimits.count) {
    throw invalidFilter(
      '',
      'maxProperties',
      { limit: filterLimits.count },
      `${MORE_THAN} ${filterLimits.count} properties`,
    );
  }
  for (const path of paths) {
    if (path.length > filterLimits.characters || path.split('.', filterLimits.depth + 1).length > filterLimits.depth) {
      const message = `must have paths of at most ${filterLimits.characters} characters and ${filterLimits.depth} steps`;
      throw invalidFilter('', 'propertyNames', { propertyName: path.slice(0, filterLimits.characters) }, message);
    }
    checkExpected(toPointer(path), filter[path] as Json);
  }
}

/** Checks what must be found at a path: operators, or a value without any. */
function checkExpected(pointer: string, expected: Json): void {
  if (!isObject(expected) || !Object.keys(expected).some(isFilterOperator)) {
    checkPlain(pointer, expected);
    return;
  }
  for (const [name, operand] of Object.entries(expected)) {
    const check = Object.hasOwn(OPERANDS, name) ? OPERANDS[name] : undefined;
    if (!check) throw unknownMember(pointer, name);
    check(pointer + toPointer(name), operand);
  }
}

function checkOrdered(pointer: string, operand: Json): void {
  assertType(pointer, operand, ['string', 'number']);
}

function checkTextOperand(pointer: string, operand: Json): void {
  assertType(pointer, operand, ['string']);
  if (String(operand).length <= filterLimits.characters) return;
  throw invalidFilter(
    pointer,
    'maxLength',
    { limit: filterLimits.characters },
    `${MORE_THAN} ${filterLimits.characters} characters`,
  );
}

function checkSeveral(pointer: string, operand: Json): void {
  assertType(pointer, operand, ['array']);
  const elements = operand as Json[];
  const most = filterLimits.elements;
  if (elements.length > most) throw invalidFilter(pointer, 'maxItems', { limit: most }, `${MORE_THAN} ${most} items`);
  elements.forEach((element, index) => {
    assertType(`${pointer}/${index}`, element, SCALARS);
  });
}

/** Operators stand at the end of a path only: deeper ones would be compared as if they were members. */
function checkPlain(pointer: string, value: Json): void {
  if (Array.isArray(value)) {
    value.forEach((element, index) => {
      checkPlain(`${pointer}/${index}`, element);
    });
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (isFilterOperator(name)) throw unknownMember(pointer, name);
      checkPlain(pointer + toPointer(name), inner);
    }
  }
}

function isFilterOperator(name: string): boolean {
  return name.startsWith('$');
}

function assertType(pointer: string, value: Json, types: readonly string[]): void {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (types.includes(type)) return;
  const named = types.length === 1 ? types[0]! : [...types];
  throw invalidFilter(pointer, 'type', { type: named }, `must be ${types.join(',')}`);
}

const MORE_THAN = 'must NOT have more than';

function unknownMember(pointer: string, name: string): LedgerError {
  const params = { unevaluatedProperty: name.slice(0, filterLimits.characters) };
  return invalidFilter(pointer, 'unevaluatedProperties', params, 'must NOT have unevaluated properties');
}

/** @param pointer where it is, from the filter on */
function invalidFilter(pointer: string, keyword: string, params: JsonObject, message: string): LedgerError {
  return requestInvalid({
    instancePath: `/data/filter${pointer.slice(0, filterLimits.characters)}`,
    keyword,
    params,
    message,
  });
}

/** A step of a JSON pointer (RFC 6901). */
function toPointer(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
