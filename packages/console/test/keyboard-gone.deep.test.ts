import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { issue, MoneyScene } from '../../server/test/money/scene.js';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, settled, visit, withBrowser } from './support/chromium.js';
import { agree, focus, focused, makeKey, pressOn, tabTo } from './support/keyboard.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

describe.skipIf(lacksChromium)(
  'buttons that are gone once they are pressed, in Chromium, with the keyboard alone',
  () => {
    it('say that the key of the ledger was read, and that another one is taken for it', async () => {
      const client = await newLedger(running.current.url);
      const page = await open(client, '/wallet');
      await pressOn(page, 'button Understood');
      await focus(page, /^main /);
      // As if this browser had seen another key before.
      await page.evaluate(`for (const name of Object.keys(localStorage).filter((name) => name.startsWith('countersign.pin ')))
      localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name)), key: 'A'.repeat(43) + '=' }))`);
      await page.reload();
      await sees(page, 'This is not the ledger that this browser knows');
      await pressOn(page, 'button Forget what was seen, and open it anew');
      await sees(page, 'First visit');
      await settled(page);
      await focus(page, /^main /);
      expect(browser.faults).toEqual([]);
    });

    it('send a signed text again whose answer was lost', async () => {
      const client = await newLedger(running.current.url);
      const page = await open(client, '/do/create/wallet');
      await makeKey(page);
      await settled(page);
      await tabTo(page, /^input handle/);
      await page.keyboard.type('shop');
      const isCreate = (url: URL) => url.pathname === '/v2/wallets';
      await page.route(isCreate, async (route) => {
        // It is stored, and nobody is told.
        if (route.request().method() === 'POST') await route.fetch();
        await route.abort();
      });
      await page.keyboard.press('Enter');
      await agree(page, 'The change may already be stored');
      expect((await client.get('/wallets/shop')).status).toBe(200);
      await page.unroute(isCreate);
      await pressOn(page, 'button Send the same signed text again', 'Shift+Tab');
      await sees(page, 'Done, and checked here: 2 proofs hold.');
      await focus(page, /^section /);
      expect((await client.get('/wallets/shop/changes')).body.data).toHaveLength(1);
    });

    it('remove the keys that this browser keeps', async () => {
      const client = await newLedger(running.current.url);
      const page = await open(client, '');
      page.on('dialog', (dialog) => void dialog.accept());
      await makeKey(page);
      const kept = () => page.getByRole('dialog').getByRole('button', { name: 'Remove' }).count();
      await page.keyboard.press('Enter');
      await sees(page, 'Keys in this browser');
      // Those of other tests are there as well.
      for (let left = await kept(); left > 0; left -= 1) {
        await pressOn(page, 'button Remove');
        await expect.poll(kept).toBe(left - 1);
        await focus(page, left > 1 ? /^ul / : /^div /);
      }
      await tabTo(page, 'summary Key file');
      expect(await page.getByRole('dialog').isVisible()).toBe(true);
    });

    it('forget a ledger, and ask again for what was out of reach', async () => {
      const client = await newLedger(running.current.url);
      const page = await open(client, '');
      await client.create('/wallets', { handle: 'shop' });
      const isList = (url: URL) => url.pathname === '/v2/wallets';
      await page.route(isList, (route) => route.abort());
      await pressOn(page, 'a Wallets');
      await sees(page, 'The server does not answer');
      await page.unroute(isList);
      await pressOn(page, 'button Try again');
      await sees(page, '1 record, each checked here');
      expect(await focused(page)).not.toMatch(/^body /);
      await visit(page, consoleOf(running.current.url));
      const forget = page.getByRole('button', { name: 'Forget' });
      await forget.first().waitFor();
      for (let left = await forget.count(); left > 0; left -= 1) {
        await pressOn(page, 'button Forget');
        await expect.poll(() => forget.count()).toBe(left - 1);
        await focus(page, left > 1 ? /^ul / : /^div /);
      }
    });

    it('read more movements of a wallet', async () => {
      const money = await MoneyScene.make(running.current.url, ['ada']);
      // One more than are read at first.
      await Promise.all(Array.from({ length: 200 }, () => money.intend([issue('ada', 1)])));
      await money.issue('ada', 1);
      const page = await open(money.client, '/money/wallet/ada');
      await pressOn(page, 'button Read more');
      await focus(page, /^section Over time/);
      await sees(page, 'The movements add up to the balance: checked here.');
      expect(await page.getByRole('button', { name: 'Read more' }).count()).toBe(0);
    });
  },
);

async function open(client: TestClient, path: string): Promise<Page> {
  const page = await browser.page({ height: 700 });
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}${path}`);
  await sees(page, /^First visit/);
  await settled(page);
  return page;
}
