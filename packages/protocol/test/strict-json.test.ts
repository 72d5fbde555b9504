import { describe, expect, test } from 'vitest';
import { canonical, LedgerError, parseJson } from '../src/index.js';

const bounds = { depth: 4, values: 10 };

function refusal(text: string, within = bounds): string {
  try {
    parseJson(text, within);
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerError);
    const refused = error as LedgerError;
    expect(refused.reason).toBe('api.body-malformed');
    expect(refused.status).toBe(400);
    // The detail is hashed into the error answer.
    expect(() => canonical(refused.detail)).not.toThrow();
    return refused.detail;
  }
  throw new Error(`accepted: ${text.slice(0, 80)}`);
}

test('JSON is parsed as JSON.parse does', () => {
  const text = '{"a":[1,-0,0.1,9007199254740991,-9007199254740991,null,true,"é😀"]}';
  expect(parseJson(text, bounds)).toEqual(JSON.parse(text));
  for (const scalar of ['null', '1', '"x"', 'true']) expect(parseJson(scalar, bounds)).toBe(JSON.parse(scalar));
});

test.each([
  '',
  ' ',
  '{',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  'NaN',
  '01',
  '"\u0000"',
  '"a\nb"',
  '\ufeff{}',
  'undefined',
  '1 2',
])('no JSON: %j', (text) => expect(refusal(text)).toBe('Malformed JSON body'));

describe('depth', () => {
  test('as deep as allowed, and one deeper', () => {
    expect(parseJson('[[[[1]]]]', bounds)).toEqual([[[[1]]]]);
    expect(refusal('[[[[[]]]]]')).toBe("JSON body is nested deeper than 4 levels, at '/0/0/0/0'");
    expect(parseJson('{"a":{"b":{"c":{"d":1}}}}', bounds)).toEqual({ a: { b: { c: { d: 1 } } } });
    expect(refusal('{"a":{"b":{"c":{"d":{}}}}}')).toBe("JSON body is nested deeper than 4 levels, at '/a/b/c/d'");
  });

  test('a body of nothing but brackets', () => {
    expect(refusal('['.repeat(1024 * 1024))).toBe('Malformed JSON body');
    const half = 512 * 1024;
    expect(refusal('['.repeat(half) + ']'.repeat(half))).toContain('nested deeper than 4 levels');
    expect(refusal(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).toContain('nested deeper than 4 levels');
  });
});

test('values: as many as allowed, and one more', () => {
  expect(parseJson('[1,2,3,4,5,6,7,8,9,10]', bounds)).toHaveLength(10);
  expect(refusal('[1,2,3,4,5,6,7,8,9,10,11]')).toBe("JSON body holds more than 10 values, at ''");
  expect(parseJson('{"a":[1,2,3,4],"b":{"c":[5,6]}}', bounds)).toBeDefined();
  expect(refusal('{"a":[1,2,3,4],"b":{"c":[5,6,7,8]}}')).toBe("JSON body holds more than 10 values, at '/b/c'");
});

describe('a text whose names are written with escapes, which the engine is not given', () => {
  const a = String.raw`"\u0061"`;

  test('is read as deep as allowed, and refused one deeper', () => {
    expect(parseJson(`{${a}:[[[1]]]}`, bounds)).toEqual({ a: [[[1]]] });
    expect(refusal(`{${a}:[0,{"b":[[]]}]}`)).toBe("JSON body is nested deeper than 4 levels, at '/a/1/b/0'");
  });

  test('is read with as many values as allowed, and refused with one more', () => {
    expect(parseJson(`{${a}:[1,2,3,4],"b":{"c":[5,6,7]}}`, bounds)).toEqual({ a: [1, 2, 3, 4], b: { c: [5, 6, 7] } });
    expect(refusal(`{${a}:[1,2,3,4],"b":{"c":[5,6,7,8]}}`)).toBe("JSON body holds more than 10 values, at '/b/c'");
  });

  test('is not read behind the place where it goes too far', () => {
    expect(refusal(`{${a}:[[[[[`)).toBe("JSON body is nested deeper than 4 levels, at '/a/0/0/0'");
    expect(refusal(`{${a}:[1,2,3,4,5,6,7,8,9,10,`)).toBe("JSON body holds more than 10 values, at '/a'");
  });
});

test.each(['1e400', '-1e400', '9007199254740992', '-9007199254740992', '1e21'])('number %s', (number) => {
  expect(refusal(`{"data":{"n":[0,${number}]}}`)).toBe(
    "JSON body holds a number that cannot be represented exactly, at '/data/n/1'",
  );
});

describe('text', () => {
  test.each([
    [String.raw`{"a":["\ud800"]}`, '/a/0', 'lone surrogate'],
    [String.raw`{"a":["x\udc00y"]}`, '/a/0', 'lone surrogate'],
    [String.raw`{"a":["\udc00\ud800"]}`, '/a/0', 'lone surrogate'],
    ['{"a":["\ud800"]}', '/a/0', 'lone surrogate'],
    [String.raw`{"a":{"\ud800":1}}`, '/a/\ufffd', 'lone surrogate'],
    [String.raw`{"a":"\u0000"}`, '/a', 'U+0000'],
    [String.raw`{"x\u0000y":1}`, '/x\ufffdy', 'U+0000'],
  ])('%j', (text, place, what) => {
    const detail = refusal(text);
    expect(detail).toContain(what);
    expect(detail).toContain(`at '${place}'`);
  });

  test('escaped and raw pairs, and text that spells an escape', () => {
    const text = String.raw`["\ud83d\ude00","😀","\\ud800","\\u0000","\u0001"]`;
    expect(parseJson(text, bounds)).toEqual(['😀', '😀', '\\ud800', '\\u0000', '\u0001']);
  });
});

describe('keys', () => {
  test.each([
    ['{"__proto__":{"admin":true}}', '/__proto__'],
    ['{"a":[{"__proto__":1}]}', '/a/0/__proto__'],
    [String.raw`{"\u005f_proto__":1}`, '/__proto__'],
    ['{"constructor":{"prototype":{"admin":true}}}', '/constructor'],
  ])('%s', (text, place) => {
    const detail = refusal(text);
    expect(detail).toContain('must not have the key');
    expect(detail).toContain(`at '${place}'`);
  });

  test('prototype is not touched and harmless namesakes pass', () => {
    expect(parseJson('{"constructor":"acme","prototype":{},"proto":1}', bounds)).toEqual({
      constructor: 'acme',
      prototype: {},
      proto: 1,
    });
    expect(parseJson('["__proto__"]', bounds)).toEqual(['__proto__']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

test('the place is escaped, and cut when long', () => {
  expect(refusal('{"a/b":{"c~d":1e400}}')).toContain("at '/a~1b/c~0d'");
  const long = refusal(`{"${'😀'.repeat(1_000)}":{"b":1e400}}`);
  expect(long.length).toBeLessThan(300);
  expect(long).toMatch(/…'$/);
});
