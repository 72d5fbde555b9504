import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const TABLE = 'document.querySelector(".table")';

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

  it('go on from the end of a page, whatever is dropped or changed meanwhile, and the address keeps the place', async () => {
    const client = await newLedger(running.current.url);
    const handles = Array.from({ length: 100 }, (_, at) => `wallet-${at}`);
    for (const handle of handles) await client.create('/wallets', { handle });
    const { body: all } = await client.get('/wallets?page.limit=100');
    const order: string[] = all.data.map(({ data }: { data: { handle: string } }) => data.handle);
    const page = await browser.page();
    await page.goto(address(client, '/wallet'));
    expect(await rowsOf(page, '50 records')).toEqual(order.slice(0, 50));
    const drop = async (handle: string) =>
      client.drop(`/wallets/${handle}`, (await client.get(`/wallets/${handle}`)).body);
    // One of the first page is dropped, and the last of it and one of the next page change: they move to the front.
    expect((await drop('wallet-70')).status).toBeLessThan(300);
    for (const handle of ['wallet-50', 'wallet-20']) {
      const { body } = await client.get(`/wallets/${handle}`);
      await client.update(`/wallets/${handle}`, body, { handle, custom: { tier: 'gold' } });
    }
    await page.evaluate(`${TABLE}.scrollTop = 1e6`);
    await page.getByRole('button', { name: 'Next' }).click();
    await sees(page, '49 records, each checked here');
    expect(await page.evaluate(`${TABLE}.scrollTop`), 'a page begins at its first row').toBe(0);
    const second = await rowsOf(page, '49 records');
    expect(second).toEqual(order.slice(50).filter((handle) => handle !== 'wallet-20'));
    await sees(page, 'Page 2');
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    const given = page.url();
    await page.reload();
    expect(await rowsOf(page, '49 records')).toEqual(second);
    await page.getByRole('button', { name: 'Previous' }).click();
    await sees(page, 'Page 1');
    expect((await rowsOf(page, '50 records')).slice(0, 2)).toEqual(['wallet-20', 'wallet-50']);
    await page.goBack();
    expect(await rowsOf(page, '49 records')).toEqual(second);
    // Whoever is given the address sees the same, and a way to the beginning.
    const other = await browser.page();
    await other.goto(given);
    expect(await rowsOf(other, '49 records')).toEqual(second);
    await other.getByRole('button', { name: 'First page' }).click();
    await sees(other, 'Page 1');
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

/** The names of all rows in order, of which only those in sight are drawn. */
const NAMES = `(async () => {
  const found = new Map();
  for (let top = 0; top <= ${TABLE}.scrollHeight; top += 400) {
    ${TABLE}.scrollTop = top;
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    for (const row of ${TABLE}.querySelectorAll('tbody tr[aria-rowindex]'))
      found.set(Number(row.ariaRowIndex), row.querySelector('a').textContent);
  }
  ${TABLE}.scrollTop = 0;
  return [...found].sort(([one], [other]) => one - other).map(([, name]) => name);
})()`;

/** The names that a list shows, once it says how many there are. */
async function rowsOf(page: Page, count: string): Promise<string[]> {
  await sees(page, `${count}, each checked here`);
  return page.evaluate<string[]>(NAMES);
}

function address(client: TestClient, path: string): string {
  return `${consoleOf(running.current.url)}#/l/${client.ledger}${path}`;
}
