import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { JsonObject } from '../src/json.js';
import { bounds, distinct, members } from './support.js';

/**
 * Measures what compiled schemas take, in a heap of its own: that of the tests holds what all files before this one have left, and each
 * collection would walk through it.
 */
const MEASURE = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { parentPort, workerData } from 'node:worker_threads';
  import { compileSchema } from '${new URL('../dist/index.js', import.meta.url)}';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  /** Kilobytes that are in use. */
  const used = () => {
    // The second time, what the first one has found to be unused is given back.
    gc();
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1024;
  };
  const { schema, data, bounds } = workerData;
  const outcomes = [];
  // Each another one: the engine shares the code of equal ones.
  const compileOne = (index) => {
    const compiled = compileSchema({ ...schema, required: ['copy' + index] }, bounds);
    outcomes.push(compiled.validate(data).outcome);
    return compiled;
  };
  compileOne(0);
  const before = used();
  const kept = [1, 2, 3, 4].map(compileOne);
  const taken = used() - before;
  // Reads the schemas, so that they are in use until here.
  parentPort.postMessage({ taken, weights: kept.map(({ weight }) => weight), outcomes });
`;

/** What is measured beside the schemas: the engine's own code, and what it has not yet given back. */
const ELSE = 4_000;

/** Kilobytes that each of these may weigh: what is repeated is kept once. */
const MOST = 5_000;

const repeated = (count: number, e: object) => ({
  properties: members(count, () => ({ $ref: '#/definitions/e' })),
  definitions: { e },
});
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

const long = (count: number) => Array.from({ length: count }, (_, i) => `${'n'.repeat(100)}${i}`);

test.each<[string, object, JsonObject]>([
  ['an enumeration that references repeat', repeated(140, { enum: numbers(11_400) }), { p0: 'x' }],
  ['a text that references repeat', repeated(140, { const: 'x'.repeat(60_000) }), { p0: 'y' }],
  ['a list that references repeat', repeated(140, { const: numbers(11_000) }), { p0: 'y' }],
  ['required names that references repeat', repeated(70, { required: long(55) }), { p0: {} }],
  ['names above keywords', nested('n'.repeat(3_000)), { ['n'.repeat(3_000)]: 0 }],
  ['names beyond Latin-1 above keywords', nested('€'.repeat(300)), { ['€'.repeat(300)]: 0 }],
  ['a class that a pattern repeats', alternatives(10, (i) => `^\\p{L}{90${i}}$`), { a: '1' }],
  ['classes of a pattern', alternatives(2, (i) => `^${'\\p{L}'.repeat(180)}${i}$`), { a: '1' }],
  ['characters that may be left out', alternatives(10, (i) => `^${optional(90)}${i}$`), { a: '-' }],
  ['alternatives of a pattern', alternatives(6, (i) => `^(?:${distinct(300).join('a|')})${i}$`), { a: '-' }],
  ['states of patterns', alternatives(50, (i) => `x[01]*1[01]{10}y${i}`), { a: `x${'0110100'.repeat(50)}` }],
])('%s take what the schema weighs', async (_, schema, data) => {
  const url = new URL(`data:text/javascript,${encodeURIComponent(MEASURE)}`);
  const [{ taken, weights, outcomes }] = await once(
    new Worker(url, { workerData: { schema, data, bounds } }),
    'message',
  );
  expect(outcomes).toHaveLength(5);
  expect(outcomes).not.toContain('valid');
  const weight = weights.reduce((sum: number, one: number) => sum + one, 0);
  expect(taken).toBeLessThan(2 * weight + ELSE);
  expect(weight / weights.length).toBeLessThan(MOST);
});

function nested(name: string): JsonObject {
  return { properties: { [name]: { allOf: Array(70).fill({ minimum: 1, maximum: 2 }) } } };
}

function alternatives(count: number, make: (index: number) => string): object {
  return { properties: { a: { anyOf: Array.from({ length: count }, (_, i) => ({ pattern: make(i) })) } } };
}

function optional(count: number): string {
  return distinct(count)
    .map((one) => `${one}?`)
    .join('');
}
