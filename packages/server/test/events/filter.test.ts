import { isObject, type Json, type JsonObject, readJson } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesData } from '../../src/access/data-filter.js';
import { checkEffectFilter, FILTER_OPERATORS } from '../../src/kinds/effects/filter.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { newLedger, signed } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { holdDeliveries, loadQueued, subscribe } from './support.js';

/** As it is read from the database. */
const anew = (value: JsonObject) => readJson(JSON.stringify(value)) as JsonObject;

const fits = (filter: JsonObject, data: JsonObject) => matchesData(filter, data, UNBOUNDED);

describe('a filter', () => {
  const event: JsonObject = {
    handle: 'evt_1',
    signal: 'wallet-created',
    wallet: {
      data: { handle: 'ann', custom: { tier: 'gold', rank: 5, tags: ['a', 'b'], '': 1, nothing: null } },
      meta: { proofs: [{ custom: { status: 'created' } }, { custom: {} }] },
    },
  };

  it.each<[title: string, filter: JsonObject, holds: boolean]>([
    ['of no path holds for every occurrence', {}, true],
    ['maps a dotted path to a required value', { 'wallet.data.handle': 'ann' }, true],
    ['does not hold for another value', { 'wallet.data.handle': 'bob' }, false],
    ['must hold by all of its paths', { 'wallet.data.handle': 'ann', 'wallet.data.custom.tier': 'tin' }, false],
    ['holds by an array when any element does', { 'wallet.data.custom.tags': 'b' }, true],
    ['holds by an array of the path when any element does', { 'wallet.meta.proofs.custom.status': 'created' }, true],
    ['names one element by its number', { 'wallet.meta.proofs.1.custom.status': 'created' }, false],
    ['names the first element by 0', { 'wallet.meta.proofs.0.custom.status': 'created' }, true],
    ['finds nothing at a path that leads nowhere', { 'wallet.data.custom.none': { $ne: 'x' } }, false],
    ['compares by type', { 'wallet.data.custom.rank': '5' }, false],
    ['takes operators', { 'wallet.data.custom.rank': { $gt: 4, $lte: 5 } }, true],
    ['holds only by all operators', { 'wallet.data.custom.rank': { $gt: 4, $lt: 5 } }, false],
    ['finds a null', { 'wallet.data.custom.nothing': null }, true],
    ['matches the members of an object', { 'wallet.data': { custom: { tier: 'gold' } } }, true],
    ['knows nothing of inherited members', { 'wallet.constructor': { $ne: 1 } }, false],
    ['$ne holds when no element is equal', { 'wallet.data.custom.tags': { $ne: 'a' } }, false],
    ['$nin holds when no element is one of them', { 'wallet.data.custom.tags': { $nin: ['c'] } }, true],
    ['$regex finds a text', { 'wallet.data.custom.tier': { $regex: 'g_l%' } }, true],
  ])('%s', (_, filter, holds) => {
    expect(fits(filter, event)).toBe(holds);
  });

  it('holds by each operator, or not', () => {
    const operands: Record<string, [holds: Json, fails: Json]> = {
      $gt: [4, 5],
      $gte: [5, 6],
      $lt: [6, 5],
      $lte: [5, 4],
      $eq: [5, 4],
      $ne: [4, 5],
      $in: [[5], [4]],
      $nin: [[4], [5]],
    };
    for (const operator of FILTER_OPERATORS.filter((one) => one !== '$regex')) {
      const [right, wrong] = operands[operator]!;
      expect(fits({ 'wallet.data.custom.rank': { [operator]: right } }, event), operator).toBe(true);
      expect(fits({ 'wallet.data.custom.rank': { [operator]: wrong } }, event), operator).toBe(false);
    }
  });
});

const leaf: fc.Arbitrary<Json> = fc.constantFrom<Json>(0, 1, 2, -1.5, '', 'a', 'b', 'ab', '1', true, false, null);
const name = fc.constantFrom('a', 'b', '0');
const value: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { arbitrary: leaf, weight: 2 },
    { arbitrary: fc.array(tie('json'), { maxLength: 3 }), weight: 2 },
    { arbitrary: fc.dictionary(name, tie('json'), { maxKeys: 3 }) as fc.Arbitrary<Json>, weight: 1 },
  ),
})).json;
const data = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }) as fc.Arbitrary<JsonObject>;
const ordered = fc.constantFrom<Json>(0, 1, 2, '', 'a', 'ab');
const several = fc.array(leaf, { maxLength: 4 });
const operands: Record<string, fc.Arbitrary<Json>> = {
  $gt: ordered,
  $gte: ordered,
  $lt: ordered,
  $lte: ordered,
  $eq: value,
  $ne: value,
  $in: several,
  $nin: several,
  $regex: fc.constantFrom('', 'a', 'a.*', '_', '%b'),
};
const operators = fc
  .subarray([...FILTER_OPERATORS], { minLength: 1, maxLength: 2 })
  .chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((one) => [one, operands[one]!]))),
  ) as fc.Arbitrary<JsonObject>;
const expected = fc.oneof({ arbitrary: operators, weight: 3 }, { arbitrary: value, weight: 1 });
const stray = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('.'));

