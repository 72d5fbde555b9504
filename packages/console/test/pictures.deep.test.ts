import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, type PageOptions, settled, withBrowser } from './support/chromium.js';
import { DemonstrationClock, demonstration } from './support/demonstration.js';

const folder = process.env.PICTURES;
const clock = new DemonstrationClock();
const running = withOwnServer({ consoleServers: [], runtime: clock.runtime });
const browser = withBrowser();

/** What the documentation shows: the page, how it is looked at, and what is cut off below. */
const PICTURES: Readonly<Record<string, PageOptions & { readonly path: string }>> = {
  'console-overview': { path: '', height: 900 },
  'console-record': { path: '/wallet/ada', height: 900 },
  'console-intent': { path: '/money/intent/i-9', theme: 'dark', height: 900 },
  'console-wallet': { path: '/money/wallet/shop', height: 900 },
  'console-access': { path: '/access', theme: 'dark', height: 900 },
  'console-narrow': { path: '/wallet/ada', width: 390, height: 844 },
  'console-narrow-dark': { path: '/money?symbol=usd', width: 390, height: 844, theme: 'dark' },
};

/** `npm run pictures` draws what README and documentation show of the console, from a demonstration ledger. */
describe.skipIf(lacksChromium || folder === undefined)('pictures for the documentation', () => {
  it('are drawn', { timeout: 240_000 }, async () => {
    const { ledger } = await demonstration(running.current.url, clock);
    const base = `${consoleOf(running.current.url)}#/l/${ledger}`;
    const first = await browser.page();
    await first.goto(base);
    await first.getByRole('button', { name: 'Understood' }).click();
    for (const [name, { path, ...look }] of Object.entries(PICTURES)) {
      const page = await browser.page(look);
      await page.goto(base + path);
      await settled(page);
      writeFileSync(join(folder as string, `${name}.webp`), await drawn(page));
      await page.close();
    }
  });
});

/** What is in sight, as WebP: a third of the size of a PNG. */
async function drawn(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  return Buffer.from(data, 'base64');
}
