import { describe, expect, test } from 'vitest';
import { Recent } from '../src/base/recent.js';

function recent(limit: number) {
  const made: string[] = [];
  const kept = new Recent<string, { name: string }>(limit);
  return {
    made,
    kept,
    take: (key: string) =>
      kept.take(key, () => {
        made.push(key);
        return { name: key };
      }).name,
  };
}

test('keeps as many as the limit and makes each once', () => {
  const { made, kept, take } = recent(3);
  for (const key of ['a', 'b', 'c', 'a', 'b', 'c']) expect(take(key)).toBe(key);
  expect(made).toEqual(['a', 'b', 'c']);
  expect(kept.size).toBe(3);
});

test('one beyond the limit replaces the one unused longest', () => {
  const { made, kept, take } = recent(3);
  for (const key of ['a', 'b', 'c', 'a', 'd']) take(key);
  expect(kept.size).toBe(3);
  made.length = 0;
  for (const key of ['a', 'c', 'd']) take(key);
  expect(made).toEqual([]);
  take('b');
  expect(made).toEqual(['b']);
});

test('keeps nothing when making fails', () => {
  const kept = new Recent<string, object>(1);
  expect(() =>
    kept.take('a', () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(kept.size).toBe(0);
});

describe('entries that differ in weight', () => {
  const kept = () => new Recent<string, { weight: number }>(10, ({ weight }) => weight);

  test('are kept up to the limit, and one beyond it makes the oldest go', () => {
    const recent = kept();
    recent.set('a', { weight: 4 });
    recent.set('b', { weight: 6 });
    expect([recent.get('a'), recent.get('b')]).toEqual([{ weight: 4 }, { weight: 6 }]);
    recent.set('c', { weight: 1 });
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, { weight: 6 }, { weight: 1 }]);
  });

  test('count once when they are replaced', () => {
    const recent = kept();
    recent.set('a', { weight: 4 });
    for (const weight of [6, 6, 6]) recent.set('b', { weight });
    expect([recent.get('a'), recent.size]).toEqual([{ weight: 4 }, 2]);
  });

  test('are not kept when they are heavier than everything may be, and nothing else goes for them', () => {
    const recent = kept();
    recent.set('a', { weight: 10 });
    recent.set('b', { weight: 11 });
    expect([recent.get('a'), recent.get('b')]).toEqual([{ weight: 10 }, undefined]);
    recent.set('a', { weight: 11 });
    expect([recent.get('a'), recent.size]).toEqual([undefined, 0]);
  });
});
