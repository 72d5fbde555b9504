import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { withOwnServer } from '../../server/test/support/server.js';
import { agree, goTo, sign } from './support/begin.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)('the first steps, in Chromium', () => {
  it('lead from nothing to a verified transfer, by the keyboard, over a reload', { timeout: 120_000 }, async () => {
    const page = await browser.page();
    await page.goto(consoleOf(running.current.url));
    await goTo(page, 'Make a ledger');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await shot(page, 'begin-key');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the ledger').waitFor();
    await page.reload();
    await page.getByLabel('Name of the ledger').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Sign this?').waitFor();
    await shot(page, 'begin-sign');
    const dialog = page.getByRole('dialog');
    const signed = await dialog.getByLabel('Data, as canonical JSON').textContent();
    expect(signed).toContain('"handle":"acme"');
    const [hash, digest] = await dialog.locator('.hash code').allTextContents();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    await page.keyboard.press('Enter');
    expect(await dialog.isVisible(), 'a second Enter signs nothing').toBe(true);
    await agree(page);
    for (const label of ['Symbol', 'First wallet', 'Second wallet']) {
      await page.getByLabel(label).waitFor();
      await sign(page);
    }
    await page.getByLabel('How much usd to issue to ada').waitFor();
    await page.reload();
    await page.getByLabel('How much usd to issue to ada').waitFor();
    await shot(page, 'begin-issue');
    await sign(page);
    await page.getByLabel('How much usd to move from ada to ben').waitFor();
    await sign(page);
    await sees(page, 'Your transfer is done, and verified here');
    await sees(page, '75.00 usd');
    await sees(page, /Transferred.*Done, and checked here/);
    await shot(page, 'begin-done');
    expect(browser.faults).toEqual([]);
  });
});

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}
