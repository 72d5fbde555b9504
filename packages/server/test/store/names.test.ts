import { expect, it } from 'vitest';
import { createNames } from '../../src/store/queries/names.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';

const { count, seen, among, characters } = queryLimits.plans;

function often(nameOf: (text: string) => string | undefined, text: string, times: number = seen) {
  return Array.from({ length: times }, () => nameOf(text)).at(-1);
}

it('names a statement once it was seen often, and always by the same name', () => {
  const nameOf = createNames();
  expect(often(nameOf, 'select 1', seen - 1)).toBeUndefined();
  const name = nameOf('select 1');
  expect(name).toMatch(/^list-[0-9a-f]{16}$/);
  expect([nameOf('select 1'), often(createNames(), 'select 1'), nameOf('select 2')]).toEqual([name, name, undefined]);
});

it('forgets how often it saw a statement when it has seen many others since', () => {
  const nameOf = createNames();
  often(nameOf, 'select 1', seen - 1);
  for (let other = 0; other < among; other += 1) nameOf(`select ${other} + 1`);
  expect(nameOf('select 1')).toBeUndefined();
});

it('names no more than so many statements, and none that is long', () => {
  const nameOf = createNames();
  expect(often(nameOf, 'x'.repeat(characters + 1))).toBeUndefined();
  expect(often(nameOf, 'x'.repeat(characters))).toBeDefined();
  for (let other = 1; other < count; other += 1) expect(often(nameOf, `select ${other}`)).toBeDefined();
  expect(often(nameOf, 'select 0')).toBeUndefined();
  expect(nameOf('select 1')).toBeDefined();
});
