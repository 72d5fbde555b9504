import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from '../src/index.js';

const anyBytes = fc.uint8Array({ maxLength: 100 });

test('base64 agrees with Buffer and comes back', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(encodeBase64(bytes)).toBe(text);
      expect(decodeBase64(text)).toEqual(bytes);
    }),
  );
});

test('whatever base64 is accepted is the one form of its bytes', () => {
  const unit = fc.constantFrom(...'ABab01+/==-_ \n\u00e9');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
      const bytes = decodeBase64(text);
      expect(bytes !== undefined).toBe(Buffer.from(text, 'base64').toString('base64') === text);
      if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  'A',
  'AA',
  'AAA',
  'AAAAA',
  'AB==',
  'AAB=',
  'A===',
  '====',
  '=AAA',
  'AA=A',
  'AA-_',
  'AA==\n',
  ' AA=',
  'AAA\u0141',
])('no base64: %j', (text) => expect(decodeBase64(text)).toBeUndefined());

test('hex agrees with Buffer and comes back in either case', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const text = Buffer.from(bytes).toString('hex');
      expect(encodeHex(bytes)).toBe(text);
      expect(decodeHex(text)).toEqual(bytes);
      expect(decodeHex(text.toUpperCase())).toEqual(bytes);
    }),
  );
});

test.each(['0', '0g', 'g0', '0x00', ' 00', '@0', '`0', '/0', ':0', '\u01410'])('no hex: %j', (text) =>
  expect(decodeHex(text)).toBeUndefined(),
);
