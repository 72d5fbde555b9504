import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { weighJson } from '../../src/base/json-weight.js';

/**
 * Measures what a parsed text takes, in a heap of its own: that of the tests holds what all files before this one have left,
 * and each collection would walk through it.
 */
const MEASURE = `
  import { getHeapStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { parentPort, workerData } from 'node:worker_threads';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  /** Bytes that are in use. */
  const used = () => {
    let least = Number.POSITIVE_INFINITY;
    for (let rounds = 0; rounds < 10; rounds += 1) {
      gc();
      const now = getHeapStatistics().used_heap_size;
      // Bytes by which the heap may still shrink.
      if (now > least - 10_000) break;
      least = now;
    }
    return getHeapStatistics().used_heap_size;
  };
  JSON.parse(workerData);
  const before = used();
  const kept = [JSON.parse(workerData), JSON.parse(workerData), JSON.parse(workerData)];
  const taken = (used() - before) / kept.length;
  // Reads all of them, so that they are in use until here.
  parentPort.postMessage({ taken, texts: kept.map((one) => JSON.stringify(one)) });
`;

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
])('%s weigh about what they take', async (_, text) => {
  const url = new URL(`data:text/javascript,${encodeURIComponent(MEASURE)}`);
  const [{ taken, texts }] = await once(new Worker(url, { workerData: text }), 'message');
  expect(texts.every((one: string) => one === texts[0])).toBe(true);
  const weight = weighJson(JSON.parse(text));
  expect(taken).toBeLessThan(2 * weight);
  expect(taken).toBeGreaterThan(weight / 6);
});
