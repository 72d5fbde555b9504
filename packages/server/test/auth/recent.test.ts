import { expect, test } from 'vitest';
import { Recent } from '../../src/auth/recent.js';

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
