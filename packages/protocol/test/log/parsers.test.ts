import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeBase64 } from '../../src/index.js';
import {
  formatAddCheckpoint,
  formatBundle,
  formatCheckpoint,
  formatEntriesPath,
  formatNote,
  formatProofFile,
  formatTilePath,
  formatVkey,
  LogError,
  noteKey,
  parseAddCheckpoint,
  parseBundle,
  parseCheckpoint,
  parseEntriesPath,
  parseNote,
  parsePolicy,
  parseProofFile,
  parseTilePath,
  parseVkey,
} from '../../src/log/index.js';
import { arbitraryText } from '../support/arbitrary-text.js';
import { testKey } from './support/keys.js';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const size = fc.maxSafeNat();
const name = fc.stringMatching(/^[^\s+\p{White_Space}\p{C}]{1,40}$/u);
const line = fc.stringMatching(/^[^\p{C}]{0,40}$/u);
const key = fc
  .tuple(name, fc.constantFrom('note' as const, 'cosignature' as const), hash)
  .map(([text, use, bytes]) => noteKey(text, use, bytes));
const signature = fc.record({
  name,
  id: fc.stringMatching(/^[0-9a-f]{8}$/),
  signature: fc.uint8Array({ minLength: 1, maxLength: 80 }),
});
const note = fc.record({
  text: fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`),
  signatures: fc.array(signature, { minLength: 1, maxLength: 5 }),
});
const signed = note.map(formatNote);
const proof = fc.array(hash, { maxLength: 63 });
const index = fc.nat().chain((low) => fc.constantFrom(low, low % 2000, low * 4_000_000));
const width = fc.integer({ min: 1, max: 256 });

/** Values of each format that are drawn. */
const RUNS = process.env.LONG_TESTS ? 2_000 : 60;

/** Each format: values of it, how they are written, how text is read. */
const formats: [string, fc.Arbitrary<unknown>, (value: never) => string, (text: string) => unknown][] = [
  ['a verifier key', key, formatVkey, parseVkey],
  ['a note', note, formatNote, parseNote],
  ['a checkpoint', fc.record({ origin: name, size, root: hash }), formatCheckpoint, parseCheckpoint],
  [
    'a proof file',
    fc.record({
      extra: fc.option(fc.uint8Array({ maxLength: 100 }), { nil: undefined }),
      index: size,
      proof,
      checkpoint: signed,
    }),
    formatProofFile,
    parseProofFile,
  ],
  ['an add-checkpoint', fc.record({ old: size, proof, checkpoint: signed }), formatAddCheckpoint, parseAddCheckpoint],
  ['the path of a tile', fc.record({ level: fc.nat(5), index, width }), formatTilePath, parseTilePath],
  ['the path of entries', fc.record({ index, width }), formatEntriesPath, parseEntriesPath],
];

describe.each(formats)('%s', (_name, values, format, parse) => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(values, (value) => void expect(parse(format(value as never))).toEqual(value)),
      {
        numRuns: RUNS,
      },
    );
  });

  test('with a byte altered, added or taken away is refused, or is another that is written so', () => {
    const property = fc.property(values, fc.nat(), fc.nat(255), fc.nat(2), (value, at, byte, how) => {
      const bytes = [...new TextEncoder().encode(format(value as never))];
      bytes.splice(at % bytes.length, how === 0 ? 0 : 1, ...(how === 2 ? [] : [byte]));
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
      let other: unknown;
      try {
        other = parse(text);
      } catch (error) {
        expect(error).toBeInstanceOf(LogError);
        return;
      }
      // A checkpoint may have extension lines, which are not kept.
      const written = format(other as never);
      expect(_name === 'a checkpoint' ? text.slice(0, written.length) : text).toBe(written);
    });
    fc.assert(property, { numRuns: 2 * RUNS });
  });

  test('refuses any other text with one kind of error', () => {
    fc.assert(
      fc.property(arbitraryText({ maxLength: 200 }), (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(LogError);
        }
      }),
    );
  });
});

describe('a bundle', () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 });

  test('is read as it was written, and any bytes are refused or are written so', () => {
    fc.assert(fc.property(entries, (value) => void expect(parseBundle(formatBundle(value))).toEqual(value)));
    const bytes = fc.uint8Array({ maxLength: 40 }).map((raw) => raw.map((byte, at) => (at % 3 === 0 ? 0 : byte % 8)));
    fc.assert(
      fc.property(bytes, (bundle) => {
        try {
          expect(formatBundle(parseBundle(bundle))).toEqual(bundle);
        } catch (error) {
          if (!(error instanceof LogError)) throw error;
        }
      }),
    );
  });
});

describe('a policy', () => {
  const policyText = fc
    .record({ count: fc.integer({ min: 1, max: 6 }), threshold: fc.integer({ min: 1, max: 6 }), url: fc.boolean() })
    .map(({ count, threshold, url }) => {
      const names = Array.from({ length: count }, (_, at) => `w${at}`);
      const keys = names.map((one, at) => formatVkey(testKey(`${one}.example`, 'cosignature', at + 1).key));
      const lines = names.map((one, at) => `witness ${one} ${keys[at]}${url ? ' https://w.example' : ''}`);
      return `${lines.join('\n')}\ngroup g ${Math.min(count, threshold)} ${names.join(' ')}\nquorum g\n`;
    });

  test('altered anywhere is refused with one kind of error, or names only what it says', () => {
    fc.assert(
      fc.property(policyText, fc.nat(), fc.string({ maxLength: 2 }), (text, at, put) => {
        expect(parsePolicy(text).quorum).toBe('g');
        const other = text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1);
        try {
          const { witnesses, groups, quorum } = parsePolicy(other);
          for (const name of [quorum, ...[...groups.values()].flatMap(({ members }) => members)]) {
            if (name !== undefined) expect(witnesses.has(name) || groups.has(name)).toBe(true);
          }
          for (const { threshold, members } of groups.values()) {
            expect(threshold).toBeGreaterThan(0);
            expect(threshold).toBeLessThanOrEqual(members.length);
          }
          for (const { key: one } of witnesses.values()) {
            expect(other).toContain(`${one.id}+${encodeBase64(Uint8Array.of(4, ...one.publicKey))}`);
          }
        } catch (error) {
          if (!(error instanceof LogError)) throw error;
        }
      }),
    );
  });
});
