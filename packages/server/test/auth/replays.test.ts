import { expect, test } from 'vitest';
import { MemoryReplays } from '../../src/auth/replays.js';

function replays(bounds = { ledger: 3, total: 5 }) {
  const time = { now: 1_000_000 };
  return { time, memory: new MemoryReplays(() => time.now, bounds) };
}

test('a jti is used once, until it expires', () => {
  const { time, memory } = replays();
  expect(memory.use('acme', 'a', 1_060_000)).toBe(true);
  expect(memory.use('acme', 'a', 1_060_000)).toBe(false);
  expect(memory.use('acme', 'a', 1_090_000)).toBe(false);
  time.now = 1_059_999;
  expect(memory.use('acme', 'a', 1_090_000)).toBe(false);
  time.now = 1_060_000;
  expect(memory.use('acme', 'a', 1_090_000)).toBe(true);
  expect(memory.use('acme', 'a', 1_090_000)).toBe(false);
});

test('ledgers do not see one another', () => {
  const { memory } = replays();
  expect(memory.use('acme', 'a', 1_060_000)).toBe(true);
  expect(memory.use('other', 'a', 1_060_000)).toBe(true);
  expect(memory.use('__proto__', 'constructor', 1_060_000)).toBe(true);
  expect(memory.use('__proto__', 'constructor', 1_060_000)).toBe(false);
});

test('a full ledger refuses new ones, still knows the used ones, and leaves others alone', () => {
  const { memory } = replays();
  for (const jti of ['a', 'b', 'c']) expect(memory.use('acme', jti, 1_060_000)).toBe(true);
  expect(memory.use('acme', 'd', 1_060_000)).toBe(false);
  for (const jti of ['a', 'b', 'c']) expect(memory.use('acme', jti, 1_060_000)).toBe(false);
  expect(memory.use('other', 'd', 1_060_000)).toBe(true);
});

test('all ledgers together are bounded', () => {
  const { memory } = replays();
  for (const jti of ['a', 'b', 'c']) expect(memory.use('first', jti, 1_060_000)).toBe(true);
  for (const jti of ['a', 'b']) expect(memory.use('second', jti, 1_060_000)).toBe(true);
  expect(memory.use('third', 'a', 1_060_000)).toBe(false);
  expect(memory.use('second', 'c', 1_060_000)).toBe(false);
});

test('what has expired makes room, also in the count of all ledgers', () => {
  const { time, memory } = replays();
  for (const ledger of ['first', 'second']) {
    for (const jti of ['a', 'b', 'c']) memory.use(ledger, jti, 1_005_000);
  }
  time.now = 1_010_000;
  for (const ledger of ['third', 'fourth']) {
    for (const jti of ['a', 'b']) expect(memory.use(ledger, jti, 1_060_000)).toBe(true);
  }
  expect(memory.use('fifth', 'a', 1_060_000)).toBe(true);
  expect(memory.use('fifth', 'b', 1_060_000)).toBe(false);
});

test('the same jti again after it expired counts once', () => {
  const { time, memory } = replays({ ledger: 2, total: 2 });
  expect(memory.use('acme', 'a', 1_001_000)).toBe(true);
  time.now = 1_002_000;
  expect(memory.use('acme', 'a', 1_060_000)).toBe(true);
  expect(memory.use('acme', 'b', 1_060_000)).toBe(true);
  expect(memory.use('acme', 'c', 1_060_000)).toBe(false);
});
