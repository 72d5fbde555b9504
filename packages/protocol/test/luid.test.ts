import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLuid, LUID_RANDOM, luid, luidId } from '../src/index.js';

const EPOCH = 1_724_413_118;
const random = (...bytes: number[]) => Uint8Array.from({ length: LUID_RANDOM }, (_, at) => bytes[at] ?? 0);

test('time comes first, in six digits, then eleven random ones', () => {
  expect(luid('wlt', EPOCH, random())).toBe('$wlt.-----------------');
  expect(luid('wlt', EPOCH + 1, random())).toBe('$wlt.-----0-----------');
  expect(luid('wlt', EPOCH + 64, random())).toBe('$wlt.----0------------');
  expect(luid('int', EPOCH + 63.9, random(1, 10, 11, 36, 37, 38, 63, 64, 127, 255))).toBe('$int.-----z09AZ_az-zz-');
  expect(luid('int', EPOCH + 64 ** 6 - 1, random())).toBe('$int.zzzzzz-----------');
});

test('what cannot be told is refused', () => {
  expect(() => luid('wlt', EPOCH - 1, random())).toThrow(RangeError);
  expect(() => luid('wlt', EPOCH + 64 ** 6, random())).toThrow(RangeError);
  expect(() => luid('wlt', Number.NaN, random())).toThrow(RangeError);
  expect(() => luid('wlt', EPOCH, new Uint8Array(LUID_RANDOM - 1))).toThrow(RangeError);
  for (const prefix of ['', 'wl', 'wltt', 'WLT', '$wl', 'wl\n']) {
    expect(() => luid(prefix, EPOCH, random())).toThrow(RangeError);
  }
});

test('every letter is equally likely: each stands for four of the 256 byte values', () => {
  const counts = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const letter = luid('wlt', EPOCH, random(byte)).charAt(11);
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(counts.size).toBe(64);
  expect(new Set(counts.values())).toEqual(new Set([4]));
});

test('luids have the form of the interface and sort by age', () => {
  const time = fc.nat({ max: 2 ** 31 });
  const bytes = fc.uint8Array({ minLength: LUID_RANDOM, maxLength: LUID_RANDOM });
  fc.assert(
    fc.property(time, time, bytes, bytes, (one, two, first, second) => {
      const older = luid('wlt', EPOCH + Math.min(one, two), first);
      const newer = luid('wlt', EPOCH + Math.max(one, two) + 1, second);
      expect(older).toMatch(/^\$[a-z]{3}\.[A-Za-z0-9_-]{17}$/);
      expect(isLuid(older, 'wlt')).toBe(true);
      expect(older < newer).toBe(true);
    }),
  );
});

test('isLuid tells luids, and of which kind', () => {
  const text = '$wlt.-3a0Xk1bQ2cR3dS4e';
  expect(isLuid(text)).toBe(true);
  expect(isLuid(text, 'wlt')).toBe(true);
  expect(isLuid(text, 'int')).toBe(false);
  for (const wrong of [
    text.slice(1),
    text.slice(0, -1),
    `${text}a`,
    `${text}\n`,
    text.replace('.', ':'),
    '',
    '$WLT.-3a0Xk1bQ2cR3dS4e',
  ]) {
    expect(isLuid(wrong)).toBe(false);
  }
});

test('the id is what follows the kind', () => {
  expect(luidId('$int.-3a0Xk1bQ2cR3dS4e')).toBe('-3a0Xk1bQ2cR3dS4e');
});
