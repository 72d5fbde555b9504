import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose verdict depends on the colours of a theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe is asked: all its rules, those of colours, or the others. */
export type Asked = 'all' | 'colours' | 'others';

const OPTIONS: Readonly<Record<Asked, object>> = {
  all: {},
  colours: { runOnly: OF_COLOURS },
  others: { rules: Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])) },
};

/** What axe has against a page: rules, and where they are broken. */
export async function violations(page: Page, asked: Asked = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...OPTIONS[asked] });
  return page.evaluate<string[]>(`axe.run(${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + '\\n' + failureSummary)))`);
}
