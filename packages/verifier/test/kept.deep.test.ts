import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Column } from '../src/kept/column.js';
import { DigestTable, keyOfHex } from '../src/kept/digest-table.js';
import { Lives } from '../src/kept/lives.js';
import { Luids } from '../src/kept/luids.js';
import { momentNumber, momentText } from '../src/kept/moment.js';
import { MovedRows } from '../src/kept/moved-rows.js';
import { Records } from '../src/kept/records.js';
import { References } from '../src/kept/references.js';
import { Texts } from '../src/kept/texts.js';
import { Uses } from '../src/kept/uses.js';

const suite = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const hexOf = (...words: number[]) => words.map((word) => word.toString(16).padStart(8, '0')).join('');

/** Words that often are the same, and where keys that differ begin alike. */
const word = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const hex = fc.tuple(word, word, word, word).map((words) => `${hexOf(...words)}ff`);
const moment = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('what the verifier keeps of records', () => {
  it('numbers keys as they come, and finds each by all of its bits', () => {
    fc.assert(
      fc.property(fc.array(hex, { maxLength: 3_000, size: 'max' }), (all) => {
        const table = new DigestTable();
        const known = new Map<string, number>();
        for (const one of all) {
          expect(table.find(keyOfHex(one))).toBe(known.get(one) ?? -1);
          if (!known.has(one)) known.set(one, known.size);
          expect(table.put(keyOfHex(one))).toBe(known.get(one));
        }
        for (const [one, number] of known) expect(table.find(keyOfHex(one))).toBe(number);
        expect(table.count).toBe(known.size);
      }),
      { numRuns: 50 },
    );
  });

  it('finds each of many keys that begin alike', () => {
    const table = new DigestTable();
    for (let at = 0; at < 20_000; at += 1) expect(table.put(keyOfHex(hexOf(at % 7, 0, at, 1)))).toBe(at);
    for (let at = 0; at < 20_000; at += 1) expect(table.find(keyOfHex(hexOf(at % 7, 0, at, 1)))).toBe(at);
  });

  it('is as quick where somebody has chosen keys that begin or end alike', () => {
    const cpu = (keyAt: (at: number) => string) => {
      const table = new DigestTable();
      const before = process.cpuUsage();
      for (let at = 0; at < 120_000; at += 1) table.put(keyOfHex(keyAt(at)));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    for (const keyAt of [
      (at: number) => hexOf(7, at, 0, 0),
      (at: number) => hexOf((at << 15) >>> 0, at, 7, 7),
      (at: number) => hexOf(7, 0, 0, at),
      // Of products modulo a power of two, these have 32 sums.
      (at: number) => hexOf(...[0, 5, 10, 15].map((bit) => ((at >>> bit) << 27) >>> 0)),
    ])
      expect(cpu(keyAt)).toBeLessThan(500);
  });

  it('keeps numbers and texts by their places', () => {
    const whole = new Column('int32');
    const any = new Column('float64');
    for (const place of [0, 8_191, 8_192, 100_000]) {
      whole.set(place, -place);
      any.set(place, place / 8 + 2 ** 52);
    }
    expect([0, 1, 8_191, 8_192, 100_000, 900_000].map((place) => whole.get(place) + 0)).toEqual([
      0, 0, -8_191, -8_192, -100_000, 0,
    ]);
    expect(any.get(8_192)).toBe(1_024 + 2 ** 52);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), (texts) => {
        const kept = new Texts();
        for (const [at, text] of texts.entries()) kept.set(2 * at, text);
        for (const [at, text] of texts.entries()) expect(kept.get(2 * at)).toBe(text);
        expect(kept.get(1)).toBe('');
      }),
    );
  });

  it('has a number for each moment, in their order, and none for what is no moment', () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        expect(momentText(momentNumber(one))).toBe(one);
        expect(Math.sign(momentNumber(one) - momentNumber(other))).toBe(one === other ? 0 : one < other ? -1 : 1);
      }),
    );
    for (const text of ['', 'undefined', '2026-13-01T00:00:00.000Z', '2026-01-01T00:00:00Z'])
      expect(momentNumber(text)).toBe(0);
  });

  it('tells a record from another, and when each was born', () => {
    const records = new Records(suite);
    const luids = ['$wlt.-3DnZ6VyWK50RCUg8', '$wlt.-3DnZ6VyWK50RCUg9', 'no luid é', ''];
    for (const luid of luids) expect([records.numberOf(luid), records.begin(luid)]).toEqual([-1, true]);
    for (const [at, luid] of luids.entries())
      expect([records.begin(luid), records.numberOf(luid), records.luidOf(at)]).toEqual([false, at, luid]);
    expect(records.bornAt(1)).toBe(0);
    records.bear(luids[1]!, '2026-11-23T03:06:48.993Z');
    expect(records.bornAt(1)).toBe(momentNumber('2026-11-23T03:06:48.993Z'));
  });

  it('numbers luids, and says each again', () => {
    const digit = fc.constantFrom(...'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
    const letter = fc.constantFrom(...'abcyz');
    const text = (one: fc.Arbitrary<string>, length: number) =>
      fc.string({ unit: one, minLength: length, maxLength: length });
    const luid = fc.tuple(text(letter, 3), text(digit, 17)).map(([kind, id]) => `$${kind}.${id}`);
    const any = fc.oneof(
      luid,
      fc.string(),
      luid.map((one) => `${one}-`),
      luid.map((one) => one.toUpperCase()),
    );
    fc.assert(
      fc.property(fc.uniqueArray(any, { maxLength: 200 }), (all) => {
        const luids = new Luids(suite);
        expect(all.map((one) => luids.put(one))).toEqual([...all.keys()]);
        expect(all.map((one) => luids.find(one))).toEqual([...all.keys()]);
        expect(all.map((_, number) => luids.get(number))).toEqual(all);
      }),
    );
  });

  it('knows what was named and is not there, in whatever order', () => {
    const references = new References(suite);
    const place = (change: number) => ({ luid: '$wlt.a', change });
    for (const [at, fact] of ['a', 'b', 'a', 'c'].entries()) references.name(fact, place(at));
    references.add('b');
    references.add('d');
    for (const fact of ['b', 'd', 'd']) references.name(fact, place(9));
    expect(references.missing()).toEqual([
      ['a', place(0)],
      ['c', place(3)],
    ]);
  });

  it('counts a proof for one record, by its digest and its key', () => {
    const uses = new Uses(suite);
    const proof = (digest: number, key: string) =>
      ({ digest: hexOf(digest, 1, 1, 1, 1, 1, 1, 1), public: key }) as never;
    expect(uses.use(proof(1, 'A'), 7)).toBe(7);
    expect(uses.use(proof(1, 'B'), 8)).toBe(8);
    expect(uses.use(proof(2, 'A'), 9)).toBe(9);
    expect([uses.use(proof(1, 'A'), 1), uses.use(proof(1, 'B'), 2), uses.use(proof(2, 'A'), 3)]).toEqual([7, 8, 9]);
  });

  it('finds the wallet of a name at a moment: else the next, or the last', () => {
    const lives = new Lives((record) => (record === 50 ? 10 : 0));
    lives.add(5, { record: 50, from: 10, until: 20 });
    lives.add(6, { record: 60, from: 0, until: Number.POSITIVE_INFINITY });
    lives.add(5, { record: 51, from: 30, until: 40 });
    expect([5, 10, 20, 25, 30, 40, 41].map((at) => lives.at(5, at))).toEqual([50, 50, 50, 51, 51, 51, 51]);
    expect([lives.at(6, 99), lives.at(7, 1), lives.last(5), lives.has(7), lives.has(-1)]).toEqual([
      60,
      undefined,
      51,
      false,
      false,
    ]);
    expect([lives.nameOf(50), lives.nameOf(51), lives.nameOf(52), lives.nameOf(-1)]).toEqual([5, 5, -1, -1]);
  });

  it('finds what an intent has moved, and sorts all by their moments', () => {
    const row = fc.record({ change: fc.integer({ min: 1, max: 4 }), account: fc.integer({ min: 0, max: 4 }) });
    const intents = fc.array(fc.uniqueArray(row, { selector: ({ change, account }) => `${change} ${account}` }));
    fc.assert(
      fc.property(intents, (all) => {
        const rows = new MovedRows();
        const filled = (intent: number) => (one: { change: number; account: number }, at: number) => {
          const more = { availableBy: at - 0.5, reservedBy: 1 - at, moment: (at * 7) % 5, isJudged: at % 2 === 0 };
          return { ...one, ...more, intent };
        };
        for (const [intent, moved] of all.entries()) rows.add(intent, moved.map(filled(intent)));
        for (const [intent, moved] of all.entries()) {
          for (const one of moved.map(filled(intent))) {
            const found = rows.find(intent, one.change, one.account);
            expect(rows.get(found)).toEqual(one);
            expect(rows.isSeen(found)).toBe(false);
            rows.see(found);
            expect([rows.isSeen(found), rows.get(found).isJudged]).toEqual([true, one.isJudged]);
          }
          expect(rows.find(intent, 9, 0)).toBe(-1);
        }
        expect([rows.find(-1, 1, 1), rows.find(all.length, 1, 1), rows.find(0, 1, -1)]).toEqual([-1, -1, -1]);
        const moments = [...rows.byMoment()].map((one) => rows.get(one).moment);
        expect(moments).toEqual([...moments].sort());
        expect(moments.length).toBe(rows.count);
      }),
    );
  });
});
