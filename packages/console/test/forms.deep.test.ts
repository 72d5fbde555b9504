import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newLedger, OPEN, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const ACCOUNT = {
  type: 'object',
  required: ['custom'],
  properties: {
    custom: {
      type: 'object',
      required: ['account', 'tier'],
      properties: {
        account: { type: 'string', pattern: '^[A-Z]{2}\\d+$', description: 'Letters of the country, and digits.' },
        tier: { enum: ['gold', 'silver'] },
        limit: { type: 'integer', minimum: 0 },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  },
};

describe.skipIf(lacksChromium)('forms, in Chromium', () => {
  it("make a record by a user's schema, and show where the ledger finds it wrong", async () => {
    const { client, page } = await scene();
    const schema = { handle: 'account', record: 'wallet', format: 'json-schema', schema: ACCOUNT };
    expect((await client.create('/schemas', schema)).status).toBe(201);
    await open(page, client, 'wallet');
    await page.getByRole('link', { name: 'New wallet' }).click();
    await page.getByLabel('handle').fill('shop');
    await page.getByLabel('schema').selectOption('account');
    await page.getByLabel('account', { exact: false }).fill('x1');
    await page.getByLabel('tier').selectOption('gold');
    await page.getByLabel('limit').fill('9007199254740993');
    await sees(page, 'JSON carries whole numbers');
    await page.getByRole('button', { name: 'Create it' }).click();
    expect(await page.getByText('Sign this?').count()).toBe(0);
    await page.getByLabel('limit').fill('9007199254740991');
    await page.getByRole('button', { name: '+ tags' }).click();
    await page.getByRole('button', { name: '+ tags' }).click();
    await page.getByLabel('tags 1').fill('vip');
    await shot(page, 'form-create');
    await agree(page, 'Create it');
    await sees(page, 'Where it is wrong');
    await sees(page, 'record.schema-invalid');
    expect(await page.getByLabel('account').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'custom/account' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('DE12');
    await shot(page, 'form-refused');
    await agree(page, 'Create it');
    await sees(page, 'Done, and checked here: 2 proofs hold.');
    const custom = { account: 'DE12', tier: 'gold', limit: 9007199254740991, tags: ['vip'] };
    expect((await client.get('/wallets/shop')).body.data).toEqual({ handle: 'shop', schema: 'account', custom });
    expect(faultsOfPages()).toEqual([]);
  });

  it('show no field before it is known which schemas there are', async () => {
    const { client, page } = await scene();
    const schema = { handle: 'account', record: 'wallet', format: 'json-schema', schema: ACCOUNT };
    expect((await client.create('/schemas', schema)).status).toBe(201);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const isAsked = page.waitForRequest('**/v2/schemas?*');
    await page.route('**/v2/schemas?*', (route) => held.then(() => route.continue()));
    await open(page, client, 'do/create/wallet');
    await isAsked;
    await page.getByRole('heading', { name: 'New wallet' }).waitFor();
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
    letGo();
    await page.getByLabel('schema').selectOption('account');
  });

  it('stay as they are while a list of schemas that could not be read is asked for again', async () => {
    const { client, page } = await scene();
    const lists = '**/v2/schemas?*';
    await page.route(lists, (route) => route.fulfill({ status: 403, json: { reason: 'auth.forbidden' } }));
    await open(page, client, 'do/create/wallet');
    const handle = page.getByLabel('handle');
    await handle.fill('shop');
    await page.unroute(lists);
    // It is not answered.
    await page.route(lists, () => {});
    const isAsked = page.waitForRequest(lists);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await isAsked;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await handle.inputValue()).toBe('shop');
    expect(await page.locator('.skeleton').count()).toBe(0);
  });

  it('keep what two people change at once', async () => {
    const { client, page } = await scene();
    const made = (await client.create('/wallets', { handle: 'shop', custom: { a: 1, b: 1, c: 1 } })).body;
    await open(page, client, 'wallet/shop');
    await page.getByRole('navigation', { name: 'Actions' }).getByRole('link', { name: 'Change' }).click();
    const json = page.getByLabel('As JSON');
    await json.fill('{"handle": "shop", "custom": {"a": 2, "b": 1, "c": 2}}');
    await client.update('/wallets/shop', made, { handle: 'shop', custom: { a: 1, b: 3, c: 3 } });
    await agree(page, 'Change it');
    await sees(page, 'It has changed meanwhile');
    await sees(page, 'custom.b');
    await shot(page, 'form-conflict');
    await page.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await agree(page, 'Change it');
    await sees(page, /Done, and checked here/);
    expect((await client.get('/wallets/shop')).body.data.custom).toEqual({ a: 2, b: 3, c: 2 });
  });

  it('add proofs, drop, and erase', async () => {
    const { client, page } = await scene();
    const { luid } = (await client.create('/wallets', { handle: 'shop' })).body;
    await open(page, client, 'do/sign/wallet/shop');
    await page.getByLabel('Status').fill('active');
    await page.getByLabel('Labels to add').fill('vip, new');
    await agree(page, 'Add the proof');
    await sees(page, /Done, and checked here/);
    expect((await client.get('/wallets/shop')).body.meta).toMatchObject({ status: 'active', labels: ['vip', 'new'] });
    await open(page, client, 'do/drop/wallet/shop');
    await page.getByLabel('Reason').fill('closed');
    await agree(page, 'Drop it');
    await sees(page, 'Dropped: the ledger has signed that.');
    await open(page, client, `do/erase/wallet/${luid}`);
    await page.getByLabel('Reason').fill('Asked for');
    await agree(page, 'Erase it, for good');
    await sees(page, /Done, and checked here/);
    expect((await client.get(`/wallets/${luid}/changes`)).body.data).toMatchObject([{ meta: { status: 'erased' } }]);
  });

  it('move money in whole units, hold it, and decide', async () => {
    const { client, page } = await scene();
    await client.create('/symbols', { handle: 'usd', factor: 100 });
    await client.create('/wallets', { handle: 'ada' });
    await open(page, client, 'do/create/intent');
    await page.getByLabel('handle', { exact: false }).first().fill('opening');
    await page.getByLabel('target').fill('ada');
    await page.getByLabel('symbol', { exact: false }).fill('usd');
    await page.getByLabel('amount (usd)').fill('12.345');
    await sees(page, 'It has more digits behind the point than the symbol.');
    await page.getByLabel('amount (usd)').fill('12.34');
    await sees(page, '= 1234 in the smallest part of usd');
    await page.getByRole('button', { name: '+ config' }).click();
    await page.getByLabel('commit').selectOption('manual');
    await shot(page, 'form-intent');
    await agree(page, 'Create it');
    await sees(page, /Done, and checked here/);
    await expect.poll(async () => (await client.get('/intents/opening')).body.meta.status).toBe('prepared');
    expect((await client.get('/intents/opening')).body.data.claims[0].amount).toBe(1234);
    await open(page, client, 'do/commit/intent/opening');
    await agree(page, 'Commit it');
    await sees(page, /Done, and checked here/);
    await expect.poll(async () => (await client.get('/intents/opening')).body.meta.status).toBe('completed');
    const claims = [{ action: 'issue', target: 'ada', symbol: 'usd', amount: 1 }];
    await client.create('/intents', { handle: 'second', claims, config: { commit: 'manual' } });
    await open(page, client, 'intent/second');
    await page.getByRole('navigation', { name: 'Actions' }).getByRole('link', { name: 'Abort' }).click();
    await agree(page, 'Abort it');
    await sees(page, /Done, and checked here/);
    await expect.poll(async () => (await client.get('/intents/second')).body.meta.status).toBe('rejected');
    await open(page, client, 'money/intent/second');
    await sees(page, 'aborted');
  });
});

/** An open ledger, and a page that writes there with a key of its own. */
async function scene(): Promise<{ readonly client: TestClient; readonly page: Page }> {
  const client = await newLedger(running.current.url, { access: [...OPEN, { action: 'erase', record: 'any' }] });
  const page = await browser.page();
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('New key').click();
  await page.getByLabel('Name').fill('browser');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await sees(page, 'key browser');
  return { client, page };
}

async function open(page: Page, { ledger }: TestClient, path: string): Promise<void> {
  await page.goto(`${consoleOf(running.current.url)}#/l/${ledger}/${path}`);
}

/** Sends a form, and signs what it shows. */
async function agree(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
}

/** What pages complained of, but for refusals, which the browser notes as well. */
function faultsOfPages(): string[] {
  return browser.faults.filter((fault) => !fault.includes('the server responded with a status of 4'));
}

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}
