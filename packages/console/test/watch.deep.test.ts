import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MoneyScene, transfer } from '../../server/test/money/scene.js';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';
import { withReceiver } from './support/receiver.js';

const running = withOwnServer({ consoleServers: [], deliveryAllowPrivate: true });
const browser = withBrowser();

const receiver = withReceiver();

describe.skipIf(lacksChromium)('watching, in Chromium', () => {
  it('shows changes as they come', async () => {
    const client = await newLedger(running.current.url);
    await client.create('/wallets', { handle: 'before' });
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}/watch`);
    await sees(page, 'Nothing has changed since this page was opened.');
    await client.create('/wallets', { handle: 'after' });
    await sees(page, '1 change seen, each checked here');
    await page.getByRole('link', { name: 'after' }).waitFor();
    expect(await page.getByRole('link', { name: 'before' }).count()).toBe(0);
    await shot(page, 'watch');
    const { moment } = (await client.get('/wallets/after')).body.meta;
    await page.getByLabel('Appearance and time zone').click();
    await page.getByLabel('Times').selectOption('UTC');
    await page.getByLabel('Theme').selectOption('Dark');
    await sees(page, `${moment.slice(0, 19).replace('T', ' ')} UTC`);
    await page.reload();
    await sees(page, 'Nothing has changed since this page was opened.');
    expect(await page.locator('html').getAttribute('class')).toBe('dark');
    expect(await page.getByLabel('Times').inputValue()).toBe('utc');
  });

  it('begins with what the ledger holds, and what needs somebody', async () => {
    const money = await MoneyScene.make(running.current.url, ['ada', 'ben']);
    const { client } = money;
    const endpoint = receiver.url;
    await client.create('/effects', { handle: 'tell', signal: 'wallet-created', action: { endpoint } });
    await client.create('/policies', { handle: 'later', schema: 'access', record: 'wallet', values: [] });
    await money.add(['cara']);
    await money.issue('ada', 12_34);
    await money.rejected([transfer('ben', 'ada', 1_00)]);
    await money.ends(await money.intend([transfer('ada', 'ben', 2_00)], { config: { commit: 'manual' } }), 'prepared');
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}`);
    await sees(page, 'goes on from what this browser has seen: checked here');
    const card = (kind: string) => page.locator('.cards li', { hasText: kind }).locator('strong').textContent();
    const panel = (title: string) => page.getByRole('region', { name: title });
    // It is tried again ever more rarely: what is read may be an attempt that is under way.
    const deliveries = async () => {
      await page.reload();
      await panel('Deliveries by state').getByRole('listitem').first().waitFor();
      return panel('Deliveries by state').textContent();
    };
    await expect.poll(deliveries).toContain('failed');
    await expect.poll(async () => [await card('Wallets'), await card('Intents')]).toEqual(['3', '3']);
    for (const status of ['completed', 'rejected', 'prepared']) {
      expect(await panel('Intents by outcome').textContent()).toContain(status);
    }
    expect(await panel('Amounts by symbol').textContent()).toContain('12.34');
    expect(await panel('What needs somebody').getByRole('link').allTextContents()).toEqual([
      'Intents under way: 1',
      'Deliveries that failed: 1',
      'Policies that are not active: 1',
    ]);
    await page.getByRole('link', { name: 'Intents under way: 1' }).click();
    await sees(page, '1 record, each checked here');
  });

  it('shows what an effect sent and what came of it, and has it sent again', async () => {
    const endpoint = receiver.url;
    const client = await newLedger(running.current.url);
    await client.create('/effects', { handle: 'tell', signal: 'wallet-created', action: { endpoint } });
    await client.create('/wallets', { handle: 'shop' });
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}/effect/tell`);
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await sees(page, 'failed');
    await page.getByText('What was sent').click();
    await sees(page, '"wallet-created"');
    await page.getByText('What came of each attempt').click();
    await sees(page, '400');
    await shot(page, 'deliveries');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('New key').click();
    await page.getByLabel('Name').fill('browser');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('link', { name: 'Try it again' }).click();
    receiver.takes = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Sign and send' }).click();
    await sees(page, 'The ledger tries again.');
    await page.goBack();
    await sees(page, 'delivered');
  });
});

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}