/** An event's data, and a filter whose paths mostly lead somewhere in it. */
const filtered = data.chain((event) => {
  const path = fc.oneof(
    { arbitrary: fc.constantFrom(...listPaths(event)), weight: 4 },
    { arbitrary: stray, weight: 1 },
  );
  return fc.tuple(fc.constant(event), fc.dictionary(path, expected, { minKeys: 1, maxKeys: 2 }));
}) as fc.Arbitrary<[JsonObject, JsonObject]>;

/** The paths of all values, elements of arrays with their number and without. */
function listPaths(value: Json): string[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return inner.flatMap(([step, one]) => {
    const below = listPaths(one);
    const without = Array.isArray(value) ? below : [];
    return [String(step), ...below.map((path) => `${step}.${path}`), ...without];
  });
}

/** What the page says, word by word, without regard to cost. */
function meets(filter: JsonObject, data: JsonObject): boolean {
  return Object.entries(filter).every(([path, expected]) => {
    const found = reach([data], path.split('.'));
    return found.length > 0 && isMet(expected, found);
  });
}

/** Every value that a path leads to. */
function reach(values: readonly Json[], [step, ...rest]: readonly string[]): Json[] {
  if (step === undefined) return [...values];
  return values.flatMap((value): Json[] => {
    if (Array.isArray(value)) {
      if (!/^\d+$/.test(step)) return reach(value, [step, ...rest]);
      return Number(step) in value ? reach([value[Number(step)]!], rest) : [];
    }
    return isObject(value) && Object.keys(value).includes(step) ? reach([value[step]!], rest) : [];
  });
}

function isMet(expected: Json, found: readonly Json[]): boolean {
  const names = isObject(expected) ? Object.keys(expected) : [];
  if (!isObject(expected) || !names.some((one) => one[0] === '$')) return found.some((one) => isAs(expected, one));
  return names.every((operator) => {
    const operand = expected[operator]!;
    // Elements stand for the array that they are in, beside the array itself.
    const all = found.flatMap((one) => (Array.isArray(one) ? [one, ...one] : [one]));
    const equal = (one: Json) => equalJson(operand, one);
    const among = (one: Json) => (operand as Json[]).some((other) => equalJson(other, one));
    const equals = found.some((one) => equal(one) || hasElement(one, operand));
    if (operator === '$eq') return equals;
    if (operator === '$ne') return !equals;
    if (operator === '$in') return all.some(among);
    if (operator === '$nin') return !all.some(among);
    if (operator === '$regex') return all.some((one) => typeof one === 'string' && likeness(String(operand)).test(one));
    return all.some((one) => typeof one === typeof operand && compare[operator]!(one as never, operand as never));
  });
}

const compare: Record<string, (one: number, other: number) => boolean> = {
  $gt: (one, other) => one > other,
  $gte: (one, other) => one >= other,
  $lt: (one, other) => one < other,
  $lte: (one, other) => one <= other,
};

/** A required value: an object by each of its members, an array as a whole, anything else also as an element. */
function isAs(expected: Json, actual: Json | undefined): boolean {
  if (isObject(expected)) {
    return Object.entries(expected).every(([name, inner]) => {
      const member = isObject(actual) && Object.keys(actual).includes(name) ? actual[name] : undefined;
      return isAs(inner, member);
    });
  }
  return actual !== undefined && (equalJson(expected, actual) || hasElement(actual, expected));
}

/** Arrays and objects count as wholes: an element that is one is not looked for. */
function hasElement(value: Json, element: Json): boolean {
  return Array.isArray(value) && typeof element !== 'object' && value.includes(element)
    ? true
    : Array.isArray(value) && element === null && value.includes(null);
}

/** The canonical text without regard to the order of members. */
function equalJson(one: Json, other: Json): boolean {
  const text = (value: Json): string => {
    if (Array.isArray(value)) return `[${value.map(text)}]`;
    if (!isObject(value)) return JSON.stringify(value);
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${text(value[name]!)}`)}}`;
  };
  return text(one) === text(other);
}

function likeness(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll('.*', '%').replaceAll('_', '.').replaceAll('%', '[^]*'));
}

describe('filters of every shape', () => {
  it('hold for the events that the page says they hold for', () => {
    let held = 0;
    fc.assert(
      fc.property(filtered, ([data, filter]) => {
        checkEffectFilter(filter);
        const holds = fits(filter, data);
        held += Number(holds);
        expect(holds).toBe(meets(filter, data));
      }),
      { numRuns: 5_000 },
    );
    expect(held).toBeGreaterThan(200);
  });

  it('hold for a record alike before it is stored and after', () => {
    fc.assert(
      fc.property(filtered, ([data, filter]) => {
        expect(fits(filter, data)).toBe(fits(anew(filter), anew(data)));
      }),
    );
  });
});

describe('a number', () => {
  const server = withOwnServer();

  it('that was sent as -0 is found as the 0 that is served', async () => {
    await holdDeliveries(server.current);
    const client = await newLedger(server.current.url);
    await subscribe(client, 'hook', 'wallet-created', { filter: { 'wallet.data.custom.n': 0 } });
    const wallet = await stored(client, 'wallet', { handle: 'w', custom: { n: 0 } });
    expect(wallet.data.custom).toEqual({ n: 0 });
    const body = JSON.stringify(signed({ handle: 'v', custom: { n: 0 } }, client.key)).replace('"n":0', '"n":-0');
    expect(ok(await client.call('POST', '/wallets', body)).text).toContain('"n":0}');
    expect(await loadQueued(server.current, client)).toHaveLength(2);
  });
});
