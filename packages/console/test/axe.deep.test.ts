import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, withBrowser } from './support/chromium.js';
import { pagesOf } from './support/pages.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)('every page', () => {
  it.each(['light', 'dark'] as const)('has nothing that axe finds wrong: %s', { timeout: 600_000 }, async (theme) => {
    const { client } = await everyKind(running.current.url);
    const page = await browser.page({ theme });
    for (const [name, path] of Object.entries(pagesOf(client.ledger ?? ''))) {
      // What the page before has shown must not be taken for this one's.
      await page.goto('about:blank');
      await page.goto(`${consoleOf(running.current.url)}#${path}`);
      await page.locator('main :is(h1, .notice-title)').first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.locator('.skeleton').waitFor({ state: 'detached' });
      await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true');
      expect(await violations(page), name).toEqual([]);
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await violations(page), 'sign in').toEqual([]);
    expect(browser.faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });
});

/** What axe finds, in a line each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<axe.AxeResults>('axe.run()');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
