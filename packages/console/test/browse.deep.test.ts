import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)('lists of records, in Chromium', () => {
  it('are filtered by what is chosen, and saved as they are shown', async () => {
    const client = await newLedger(running.current.url);
    await client.create('/wallets', { handle: 'alice', custom: { tier: 'gold', note: '=1+1, "x"' } });
    await client.create('/wallets', { handle: 'bob', custom: { tier: 'iron' } });
    const page = await browser.page();
    await page.goto(address(client, '/wallet'));
    await sees(page, '2 records');
    await page.locator('summary', { hasText: 'Build a filter' }).click();
    await page.getByLabel('Member', { exact: true }).selectOption('data.custom.*');
    await page.getByLabel('Name inside custom').fill('tier');
    await page.getByLabel('Operator').selectOption('is one of');
    await page.getByLabel('Values, separated by commas').fill('gold,silver');
    await page.keyboard.press('Enter');
    await sees(page, '1 record, each');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByLabel('data.custom', { exact: true }).check();
    await page.keyboard.press('Escape');
    expect(new URL(page.url()).hash).toContain('columns=data.handle%2C');
    await page.locator('summary', { hasText: 'Save what is shown' }).click();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByText('as CSV').click()]);
    expect(await readFile(await csv.path(), 'utf8')).toMatch(
      /^handle,custom,.*\r\nalice,"\{""tier"":""gold"",""note"":""=1\+1, /,
    );
    const [json] = await Promise.all([page.waitForEvent('download'), page.getByText('as JSON').click()]);
    const { body } = await client.get('/wallets/alice');
    expect(JSON.parse(await readFile(await json.path(), 'utf8'))).toEqual([body]);
    await page.getByLabel('Filter', { exact: true }).fill('data.nothing=1');
    await page.keyboard.press('Enter');
    await sees(page, 'The list cannot be filtered by “data.nothing=1”');
    expect(browser.faults).toEqual([]);
  });

  it('draw only the rows in sight, however many there are', async () => {
    const client = await newLedger(running.current.url);
    const handles = Array.from({ length: 1100 }, (_, at) => `wallet-${at}`);
    for (let at = 0; at < handles.length; at += 50) {
      await Promise.all(handles.slice(at, at + 50).map((handle) => client.create('/wallets', { handle })));
    }
    const page = await browser.page();
    await page.goto(address(client, '/wallet?rows=10000'));
    await sees(page, '1,100 records, each checked here');
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    const table = page.getByRole('group', { name: 'Wallet' });
    await table.focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('tr[aria-rowindex="1101"]').count()).toBe(1);
    expect(await page.getByRole('row').count()).toBeLessThan(100);
  });

  it('and records are found by addresses with a $, as they are typed', async () => {
    const client = await newLedger(running.current.url);
    const { luid } = (await client.create('/wallets', { handle: 'alice' })).body;
    const page = await browser.page();
    await page.goto(address(client, `/wallet/${luid}`));
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    await page.evaluate(`location.hash = '#/l/${client.ledger}/wallet?filter=data.handle.$ne=alice'`);
    await sees(page, 'None match the filter.');
    await page.evaluate(`location.hash = '#/l/${client.ledger}/wallet/${luid}?change=1'`);
    await sees(page, 'An earlier version, as it was stored.');
    await page.goBack();
    await sees(page, 'None match the filter.');
  });

  it('and records are asked for while the ledger is, where its key is known, and shown after it', async () => {
    const client = await newLedger(running.current.url);
    await client.create('/wallets', { handle: 'alice' });
    const page = await browser.page();
    await page.goto(address(client, ''));
    await sees(page, 'First visit');
    for (const [path, asked] of [
      ['/wallet', '**/v2/wallets?*'],
      ['/wallet/alice', '**/v2/wallets/alice'],
    ] as const) {
      let goOn = () => {};
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await page.route('**/v2/ledger', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto('about:blank');
      const answered = page.waitForResponse(asked);
      await page.goto(address(client, path));
      await (await answered).finished();
      const shown = page.locator('main').getByText('alice').first();
      // Time for what was answered to be verified, and shown where nothing holds it back.
      await expect(shown.waitFor({ timeout: 500 })).rejects.toThrow(/Timeout/);
      goOn();
      await shown.waitFor();
      await page.unroute('**/v2/ledger');
    }
  });
});

function address(client: TestClient, path: string): string {
  return `${consoleOf(running.current.url)}#/l/${client.ledger}${path}`;
}
