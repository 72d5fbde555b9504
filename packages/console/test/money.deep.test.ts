import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { withBridges } from '../../server/test/money/bridge.js';
import { bridgedScene } from '../../server/test/money/bridge-scene.js';
import { destroy, type MoneyScene, transfer } from '../../server/test/money/scene.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { violations } from './support/axe.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [], deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const browser = withBrowser();
const looks = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 390 } } as const;

describe.skipIf(lacksChromium)('money in the console, in Chromium', () => {
  it('shows a completed intent as a picture of wallets and steps, each proof checked', async () => {
    const money = await scene();
    const page = await open(money, '/money');
    await sees(page, 'Flows between wallets');
    const handle = await money.intend([transfer('tel:1@alice', 'bob', 2_50)]);
    await money.ends(handle, 'completed');
    await go(page, money, `/intent/${handle}`);
    await page.getByRole('link', { name: 'Its picture' }).click();
    await sees(page, 'together they are a trail that the interface allows');
    await sees(page, 'Completed: it waits for nothing.');
    await sees(page, 'claimed as tel:1@alice');
    await sees(page, '2.50');
    expect(await page.locator('.trail-head > strong').allTextContents()).toEqual(
      'accepted, wallets found, debits reserved, prepared, committed, balances changed, completed'.split(', '),
    );
    expect(browser.faults).toEqual([]);
  });

  it('shows the bridges that an intent waits for, its reports, and the thread that it begins', async () => {
    const money = await scene();
    bridges.bank.report = () => undefined;
    const handle = await money.intend([transfer('alice', 'fwd', 300)]);
    const page = await open(money, `/money/intent/${handle}`);
    await sees(page, 'It waits for the other intents of its thread.');
    await sees(page, 'Its thread');
    expect(await violations(page)).toEqual([]);
    await shots(page, 'intent-waits');
    await page
      .locator('.thread a')
      .filter({ hasText: /^\w{17}$/ })
      .click();
    await sees(page, 'It waits for bridges to prepare its credits.');
    await sees(page, 'No report yet of bank');
    await sees(page, 'It expires at');
    bridges.bank.reset();
  });

  it('shows an intent as not holding whose answer lacks steps, though each proof that is left holds', async () => {
    const money = await scene();
    const handle = await money.done([transfer('alice', 'bob', 1)]);
    const page = await browser.page();
    await page.route(`**/v2/intents/${handle}`, async (route) => {
      const answer = await route.fetch();
      const intent = await answer.json();
      intent.meta.proofs = intent.meta.proofs.filter(({ custom }: { custom: { detail?: string } }) => {
        return custom.detail !== 'cleared';
      });
      await route.fulfill({ response: answer, json: intent });
    });
    await go(page, money, `/money/intent/${handle}`);
    await sees(page, 'This intent does not hold');
    await sees(page, 'It is completed after it was committed.');
  });

  it("adds up a wallet's movements to its balance, and says what it could not find", async () => {
    const money = await scene();
    for (const amount of [100, 250, 30]) await money.done([transfer('alice', 'bob', amount)]);
    await money.done([destroy('alice', 20)]);
    const page = await open(money, '/money/wallet/alice');
    await sees(page, 'The movements add up to the balance: checked here.');
    expect(await page.locator('.holding strong').allTextContents()).toEqual(['6.00']);
    expect(await page.locator('tbody .less').allTextContents()).toEqual(['-0.20', '-0.30', '-2.50', '-1.00']);
    const then = await page.locator('tbody td:last-child').allTextContents();
    expect(then).toEqual(['6.00', '6.00', '6.20', '6.20', '6.50', '6.50', '9.00', '9.00', '10.00']);
    expect(await violations(page)).toEqual([]);
    await shots(page, 'wallet');
    await money.done([transfer('sub@alice', 'bob', 7)]);
    await page.reload();
    await sees(page, 'The movements found leave -0.07 usd unexplained');
    await page.getByRole('button', { name: 'Search for addresses below it' }).click();
    await sees(page, 'The movements add up to the balance: checked here.');
  });

  it('draws the flows of a symbol with exact amounts, however large', async () => {
    const money = await scene();
    await money.add(['a', 'b', 'c']);
    for (const wallet of ['a', 'b', 'c']) await money.issue(wallet, 9_007_199_254_740_991);
    await money.done([transfer('a', 'alice', 5), transfer('b', 'alice', 2)]);
    // The page begins with what moved, not with the newest symbol.
    await money.client.create('/symbols', { handle: 'unused', factor: 1 });
    const page = await open(money, '/money');
    await sees(page, '270,215,977,642,269.80 usd moved in all.');
    expect(await page.getByRole('cell', { name: '90,071,992,547,409.91' }).count()).toBe(3);
    expect(await page.locator('.flows .band').count()).toBe(9);
    expect(await violations(page)).toEqual([]);
    await shots(page, 'flows');
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await sees(page, 'No completed intent moved it in this period.');
    expect(page.url()).toContain('until=2020-01-01');
    expect(browser.faults).toEqual([]);
  });
});

function scene(): Promise<MoneyScene> {
  return bridgedScene(running.current.url, bridges);
}

async function open(money: MoneyScene, path: string): Promise<Page> {
  const page = await browser.page();
  await go(page, money, path);
  return page;
}

async function go(page: Page, { client }: MoneyScene, path: string): Promise<void> {
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}${path}`);
}

/** With `SHOTS=folder`: the page in light, dark and narrow. */
async function shots(page: Page, name: string): Promise<void> {
  if (!process.env.SHOTS) return;
  for (const [look, options] of Object.entries(looks)) {
    const { width } = options;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: 'theme' in options ? options.theme : 'light' });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${look}.png`, fullPage: true });
  }
}
