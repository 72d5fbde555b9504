import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)('the console, in Chromium', () => {
  it('goes from its address to a record whose signatures it has checked', async () => {
    const client = await newLedger(running.current.url);
    for (const handle of ['alice', 'bob']) await client.create('/wallets', { handle, custom: { tier: 'gold' } });

    const page = await browser.page();
    await page.goto(consoleOf(running.current.url));
    await page.getByLabel('Ledger').fill(client.ledger ?? '');
    await page.getByRole('button', { name: 'Open' }).click();
    await sees(page, 'First visit');
    await page.getByRole('navigation', { name: 'Records' }).getByRole('link', { name: 'Wallets' }).click();
    await sees(page, '2 records, each checked here');
    await filter(page, 'data.handle=alice');
    await sees(page, '1 record, each checked here');
    expect(page.url()).toContain('filter=data.handle%3Dalice');
    await page.reload();
    await sees(page, '1 record, each checked here');
    await page.getByRole('link', { name: 'alice' }).click();
    await sees(page, 'Checked here: the data is unaltered, and the ledger has countersigned it.');
    await shot(page, 'record');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await sees(page, '"gold"');
    expect(browser.faults).toEqual([]);
  });

  it('loads with at most 250 KB', async () => {
    const client: TestClient = await newLedger(running.current.url);
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}`);
    await sees(page, 'First visit');
    const bytes = await page.evaluate<number>(`
      ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        .filter(({ name }) => name.includes('/console/'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(250_000);
  });
});

async function filter(page: Page, term: string): Promise<void> {
  await page.getByLabel('Filter').fill(term);
  await page.keyboard.press('Enter');
}

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}
