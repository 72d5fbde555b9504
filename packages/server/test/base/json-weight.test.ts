import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { weighJson } from '../../src/base/json-weight.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes that are in use, once what other tests have left behind is gone. */
function used(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 10; rounds += 1) {
    gc();
    const now = process.memoryUsage().heapUsed;
    if (now > least - SETTLED) break;
    least = now;
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes by which the heap may still shrink. */
const SETTLED = 10_000;

const list = (make: (index: number) => string) => `[${Array.from({ length: 40_000 }, (_, i) => make(i)).join()}]`;

test.each([
  ['objects without members', list(() => '{}')],
  ['empty lists', list(() => '[]')],
  ['objects of names of their own', list((i) => `{"k${i}":1}`)],
  ['objects of the same names', list((i) => `{"name":"${i}","amount":${i}.5}`)],
  [
    'members',
    `{"a":${list((i) => `"k${i}":1`)
      .replace('[', '{')
      .replace(']', '}')}}`,
  ],
  ['texts', list((i) => `"text ${i}"`)],
  ['a text', JSON.stringify('x'.repeat(1_000_000))],
  ['a text beyond Latin-1', JSON.stringify('€'.repeat(300_000))],
])('%s weigh about what they take', (_, text) => {
  JSON.parse(text);
  const before = used();
  const kept = [JSON.parse(text), JSON.parse(text), JSON.parse(text)];
  const taken = (used() - before) / kept.length;
  expect(taken).toBeLessThan(2 * weighJson(kept[0]));
  // Reads all of them, so that they are in use until here.
  expect(taken).toBeGreaterThan(kept.reduce((sum, one) => sum + weighJson(one), 0) / kept.length / 6);
});
