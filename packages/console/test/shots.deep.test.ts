import { describe, it } from 'vitest';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, withBrowser } from './support/chromium.js';

const folder = process.env.SHOTS;
const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

/** `SHOTS=folder npm run test:deep -- packages/console/test/shots` draws every page, in light, dark and narrow, to be looked at. */
describe.skipIf(lacksChromium || folder === undefined)('pictures of the console', () => {
  it('are drawn of every page', async () => {
    const client = await newLedger(running.current.url);
    for (let at = 0; at < 30; at++)
      await client.create('/wallets', { handle: `wallet-${at}`, custom: { tier: 'gold' } });
    await client.create('/signers', { handle: 'anna', public: client.key.public, format: 'ed25519-raw' });
    const { body } = await client.get('/wallets/wallet-7');
    await client.update('/wallets/wallet-7', body, { handle: 'wallet-7', custom: { tier: 'iron', more: true } });
    const base = `${consoleOf(running.current.url)}#`;
    const pages: Record<string, string> = {
      start: '/',
      overview: `/l/${client.ledger}`,
      browse: `/l/${client.ledger}/wallet?filter=meta.status=created`,
      record: `/l/${client.ledger}/signer/anna`,
      wallet: `/l/${client.ledger}/wallet/wallet-7`,
      check: '/check',
      missing: `/l/${client.ledger}/signer/nobody`,
    };
    const looks = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 390 } } as const;
    for (const [look, options] of Object.entries(looks)) {
      const page = await browser.page(options);
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(base + address);
        await page.locator('main :is(h1, .notice-title)').first().waitFor();
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
      }
      if (look === 'light') {
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('New key').click();
        await page.screenshot({ path: `${folder}/sign-in-${look}.png` });
      }
    }
  });
});
