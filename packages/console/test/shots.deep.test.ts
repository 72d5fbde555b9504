import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, visit, withBrowser } from './support/chromium.js';
import { pagesOf } from './support/pages.js';

const folder = process.env.SHOTS;
const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const LOOKS = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 360 } } as const;

/** `SHOTS=folder npm run test:deep -- packages/console/test/shots` draws every page, in light, dark and narrow, to be looked at. */
describe.skipIf(lacksChromium || folder === undefined)('pictures of the console', () => {
  it.each(Object.entries(LOOKS))('are drawn of every page: %s', { timeout: 600_000 }, async (look, options) => {
    const { client } = await everyKind(running.current.url);
    const page = await browser.page(options);
    for (const [name, path] of Object.entries(pagesOf(client.ledger ?? ''))) {
      await draw(page, path, `${name.replaceAll(' ', '-')}-${look}`);
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.screenshot({ path: `${folder}/sign-in-${look}.png` });
  });
});

async function draw(page: Page, path: string, name: string): Promise<void> {
  await visit(page, `${consoleOf(running.current.url)}#${path}`);
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
