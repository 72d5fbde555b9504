import { describe, expect, it, test } from 'vitest';
import { effort } from '../../server/test/support/effort.js';
import { readJson } from '../src/index.js';
import { misreadsJson } from '../src/json-engine.js';
import { parseStrictly } from '../src/json-reader.js';
import { hasEscapedName } from '../src/json-text.js';
import { below, pick, random, readMany } from './drawn-json.js';

describe('JSON', () => {
  it('is read as it is written, whatever was read before', () => {
    readMany(5_000);
  });

  // By Node.js 20, which reads all of them right.
  test.each([
    ['{"\\n":1,"a":2,"\\n":3}', { '\n': 3, a: 2 }],
    ['{"\\u0031":1,"0":0,"\\n":2}', { 0: 0, 1: 1, '\n': 2 }],
    [
      '{"\\u0061":-0,"b":1e400,"c":-1E+400,"d":5e-324,"e":1.50e1}',
      { a: -0, b: Infinity, c: -Infinity, d: 5e-324, e: 15 },
    ],
    [
      '{"\\ud800":"\\udc00 \ud800","\\ud83d\\ude00":"\u2028\u007f"}',
      { '\ud800': '\udc00 \ud800', '😀': '\u2028\u007f' },
    ],
    ['\t\n\r {"\\n" : [ ] , "a":[ { } , null,true ,false,"\\/" ]\n}\r', { '\n': [], a: [{}, null, true, false, '/'] }],
    ['[{"\\"":1},[[]],{"a":{"\\\\":{}}}]', [{ '"': 1 }, [[]], { a: { '\\': {} } }]],
  ])('means in %j what it means to Node.js 20', (text, value) => {
    expect(readJson(text)).toStrictEqual(value);
    expect(Object.keys(readJson(text) as object)).toEqual(Object.keys(value));
    expect(Object.is((readJson('{"\\u0061":-0}') as { a: number }).a, -0)).toBe(true);
  });

  it('may have members with the names of what all objects inherit', () => {
    const text = '{"\\u005f_proto__":{"x":1},"__proto__":2,"constructor":3,"toString":{"\\n":4},"\\n":5}';
    const value = readJson(text) as object;
    expect(Object.entries(value)).toEqual([
      ['__proto__', 2],
      ['constructor', 3],
      ['toString', { '\n': 4 }],
      ['\n', 5],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toEqual({
      ...{ value: 2, writable: true, enumerable: true, configurable: true },
    });
  });

  it('is made of objects like any others', () => {
    const value = readJson('{"\\n":{"a":[{}]}}') as { '\n': { a: object[] } };
    for (const object of [value, value['\n'], value['\n'].a[0]!]) {
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      expect(object.constructor).toBe(Object);
    }
    expect(value).toStrictEqual({ '\n': { a: [{}] } });
    expect(structuredClone(value)).toStrictEqual(value);
  });

  it.runIf(misreadsJson())('does not make the engine misread what others read with it', () => {
    const { parse } = JSON;
    const before = [parse('{"first":0,"\\\\":1}'), parseStrictly('{"second":0,"\\\\":1}')];
    expect(Object.keys(parse('{"first":0,"\\n":1}'))).toEqual(['first', '\\']);
    expect(Object.keys(parse('{"second":0,"\\n":1}'))).toEqual(['second', '\n']);
    expect(before).toHaveLength(2);
  });

  it('may be a million arrays deep', () => {
    const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;
    let inner = (readJson(`{"\\n":${deep}}`) as { '\n': unknown[] })['\n'];
    let depth = 1;
    for (; inner.length > 0; [inner] = inner as [unknown[]]) depth++;
    expect(depth).toBe(1e6);
    expect(() => readJson(`{"\\n":${deep.slice(1)}}`)).toThrow(SyntaxError);
  });

  it('is refused as the engine refuses it, in its words', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"\\n"',
      '"a"',
      '"\\u00e"',
      '"\\x"',
      '"\t"',
      '"',
      '\\',
      '"\\',
      ' ',
      '0',
      '01',
    ];
    const more = [
      '-',
      '1.',
      '.5',
      '1e',
      '1e+',
      '+1',
      'nul',
      'null',
      'true',
      'NaN',
      '\ufeff',
      '\u00a0',
      '\v',
      '/**/',
      "'a'",
    ];
    const bases = ['{"\\n":1,"a":[1,{"\\u0061":null}]}', '{"a":{"\\"":"\\\\"},"b":-1.5e3}', '[{"\\n":true},"x"]'];
    let refused = 0;
    for (let round = 0; round < 6_000; round++) {
      let text = pick(bases);
      for (let change = below(3); change >= 0; change--) {
        const at = below(text.length + 1);
        text = text.slice(0, at) + (random() < 0.7 ? pick([...pieces, ...more]) : '') + text.slice(at + below(3));
      }
      const [ours, strict, native] = [readJson, parseStrictly, JSON.parse].map((read) => outcomeOf(read, text));
      expect([ours?.error, strict?.error], text).toEqual([native?.error, native?.error]);
      // Where no name is written with an escape, every engine reads it right.
      if (native?.error === undefined && !hasEscapedName(text))
        expect([ours?.value, strict?.value], text).toStrictEqual([native?.value, native?.value]);
      refused += native?.error === undefined ? 0 : 1;
    }
    expect(refused).toBeGreaterThan(600);
    expect(refused).toBeLessThan(5_940);
  });

  test.each([
    ['{"a":1}', false],
    ['{"a":"\\n","b":["\\"",":","\\\\"]}', false],
    ['{"a":"\\":"}', false],
    ['["\\n" ]', false],
    ['"\\n"', false],
    ['{"\\n":1}', true],
    ['{"a":"\\\\","\\n":1}', true],
    ['{"a":["\\"",{"b\\\\" \t\r\n:1}]}', true],
    ['{"a\\"b":1}', true],
    ['{"\\"":"\\":"}', true],
  ])('has a name with an escape in %j: %j', (text, has) => {
    expect(hasEscapedName(text)).toBe(has);
  });

  test.each([
    ['escaped quotes in a value', `{"a":"${'\\"'.repeat(500_000)}"}`],
    ['escaped quotes in a name', `{"${'\\"'.repeat(500_000)}":1}`],
    ['values of one escape', `["\\n"${',"\\n"'.repeat(200_000)}]`],
    ['names of one escape', `{"\\n":1${',"\\n":1'.repeat(150_000)}}`],
    ['objects with such a name', `[{"\\n":1}${',{"\\n":1}'.repeat(100_000)}]`],
    ['different names', `{"\\n":1${Array.from({ length: 70_000 }, (_, at) => `,"\\n${at}":1`).join('')}}`],
    ['space before the colon', `{"\\n"${' '.repeat(1_000_000)}:1}`],
    ['digits', `{"\\n":${'1'.repeat(1_000_000)}}`],
    ['backslashes outside of strings', `"\\""${'\\'.repeat(1_000_000)}`],
    ['strings without an end', '"\\" '.repeat(250_000)],
    ['arrays without an end', `{"\\n":${'['.repeat(1_000_000)}`],
    ['names without an end', '{"\\":'.repeat(200_000)],
  ])('takes time in proportion to its length: %s', (_, text) => {
    expect(effort(() => readJson(text))).toBeLessThan(20_000);
  });
});

function outcomeOf(read: (text: string) => unknown, text: string): { value?: unknown; error?: string } {
  try {
    return { value: read(text) };
  } catch (error) {
    return { error: String(error) };
  }
}
