import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { newKey, OPEN, TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, withBrowser } from './support/chromium.js';
import { pagesOf } from './support/pages.js';

const folder = process.env.SHOTS;
const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const LOOKS = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 390 } } as const;

/** `SHOTS=folder npm run test:deep -- packages/console/test/shots` draws every page, in light, dark and narrow, to be looked at. */
describe.skipIf(lacksChromium || folder === undefined)('pictures of the console', () => {
  it.each(Object.entries(LOOKS))('are drawn of every page: %s', { timeout: 600_000 }, async (look, options) => {
    const { client } = await everyKind(running.current.url);
    const page = await browser.page(options);
    for (const [name, path] of Object.entries(pagesOf(client.ledger ?? ''))) {
      await draw(page, path, `${name.replace(' ', '-')}-${look}`);
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.screenshot({ path: `${folder}/sign-in-${look}.png` });
  });

  it('are drawn for the front page of the documentation', async () => {
    const key = newKey();
    const client = new TestClient(running.current.url, key, 'acme');
    await client.in(undefined).create('/ledgers', { handle: 'acme', signer: 'system', access: OPEN });
    await client.create('/signers', { handle: 'owner', public: key.public, format: 'ed25519-raw' });
    const { body } = await client.create('/wallets', { handle: 'ada', custom: { tier: 'silver' } });
    await client.update('/wallets/ada', body, { handle: 'ada', custom: { tier: 'gold' } });
    const page = await browser.page({ width: 1100, height: 1000 });
    await page.goto(`${consoleOf(running.current.url)}#/l/acme`);
    await page.getByRole('button', { name: 'Understood' }).click();
    await page.evaluate(`location.hash = '#/l/acme/wallet/ada'`);
    await page.getByText(/Leaf \d+ of the log’s/).waitFor();
    await page.screenshot({ path: `${folder}/console.png` });
  });
});

async function draw(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${consoleOf(running.current.url)}#${path}`);
  await page.locator('main :is(h1, .notice-title)').first().waitFor();
  await page.locator('.skeleton').waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
