import { _, type CodeKeywordDefinition, type KeywordCxt, str } from 'ajv';
import type { Meter } from './meter.js';

/**
 * The keywords that compare JSON values, each replacing the validator's own, whose comparison fails on members named
 * `valueOf`, `toString` or `constructor`, and whose `uniqueItems` compares each item with each other. Errors are worded
 * the same.
 *
 * @param allowed keeps what `const` and `enum` allow
 */
export function equalityKeywords(meter: Meter, allowed: AllowedValues): CodeKeywordDefinition[] {
  return [constKeyword(meter, allowed), enumKeyword(meter, allowed), uniqueItemsKeyword(meter)];
}

/** Bytes that an allowed value takes beside its characters. */
const ALLOWED_VALUE_BYTES = 80;

/** The values that the keywords of one schema allow, each list once, wherever references repeat it. */
export class AllowedValues {
  readonly #known = new Map<unknown, ReadonlySet<string>>();
  #bytes = 0;

  /** About how many bytes they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The identities of `values`, which are the value of the keyword or its only element. */
  take(keyword: unknown, values: readonly unknown[]): ReadonlySet<string> {
    const known = this.#known.get(keyword);
    if (known !== undefined) return known;
    const made = new Set(values.map((value) => identity(value)));
    for (const one of made) this.#bytes += ALLOWED_VALUE_BYTES + one.length;
    this.#known.set(keyword, made);
    return made;
  }
}

function constKeyword(meter: Meter, allowed: AllowedValues): CodeKeywordDefinition {
  return {
    keyword: 'const',
    before: 'not',
    error: { message: 'must be equal to constant', params: ({ params: { value } }) => _`{allowedValue: ${value}}` },
    code(cxt) {
      // By reference: as a literal, a long text would be written out wherever a reference repeats it.
      cxt.setParams({ value: cxt.gen.scopeValue('schema', { ref: cxt.schema }) });
      failUnless(cxt, allowed.take(cxt.schema, [cxt.schema]), meter);
    },
  };
}

function enumKeyword(meter: Meter, allowed: AllowedValues): CodeKeywordDefinition {
  return {
    keyword: 'enum',
    before: 'not',
    schemaType: 'array',
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
    code: (cxt) => failUnless(cxt, allowed.take(cxt.schema, cxt.schema as unknown[]), meter),
  };
}

function failUnless(cxt: KeywordCxt, allowed: ReadonlySet<string>, meter: Meter): void {
  const includes = (data: unknown): boolean => allowed.has(identity(data, meter));
  cxt.fail(_`!${cxt.gen.scopeValue('func', { ref: includes, key: allowed })}(${cxt.data})`);
}

/** `uniqueItems`, in time linear in the items; `meter` is charged for them. */
export function uniqueItemsKeyword(meter?: Meter): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    before: 'additionalItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(cxt) {
      if (cxt.schema !== true) return;
      const find = cxt.gen.scopeValue('func', { ref: (items: unknown[]) => lastPair(items, meter), key: lastPair });
      const pair = cxt.gen.const('pair', _`${find}(${cxt.data})`);
      cxt.setParams({ i: _`${pair}[0]`, j: _`${pair}[1]` });
      cxt.fail(_`${pair} !== undefined`);
    },
  };
}

/** The last item that equals an earlier one, and the last of those; undefined when all differ. */
function lastPair(items: readonly unknown[], meter?: Meter): [number, number] | undefined {
  let pair: [number, number] | undefined;
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const key = identity(item, meter);
    const earlier = seen.get(key);
    if (earlier !== undefined) pair = [index, earlier];
    seen.set(key, index);
  });
  return pair;
}

/** A text that two JSON values share when they are equal, whatever the order of members. */
function identity(value: unknown, meter?: Meter): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    meter?.spend(4 + (text.length >> 4));
    return text;
  }
  meter?.spend(4);
  if (Array.isArray(value)) return `[${value.map((item) => identity(item, meter)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${identity(name, meter)}:${identity(member, meter)}`).join()}}`;
}
