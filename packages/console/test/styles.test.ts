import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../src', import.meta.url));

/** Classes that a sheet gives a style by themselves: `.name {` or `.name,`. */
function classesOf(sheet: string): Set<string> {
  return new Set(
    [...readFileSync(`${sources}/${sheet}`, 'utf8').matchAll(/^\s*\.([\w-]+)(?=\s*[{,])/gm)].map(
      ([, name = '']) => name,
    ),
  );
}

// A sheet stays once its page was seen: a class of two would make a page look as those that were opened before it have it.
it('gives each class its style in one sheet', () => {
  const sheets = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
  expect(sheets.length).toBeGreaterThan(10);
  const owners = new Map<string, string>();
  for (const sheet of sheets) {
    for (const name of classesOf(sheet)) {
      expect(owners.get(name), `.${name} is in ${sheet} as well`).toBeUndefined();
      owners.set(name, sheet);
    }
  }
});
