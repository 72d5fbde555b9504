import { expect, it } from 'vitest';
import { Bell } from '../../src/base/bell.js';

const LONG = 600_000;

it('a bell wakes whoever waits', async () => {
  const bell = new Bell();
  const waiting = bell.wait(LONG);
  bell.ring();
  expect(await waiting).toBe(true);
});

it('a ring that nobody waits for is kept until the next wait, once', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  expect(await bell.wait(LONG)).toBe(true);
  expect(await bell.wait(1)).toBe(false);
});

it('a ring right after a wake is kept as well', async () => {
  const bell = new Bell();
  const waiting = bell.wait(LONG);
  bell.ring();
  await waiting;
  bell.ring();
  expect(await bell.wait(LONG)).toBe(true);
});

it('a wait ends by itself', async () => {
  expect(await new Bell().wait(1)).toBe(false);
});
