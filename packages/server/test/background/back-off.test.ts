import { expect, it } from 'vitest';
import { backOff, spread } from '../../src/base/back-off.js';
import { limitRate } from '../../src/base/rate-limit.js';

const BOUNDS = { first: 100, greatest: 1_000 };

it('a delay doubles with each failure, up to its bound, from half of it on', () => {
  const delays = (random: number) => [1, 2, 3, 4, 5, 6, 1_000_000].map((failures) => backOff(BOUNDS, failures, random));
  expect(delays(0)).toEqual([50, 100, 200, 400, 500, 500, 500]);
  expect(delays(0.5)).toEqual([75, 150, 300, 600, 750, 750, 750]);
  for (const delay of delays(1 - Number.EPSILON)) expect(delay).toBeLessThanOrEqual(1_000);
});

it('jitter takes off half at most', () => {
  expect([spread(100, 0), spread(100, 0.5), spread(100, 1)]).toEqual([50, 75, 100]);
});

it('a rate limit lets so many pass in a window, and tells how many it did not', () => {
  let now = 5;
  const pass = limitRate({ count: 2, window: 10 }, () => now);
  expect([pass(), pass(), pass(), pass()]).toEqual([{ refused: 0 }, { refused: 0 }, undefined, undefined]);
  now += 9;
  expect(pass()).toBeUndefined();
  now += 1;
  expect([pass(), pass(), pass()]).toEqual([{ refused: 3 }, { refused: 0 }, undefined]);
});
