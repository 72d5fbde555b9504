import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [], deliveryAllowPrivate: true });
const browser = withBrowser();

/** A receiver that refuses, until it is told to take. */
const receiver = createServer((_, response) => response.writeHead(takes ? 204 : 400).end());
let takes = false;
afterAll(() => void receiver.close());

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
  });

  it('shows what an effect sent and what came of it, and has it sent again', async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
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
    takes = true;
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
