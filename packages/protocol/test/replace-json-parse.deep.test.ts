import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { misreadsJson } from '../src/json-engine.js';
import { parseLikeJson } from '../src/parse-like-json.js';
import { arbitraryJson } from './support/arbitrary-json.js';

const MISREADING = fileURLToPath(new URL('../../server/test/support/misreading.cjs', import.meta.url));

/** Runs a module in a process of its own, where the repository's packages are found. */
function run(code: string, ...args: string[]): string {
  const all = [...args, '--input-type=module', '--eval', code];
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', cwd });
  expect(stderr).toBe('');
  return stdout;
}

const TOLD = `
  const { parse } = JSON;
  MODULE
  const before = JSON.parse('{"a":0,"\\\\\\\\":1}');
  const after = await new Response('{"a":0,"\\\\n":1}').json();
  console.log(JSON.stringify([JSON.parse === parse, before, after, Object.keys(globalThis.JSON)]));
`;
const toldWith = (module: string, ...args: string[]) => JSON.parse(run(TOLD.replace('MODULE', module), ...args));
const RIGHT = [{ a: 0, '\\': 1 }, { a: 0, '\n': 1 }, []];

describe('the place of JSON.parse', () => {
  const load = "await import('@countersign/protocol/replace-json-parse');";

  it('is taken where the engine misreads, for what others read with it as well', () => {
    expect(toldWith('', '-r', MISREADING)).toEqual([true, RIGHT[0], RIGHT[0], []]);
    expect(toldWith(load, '-r', MISREADING)).toEqual([false, ...RIGHT]);
  });

  it('is left to an engine that reads what is written', () => {
    expect(toldWith(load)).toEqual([!misreadsJson(), ...RIGHT]);
  });

  it('is left as it was by the libraries', () => {
    for (const name of ['protocol', 'protocol/log', 'client', 'client/record-verifier', 'verifier'])
      expect(toldWith(`await import('@countersign/${name}');`, '-r', MISREADING)[0], name).toBe(true);
  });
});

/** What reading gives, and how the reviver was called. */
function outcomeOf(parse: typeof JSON.parse, text: string, revive: (key: string, value: unknown) => unknown) {
  const calls: unknown[] = [];
  const value = parse(text, function (this: unknown, key, given) {
    calls.push([structuredClone(this), key, structuredClone(given)]);
    return revive(key, given);
  });
  return { value, calls, keys: typeof value === 'object' && value ? Object.keys(value) : [] };
}

describe('what takes the place of JSON.parse', () => {
  const parse = parseLikeJson as typeof JSON.parse;

  // The engine reads the first of two objects right; each property draws names that no other has.
  it('calls a reviver as that does', () => {
    const revivers = [
      (_key: string, value: unknown) => value,
      (key: string, value: unknown) => (key.length > 1 ? undefined : value),
      (_key: string, value: unknown) => (typeof value === 'string' ? { made: value } : value),
      (key: string, value: unknown) => (key === '' ? [value] : value),
    ];
    fc.assert(
      fc.property(arbitraryJson, fc.constantFrom(...revivers), (value, revive) => {
        const plain = JSON.stringify({ value, other: [value] });
        const escaped = plain.replace('"value":', '"\\u0076alue":');
        if (JSON.stringify(parse(escaped)) !== plain) expect(parse(escaped)).toEqual(JSON.parse(plain));
        expect(outcomeOf(parse, escaped, revive)).toEqual(outcomeOf(parse, plain, revive));
        if (!misreadsJson()) expect(outcomeOf(parse, escaped, revive)).toEqual(outcomeOf(JSON.parse, escaped, revive));
      }),
    );
  });

  it('lets a reviver take members and elements away, and change those that come', () => {
    const text = '{"\\n":1,"a":[1,2,3],"b":{"__proto__":1}}';
    const dropped = parse(text, (key, value) => (value === 2 || key === '\n' ? undefined : value));
    expect(dropped).toStrictEqual({ a: Object.assign([1], { 2: 3 }), b: Object.fromEntries([['__proto__', 1]]) });
    const changed = parse(text, function (this: Record<string, unknown>, key, value) {
      if (key === '\n') this.b = 'new';
      return value;
    });
    expect(changed.b).toBe('new');
    expect(() => parse(`{"\\n":`, () => 1)).toThrow(SyntaxError);
  });

  test.each([[null], [12], [true], [{ toString: () => '{"\\n":1}' }], [['[1]']], [Buffer.from('{"\\n":[]}')]])(
    'reads what is no text as its text: %j',
    (given) => {
      expect(parse(given as string)).toEqual(JSON.parse(String(given)));
    },
  );

  test.each([[undefined], [{}], [''], [Object.create(null)], [Symbol('a')], [10n ** 3n]])(
    'refuses the same: %o',
    (given) => {
      const refusal = (read: (text: string) => unknown) => {
        try {
          return read(given as string);
        } catch (error) {
          return (error as Error).constructor;
        }
      };
      expect(refusal(parse)).toBe(refusal(JSON.parse));
    },
  );

  it('takes what is no function for no reviver', () => {
    expect(parse('{"\\n":1}', 5 as never)).toEqual({ '\n': 1 });
    expect(parse('{"a":1}', {} as never)).toEqual({ a: 1 });
  });
});
