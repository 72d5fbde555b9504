import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { violations } from './support/axe.js';
import { consoleOf, lacksChromium, sees, settled, withBrowser } from './support/chromium.js';
import { focus, focused, isSeen, stopsOf, tabTo } from './support/keyboard.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)('records, in Chromium, with the keyboard alone', { timeout: 300_000 }, () => {
  it('are found, filtered, gone through page by page, and read to the last of their steps', async () => {
    const client = await newLedger(running.current.url);
    for (let at = 0; at < 120; at++) {
      await client.create('/wallets', { handle: `wallet-${at}`, custom: { tier: at % 2 ? 'gold' : 'iron' } });
    }
    const page = await browser.page({ height: 700 });
    const keys = page.keyboard;
    await page.goto(consoleOf(running.current.url));
    await tabTo(page, 'input Ledger');
    await keys.type(client.ledger ?? '');
    await keys.press('Enter');
    await sees(page, 'First visit');
    await tabTo(page, 'a Wallets');
    await keys.press('Enter');
    await sees(page, '50 records, each checked here');
    expect(await focused(page)).toMatch(/^main /);
    expect(await titleOf(page)).toBe(`Wallets · ${client.ledger} · Countersign`);

    // A filter, typed, and taken away.
    await tabTo(page, 'input Filter');
    await keys.type('data.handle=wallet-7');
    await keys.press('Enter');
    await sees(page, '1 record, each');
    await tabTo(page, 'button Remove the filter \u2068data.handle=wallet-7\u2069', 'Shift+Tab');
    await keys.press('Enter');
    await sees(page, '50 records, each');
    // One that is built.
    await tabTo(page, 'summary Build a filter');
    await keys.press('Enter');
    await tabTo(page, 'select Member');
    await keys.type('data.custom');
    await tabTo(page, 'input Name inside custom');
    await keys.type('tier');
    await tabTo(page, 'input Value');
    await keys.type('gold');
    await keys.press('Enter');
    // As many as without it, which stay in sight meanwhile.
    await page.getByRole('button', { name: 'Remove the filter \u2068data.custom.tier=gold\u2069' }).waitFor();
    await page.locator('.list-page[aria-busy="false"]').waitFor();
    expect(page.url()).toContain('filter=data.custom.tier%3Dgold');
    // A column more; the menu closes when the focus leaves it.
    await tabTo(page, 'summary Columns');
    await keys.press('Enter');
    await tabTo(page, 'input luid');
    await keys.press('Space');
    await page.getByRole('columnheader', { name: 'luid' }).waitFor();
    await tabTo(page, 'summary Save what is shown');
    expect(await page.locator('details.menu[open]').count()).toBe(0);
    await keys.press('Enter');
    await tabTo(page, 'button as CSV, these columns');
    const [csv] = await Promise.all([page.waitForEvent('download'), keys.press('Enter')]);
    expect(csv.suggestedFilename()).toBe('Wallets.csv');

    // Rows: one stop of Tab for all, and arrow keys within.
    await tabTo(page, 'div Wallet');
    await sees(page, '↑ and ↓ go from row to row');
    await keys.press('Tab');
    const names = Array.from({ length: 60 }, (_, at) => `wallet-${119 - 2 * at}`);
    expect(await focused(page)).toBe(`a ${names[0]}`);
    for (const [key, at] of [
      ['ArrowDown', 1],
      ['ArrowDown', 2],
      ['ArrowUp', 1],
      ['End', 49],
      ['PageUp', 39],
      ['Home', 0],
      ['ArrowUp', 0],
    ] as const) {
      await keys.press(key);
      await focus(page, `a ${names[at]}`);
      expect(await isSeen(page), `${key}: the row is in sight`).toBe(true);
    }
    await keys.press('Tab');
    expect(await focused(page)).toBe('button Next');
    await keys.press('Enter');
    await sees(page, '10 records, each');
    await focus(page, 'div Wallet');
    await keys.press('Tab');
    expect(await focused(page)).toBe(`a ${names[50]}`);
    await keys.press('End');
    await focus(page, `a ${names[59]}`);
    expect(await violations(page)).toEqual([]);
    await keys.press('Enter');

    // The record.
    await page.getByRole('heading', { name: /^wallet-1 / }).waitFor();
    await sees(page, /Leaf \d+ of the log’s/);
    await settled(page);
    expect(await focused(page)).toMatch(/^main /);
    expect(await titleOf(page)).toMatch(/^\$wlt\..{17} · Wallets · ledger-/);
    const stops = await stopsOf(page);
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
    for (const wanted of ['summary How this was checked', 'summary In the log', 'a Version 1', 'a Wallets', 'a Change'])
      expect(stops.map(({ name }) => name)).toContain(wanted);
    await tabTo(page, 'summary How this was checked');
    await keys.press('Enter');
    await sees(page, '{"custom":{"tier":"gold"},"handle":"wallet-1"}');
    await tabTo(page, 'button Members');
    await keys.press('ArrowRight');
    expect(await focused(page)).toBe('button JSON');
    await sees(page, '"luid"');
    await tabTo(page, 'summary The signature of this key holds: checked here.');
    await keys.press('Enter');
    await sees(page, 'Digest');
    await tabTo(page, 'summary In the log');
    await keys.press('Enter');
    await sees(page, 'Commitment');
    await page.goBack();
    await sees(page, '10 records, each');
    await sees(page, 'Page 2');
    await tabTo(page, 'button Previous');
    await keys.press('Enter');
    await sees(page, 'Page 1');
    expect(browser.faults).toEqual([]);
  });
});

/** The name of the window, without the marks that keep the names in it apart. */
async function titleOf(page: Page): Promise<string> {
  return (await page.title()).replaceAll(/[\u2068\u2069]/g, '');
}
