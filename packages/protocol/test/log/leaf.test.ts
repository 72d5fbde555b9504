import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { commitmentOf, entryOf, formatBundle, leafHash, leafHashOf, parseBundle } from '../../src/log/index.js';
import { sha } from './support/tree.js';

const fields = {
  salt: new Uint8Array(16).fill(5),
  ledger: '$ldg.-1AbCdEfGhIjKlMnOp',
  kind: 'wallet',
  luid: '$wlt.-2AbCdEfGhIjKlMnOp',
  change: 3,
  action: 'update',
  text: '{"hash":"00","name":"Zoë"}',
};
const lines = [
  'countersign/leaf/v1',
  'BQUFBQUFBQUFBQUFBQUFBQ==',
  fields.ledger,
  fields.kind,
  fields.luid,
  '3',
  fields.action,
  fields.text,
].join('\n');

describe('leaves', () => {
  test('the commitment is what sha256sum says of the lines', () => {
    const expected = new Uint8Array(createHash('sha256').update(lines, 'utf8').digest());
    expect(commitmentOf(fields)).toEqual(expected);
    expect(commitmentOf({ ...fields, text: new TextEncoder().encode(fields.text) })).toEqual(expected);
    expect(commitmentOf(fields, (bytes) => sha(bytes))).toEqual(expected);
    const entry = entryOf(expected);
    expect([entry.length, entry[0]]).toEqual([33, 1]);
    expect(entry.slice(1)).toEqual(expected);
    expect(leafHash(entry)).toEqual(sha(Uint8Array.of(0), entry));
    expect(leafHashOf(new Uint8Array(32))).toEqual(leafHash(entryOf(new Uint8Array(32))));
    expect(leafHashOf(expected)).toEqual(leafHash(entry));
  });

  test('a text of any length counts whole, whatever was hashed before', () => {
    const before = lines.slice(0, -fields.text.length);
    const most = 16_384 - before.length;
    for (const length of [most + 1, most, most - 1, 1, 0]) {
      const text = '€'.repeat(length);
      const expected = new Uint8Array(
        createHash('sha256')
          .update(before + text, 'utf8')
          .digest(),
      );
      expect(commitmentOf({ ...fields, text }), String(length)).toEqual(expected);
    }
  });

  test('every field counts', () => {
    const altered = [
      { salt: new Uint8Array(16) },
      { ledger: '$ldg.-other' },
      { kind: 'symbol' },
      { luid: '$wlt.-other' },
      { change: 4 },
      { action: 'drop' },
      { text: `${fields.text} ` },
    ].map((other) => commitmentOf({ ...fields, ...other }).toString());
    expect(new Set([...altered, commitmentOf(fields).toString()]).size).toBe(altered.length + 1);
  });

  test('what would make two changes the same bytes is refused', () => {
    for (const field of ['ledger', 'kind', 'luid', 'action']) {
      expect(() => commitmentOf({ ...fields, [field]: 'a\nb' }), field).toThrow(TypeError);
      expect(() => commitmentOf({ ...fields, [field]: '' }), field).toThrow(TypeError);
    }
    expect(() => commitmentOf({ ...fields, salt: new Uint8Array(15) })).toThrow(TypeError);
    expect(() => commitmentOf({ ...fields, text: '\ud800' })).toThrow(TypeError);
    expect(() => commitmentOf({ ...fields, change: -1 })).toThrow(RangeError);
    expect(() => commitmentOf({ ...fields, change: 1.5 })).toThrow(RangeError);
    for (const bytes of [31, 33]) {
      expect(() => entryOf(new Uint8Array(bytes))).toThrow(TypeError);
      expect(() => leafHashOf(new Uint8Array(bytes))).toThrow(TypeError);
    }
  });
});

describe('bundles', () => {
  const malformed = expect.objectContaining({ name: 'LogError', reason: 'malformed' });
  const tooLong = expect.objectContaining({ name: 'LogError', reason: 'too-long' });

  test('each entry after its length', () => {
    const entries = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(300).fill(9)];
    const bundle = formatBundle(entries);
    expect([...bundle.slice(0, 8)]).toEqual([0, 3, 1, 2, 3, 0, 0, 1]);
    expect(bundle[8]).toBe(44);
    expect(parseBundle(bundle)).toEqual(entries);
    expect(parseBundle(new Uint8Array(0))).toEqual([]);
    for (const cut of [1, 2, 4, 6, 8, bundle.length - 1]) {
      expect(() => parseBundle(bundle.slice(0, cut)), String(cut)).toThrow(malformed);
    }
    expect(() => parseBundle(Uint8Array.of(...bundle, 0))).toThrow(malformed);
  });

  test('at most 256 entries of 65,535 bytes', () => {
    const full = formatBundle(Array(256).fill(new Uint8Array(0)));
    expect(parseBundle(full).length).toBe(256);
    expect(() => parseBundle(Uint8Array.of(...full, 0, 0))).toThrow(tooLong);
    expect(() => formatBundle(Array(257).fill(new Uint8Array(0)))).toThrow(RangeError);
    const longest = new Uint8Array(65_535).fill(1);
    expect(parseBundle(formatBundle([longest]))).toEqual([longest]);
    expect(() => formatBundle([new Uint8Array(65_536)])).toThrow(RangeError);
    expect(() => parseBundle(new Uint8Array(256 * 65_537 + 1))).toThrow(tooLong);
  });
});
