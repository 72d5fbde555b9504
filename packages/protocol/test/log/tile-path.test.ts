import { expect, test } from 'vitest';
import { formatEntriesPath, formatTilePath, parseEntriesPath, parseTilePath } from '../../src/log/index.js';

const malformed = expect.objectContaining({ name: 'LogError', reason: 'malformed' });
const tooLong = expect.objectContaining({ name: 'LogError', reason: 'too-long' });

test.each([
  ['000', 0, 256],
  ['067', 67, 256],
  ['999.p/255', 999, 255],
  ['x001/000', 1000, 256],
  ['x001/x234/067', 1_234_067, 256],
  ['x001/x234/067.p/8', 1_234_067, 8],
  ['x009/x007/x199/x254/x740/991.p/1', Number.MAX_SAFE_INTEGER, 1],
])('%s', (path, index, width) => {
  expect(formatTilePath({ level: 3, index, width })).toBe(`3/${path}`);
  expect(parseTilePath(`3/${path}`)).toEqual({ level: 3, index, width });
  expect(formatEntriesPath({ index, width })).toBe(`entries/${path}`);
  expect(parseEntriesPath(`entries/${path}`)).toEqual({ index, width });
});

test('a tile has one path only', () => {
  for (const rest of [
    '',
    '0',
    '00',
    '0000',
    'x000',
    'x000/000',
    'x000/001',
    '001/000',
    'x001/x000',
    'x1/000',
    'X001/000',
    '000.p',
    '000.p/',
    '000.p/0',
    '000.p/01',
    '000.p/256',
    '000.p/257',
    '000.p/1/',
    '000/',
    '/000',
    '000.p/1.p/1',
    'x009/x007/x199/x254/x740/992',
    'x001/x009/x007/x199/x254/x740/991',
    '٠٠٠',
    '000\n',
    '../000',
  ]) {
    expect(() => parseTilePath(`0/${rest}`), rest).toThrow(malformed);
    expect(() => parseEntriesPath(`entries/${rest}`), rest).toThrow(malformed);
  }
  for (const path of ['6/000', '00/000', '01/000', '-1/000', 'data/000', 'entries/000', '000', '']) {
    expect(() => parseTilePath(path), path).toThrow(malformed);
  }
  expect(() => parseEntriesPath('0/000')).toThrow(malformed);
  expect(() => parseTilePath(`0/${'x001/'.repeat(20)}`)).toThrow(tooLong);
  expect(() => parseEntriesPath(`entries/${'x001/'.repeat(20)}`)).toThrow(tooLong);
});

test('what has no path is refused', () => {
  const tile = { level: 0, index: 0, width: 256 };
  for (const other of [{ level: 6 }, { level: -1 }, { index: -1 }, { index: 2 ** 53 }, { width: 0 }, { width: 257 }]) {
    expect(() => formatTilePath({ ...tile, ...other })).toThrow(RangeError);
  }
});
