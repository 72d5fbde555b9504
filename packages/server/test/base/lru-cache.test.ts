import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LruCache } from '../../src/base/lru-cache.js';

function counted(limit: number) {
  const made: string[] = [];
  const cache = new LruCache<string, { name: string }>(limit);
  return {
    made,
    cache,
    take: (key: string) =>
      cache.getOrSet(key, () => {
        made.push(key);
        return { name: key };
      }).name,
  };
}

test('keeps as many as the limit and makes each once', () => {
  const { made, cache, take } = counted(3);
  for (const key of ['a', 'b', 'c', 'a', 'b', 'c']) expect(take(key)).toBe(key);
  expect(made).toEqual(['a', 'b', 'c']);
  expect(cache.size).toBe(3);
});

test('one beyond the limit evicts the least recently used', () => {
  const { made, cache, take } = counted(3);
  for (const key of ['a', 'b', 'c', 'a', 'd']) take(key);
  expect(cache.size).toBe(3);
  made.length = 0;
  for (const key of ['a', 'c', 'd']) take(key);
  expect(made).toEqual([]);
  take('b');
  expect(made).toEqual(['b']);
});

test('what is deleted makes room, and is told as evicted', () => {
  const evicted: string[] = [];
  const cache = new LruCache<string, { name: string }>(2, undefined, undefined, ({ name }) => evicted.push(name));
  for (const name of ['a', 'b']) cache.set(name, { name });
  cache.delete('a');
  cache.delete('a');
  cache.set('c', { name: 'c' });
  expect([cache.get('a'), cache.get('b')?.name, cache.get('c')?.name]).toEqual([undefined, 'b', 'c']);
  expect(evicted).toEqual(['a']);
});

test('keeps nothing when making fails', () => {
  const cache = new LruCache<string, object>(1);
  expect(() =>
    cache.getOrSet('a', () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(cache.size).toBe(0);
});

describe('entries that differ in weight', () => {
  const weighed = (most?: number) => new LruCache<string, { weight: number }>(10, ({ weight }) => weight, most);

  test('are kept up to the limit, and one beyond it evicts the oldest', () => {
    const cache = weighed();
    cache.set('a', { weight: 4 });
    cache.set('b', { weight: 6 });
    expect([cache.get('a'), cache.get('b')]).toEqual([{ weight: 4 }, { weight: 6 }]);
    cache.set('c', { weight: 1 });
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, { weight: 6 }, { weight: 1 }]);
  });

  test('are bounded in number too', () => {
    const cache = weighed(2);
    for (const key of ['a', 'b']) cache.set(key, { weight: 1 });
    expect(cache.size).toBe(2);
    cache.set('c', { weight: 1 });
    expect([cache.get('a'), cache.size]).toEqual([undefined, 2]);
  });

  test('count once when they are replaced', () => {
    const cache = weighed();
    cache.set('a', { weight: 4 });
    for (const weight of [6, 6, 6]) cache.set('b', { weight });
    expect([cache.get('a'), cache.size]).toEqual([{ weight: 4 }, 2]);
  });

  test('are not kept when they are heavier than everything may be, and evict nothing', () => {
    const cache = weighed();
    cache.set('a', { weight: 10 });
    cache.set('b', { weight: 11 });
    expect([cache.get('a'), cache.get('b')]).toEqual([{ weight: 10 }, undefined]);
    cache.set('a', { weight: 11 });
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });
});

test('tells of each value that it lets go of, and of no other', () => {
  const gone: string[] = [];
  const cache = new LruCache<string, { name: string }>(2, undefined, undefined, ({ name }) => void gone.push(name));
  for (const name of ['a', 'b', 'c']) cache.set(name, { name });
  expect(gone).toEqual(['a']);
  cache.set('b', { name: 'new' });
  expect(gone).toEqual(['a', 'b']);
  cache.get('c');
  cache.set('d', { name: 'd' });
  expect(gone).toEqual(['a', 'b', 'new']);
});

test('holds what a list in order of use would hold', () => {
  const key = fc.integer({ min: 0, max: 5 });
  const step = fc.oneof(fc.record({ key }), fc.record({ key, weight: fc.integer({ min: 0, max: 11 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, most) => {
      const cache = new LruCache<number, { weight: number }>(10, ({ weight }) => weight, most);
      let list: { key: number; value: { weight: number } }[] = [];
      for (const { key, ...value } of steps) {
        const known = list.find((entry) => entry.key === key);
        list = list.filter((entry) => entry !== known);
        if ('weight' in value) {
          cache.set(key, value as { weight: number });
          if (value.weight <= 10) list.push({ key, value: value as { weight: number } });
          while (list.length > most || list.reduce((sum, entry) => sum + entry.value.weight, 0) > 10) list.shift();
        } else {
          expect(cache.get(key)).toBe(known?.value);
          if (known) list.push(known);
        }
        expect(cache.size).toBe(list.length);
      }
      for (const entry of list) expect(cache.get(entry.key)).toBe(entry.value);
    }),
  );
});
