import { describe, expect, it, test } from 'vitest';
import { effort } from '../../server/test/support/effort.js';
import { seeded } from '../../server/test/support/seed.js';
import { readJson } from '../src/index.js';
import { misreadsJson } from '../src/json-engine.js';
import { readStrictly } from '../src/json-reader.js';
import { hasEscapedName } from '../src/json-text.js';

const random = seeded();
const below = (count: number) => Math.floor(random() * count);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;

/** Characters of names: those that need an escape, those that an escape is made of, and what may end a name. */
const CHARACTERS = [
  '\\',
  '\n',
  '\u0000',
  '"',
  '/',
  'u',
  'n',
  '0',
  '5',
  'c',
  ':',
  ',',
  '{',
  '}',
  'é',
  '\u2028',
  '\ud800',
  'b',
];

/** As a string of JSON, each character with an escape or without, as far as it may be. */
function spell(text: string): string {
  const spelt = [...text].map((character) => {
    const code = character.codePointAt(0)!;
    const full = `\\u${code.toString(16).padStart(4, '0')}`;
    const short = JSON.stringify(character).slice(1, -1);
    if (code < 0x20 || character === '"' || character === '\\') return pick([full, short]);
    return pick([character, character, full, character === '/' ? '\\/' : character]);
  });
  return `"${spelt.join('')}"`;
}

type Member = readonly [name: string, value: unknown];

/** Few names to an object, so that many objects begin alike. */
function drawMembers(depth = 0): Member[] {
  return Array.from({ length: 1 + below(3) }, () => {
    const name = Array.from({ length: below(3) }, () => pick(CHARACTERS)).join('');
    const value = depth < 2 && random() < 0.2 ? Object.fromEntries(drawMembers(depth + 1)) : below(3);
    return [name, value] as const;
  });
}

function write(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(writeMember)
    .join(pick([',', ' , ']))}}`;
}

const writeMember = ([name, value]: Member) => `${spell(name)}${pick([':', ' :\n', ':'])}${write(value)}`;

/** Members in their order, within members too. */
function membersOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, member]) => [name, membersOf(member)])
    : value;
}

describe('JSON', () => {
  it('is read as it is written, whatever was read before', { timeout: 600_000 }, () => {
    // The engine goes by objects that are alive: of its own reading, of ours, and copies.
    const kept: unknown[] = [];
    for (let round = 0; round < 300_000; round++) {
      const members = drawMembers();
      const text = `{${members.map(writeMember).join(',')}}`;
      const value = readJson(text) as object;
      const meant = membersOf(Object.fromEntries(members));
      if (JSON.stringify(membersOf(value)) !== JSON.stringify(meant)) expect(membersOf(value), text).toEqual(meant);
      kept[round % 2_000] = pick([value, { ...value }, JSON.parse(JSON.stringify(value)), JSON.parse(text)]);
    }
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
    const before = [parse('{"first":0,"\\\\":1}'), readStrictly('{"second":0,"\\\\":1}')];
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
    for (let round = 0; round < 30_000; round++) {
      let text = pick(bases);
      for (let change = below(3); change >= 0; change--) {
        const at = below(text.length + 1);
        text = text.slice(0, at) + (random() < 0.7 ? pick([...pieces, ...more]) : '') + text.slice(at + below(3));
      }
      const [ours, strict, native] = [readJson, readStrictly, JSON.parse].map((read) => outcomeOf(read, text));
      expect([ours?.error, strict?.error], text).toEqual([native?.error, native?.error]);
      // Where no name is written with an escape, every engine reads it right.
      if (native?.error === undefined && !hasEscapedName(text))
        expect([ours?.value, strict?.value], text).toStrictEqual([native?.value, native?.value]);
      refused += native?.error === undefined ? 0 : 1;
    }
    expect(refused).toBeGreaterThan(3_000);
    expect(refused).toBeLessThan(29_700);
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
