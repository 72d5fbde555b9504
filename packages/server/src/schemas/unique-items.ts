import { _, type CodeKeywordDefinition, type KeywordCxt, str } from 'ajv';
import type { Meter } from './meter.js';

/**
 * `uniqueItems` in time linear in the array: the validator's own compares each item with each other. The pair it reports
 * and the wording are the same.
 */
export function uniqueItemsKeyword(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    before: 'additionalItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(cxt: KeywordCxt) {
      if (cxt.schema !== true) return;
      const find = cxt.gen.scopeValue('func', { ref: (items: unknown[]) => lastPair(items, meter) });
      const pair = cxt.gen.const('pair', _`${find}(${cxt.data})`);
      cxt.setParams({ i: _`${pair}[0]`, j: _`${pair}[1]` });
      cxt.fail(_`${pair} !== undefined`);
    },
  };
}

/** The last item that equals an earlier one, and the last of those; undefined when all differ. */
function lastPair(items: readonly unknown[], meter: Meter): [number, number] | undefined {
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
function identity(value: unknown, meter: Meter): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    meter.spend(4 + (text.length >> 4));
    return text;
  }
  meter.spend(4);
  if (Array.isArray(value)) return `[${value.map((item) => identity(item, meter)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${identity(name, meter)}:${identity(member, meter)}`).join()}}`;
}
