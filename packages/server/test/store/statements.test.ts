import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/store', import.meta.url));

/** Tables whose rows belong to one ledger each. */
const TENANTS =
  /\b(?:from|join|into|update|using)\s+(?:change|record|secret|used_proof|taken_key|delivery|delivery_retry)\b/;

/** Every literal in the source of the store that is a statement on such a table, or a part of one. */
async function statements(): Promise<{ file: string; text: string }[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts'));
  const found = await Promise.all(
    files.map(async (file) => {
      const source = (await readFile(join(folder, file), 'utf8')).replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, '');
      const literals = source.match(/`[^`]*`|'[^'\n]*'/g) ?? [];
      return literals.filter((text) => TENANTS.test(text)).map((text) => ({ file, text }));
    }),
  );
  return found.flat();
}

/** Parts whose condition on the ledger is put in by the code around them. */
const COMPOSED: Record<string, RegExp> = { 'queries/list.ts': /from record r\s+where \$\{sql\.join\(where/ };

/** Statements that are about all ledgers. */
const OVERALL: Record<string, RegExp> = {
  // What operators are told of the outbox: how many deliveries wait in the deployment, and for how long.
  'outbox/deliveries.ts': /^`select count\(\*\)::int as count, min\(due\) as oldest[\s,]/,
};

it('every statement on records, changes and secrets names the ledger they belong to', async () => {
  const all = await statements();
  expect(new Set(all.map(({ file }) => file)).size).toBeGreaterThanOrEqual(7);
  for (const { file, text } of all) {
    if (COMPOSED[file]?.test(text) || OVERALL[file]?.test(text)) continue;
    // One mention for each time such a table is reached, by a condition, a join or a key.
    const reached = text.match(new RegExp(TENANTS, 'g'))?.length ?? 0;
    const named = text.match(/\bledger_id\b/g)?.length ?? 0;
    expect(named, `${file}: ${text}`).toBeGreaterThanOrEqual(reached);
  }
});
