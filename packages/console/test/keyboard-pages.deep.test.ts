import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MoneyScene, transfer } from '../../server/test/money/scene.js';
import { newKey, newLedger, OPEN, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, settled, withBrowser } from './support/chromium.js';
import { agree, focus, makeKey, pressOn, stopsOf, tabTo } from './support/keyboard.js';
import { withReceiver } from './support/receiver.js';

const running = withOwnServer({ consoleServers: [], deliveryAllowPrivate: true });
const receiver = withReceiver();
const browser = withBrowser();

describe.skipIf(lacksChromium)('what is done, in Chromium, with the keyboard alone', { timeout: 300_000 }, () => {
  it('makes, changes, proves and drops a record: the focus goes to what is new, and comes back', async () => {
    const client = await newLedger(running.current.url);
    const page = await open(client, '/wallet');
    const keys = page.keyboard;
    await makeKey(page);
    await pressOn(page, 'a New wallet');
    await focus(page, /^main /);
    await tabTo(page, /^input handle/);
    await keys.type('shop');
    // What a button adds is where one goes on; what is taken away leaves the button that adds it.
    await pressOn(page, 'button + routes');
    await focus(page, /^fieldset routes/);
    await pressOn(page, 'button + routes');
    await focus(page, /^fieldset routes 2/);
    await pressOn(page, 'button Remove routes 2');
    await focus(page, 'button + routes');
    await pressOn(page, 'button Remove routes');
    await focus(page, 'button + routes');
    await pressOn(page, 'button + custom', 'Shift+Tab');
    await focus(page, /^textarea custom/);
    await keys.press('ControlOrMeta+a');
    await keys.type('{"a": 1, "b": 1}');
    expect((await stopsOf(page)).filter(({ isSeen }) => !isSeen)).toEqual([]);

    // The preview: read first, left by either way, and signed.
    await pressOn(page, 'button Create it');
    await focus(page, 'h2 Sign this?');
    for (const stop of [/^button Copy/, /^pre /, /^pre /, 'button Sign and send', 'button Cancel'])
      await tabTo(page, stop);
    await keys.press('Escape');
    await focus(page, 'button Create it');
    await keys.press('Enter');
    await focus(page, 'h2 Sign this?');
    await pressOn(page, 'button Cancel');
    await focus(page, 'button Create it');
    await keys.press('Enter');
    await agree(page, 'Done, and checked here: 2 proofs hold.');
    await focus(page, /^section /);

    // A change that another one came before.
    await pressOn(page, 'a Open the record');
    await page.getByRole('heading', { name: /^shop / }).waitFor();
    await settled(page);
    await pressOn(page, 'a Change');
    await tabTo(page, /^textarea custom/);
    await keys.press('ControlOrMeta+a');
    await keys.type('{"a": 2, "b": 1}');
    const { body } = await client.get('/wallets/shop');
    await client.update('/wallets/shop', body, { handle: 'shop', custom: { a: 1, b: 3 } });
    await pressOn(page, 'button Change it');
    await focus(page, 'h2 Sign this?');
    await pressOn(page, 'button Sign and send');
    await sees(page, 'It has changed meanwhile');
    await focus(page, 'button Change it');
    await pressOn(page, 'button Keep my changes on top of theirs', 'Shift+Tab');
    await focus(page, 'button Change it');
    await keys.press('Enter');
    await agree(page, 'Done, and checked here');
    expect((await client.get('/wallets/shop')).body.data.custom).toEqual({ a: 2, b: 3 });

    await pressOn(page, 'a Open the record');
    await pressOn(page, 'a Add a proof');
    await tabTo(page, 'input Status');
    await keys.type('active');
    await keys.press('Enter');
    await agree(page, 'Done, and checked here');
    await pressOn(page, 'a Open the record');
    await pressOn(page, 'a Drop');
    await pressOn(page, 'button Drop it');
    await agree(page, 'Dropped: the ledger has signed that.');
    await focus(page, /^section /);
    expect(browser.faults.filter((fault) => !fault.includes('status of 4'))).toEqual([]);
  });

  it('follows money from its flows to a wallet, and to an intent and its steps', async () => {
    const money = await MoneyScene.make(running.current.url, ['ada', 'ben']);
    await money.client.create('/symbols', { handle: 'eur', factor: 100 });
    await money.issue('ada', 1_000);
    await money.issue('ada', 5_000, 'eur');
    const handle = await money.done([transfer('ada', 'ben', 20_00, 'eur')]);
    await money.done([transfer('ada', 'ben', 5)]);
    const page = await open(money.client, '');
    await pressOn(page, 'a Money');
    await sees(page, '10.05 usd moved in all.');
    await focus(page, /^main /);
    await tabTo(page, 'input Symbol');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('eur');
    await page.keyboard.press('Enter');
    await sees(page, '70.00 eur moved in all.');
    await focus(page, 'input Symbol');
    expect((await stopsOf(page)).filter(({ isSeen }) => !isSeen)).toEqual([]);
    await tabTo(page, 'section Flows between wallets');
    await pressOn(page, 'a ada');
    await sees(page, 'The movements add up to the balance: checked here.');
    await focus(page, /^main /);
    await pressOn(page, /^button usd/);
    await sees(page, '+10.00');
    await focus(page, /^button usd/);
    await pressOn(page, /^button eur/, 'Shift+Tab');
    await sees(page, '+50.00');
    await pressOn(page, 'button Search for addresses below it');
    // The button is gone: one goes on from what it has filled.
    await focus(page, /^section Over time/);
    await sees(page, 'The movements add up to the balance: checked here.');
    expect((await stopsOf(page)).filter(({ isSeen }) => !isSeen)).toEqual([]);
    await tabTo(page, 'section Movements');
    await pressOn(page, `a ${handle}`);
    await sees(page, 'together they are a trail that the interface allows');
    await focus(page, /^main /);
    await tabTo(page, /^summary \d+ proofs?/);
    await page.keyboard.press('Space');
    await tabTo(page, /^button Copy/);
    expect(await page.locator('.trail details[open]').count()).toBe(1);
  });

  it('asks who may do what, and why something is refused', async () => {
    const access = [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: { $in: ['read', 'query', 'access'] }, record: 'any' },
      { action: 'access', record: 'any', signer: {} },
    ];
    const client = await newLedger(running.current.url, { access });
    await client.create('/wallets', { handle: 'shop' });
    const page = await open(client, '/access');
    const keys = page.keyboard;
    await makeKey(page);
    await tabTo(page, /^select Whose key/);
    await keys.press('ArrowDown');
    await tabTo(page, 'input Public key, base64');
    await keys.type(newKey().public);
    await tabTo(page, /^select On/);
    await keys.type('Wallet');
    await pressOn(page, 'button Ask');
    await sees(page, 'the ledger itself answers only for who signs');
    await focus(page, 'button Ask');
    await tabTo(page, /^select Action/, 'Shift+Tab');
    await keys.type('drop');
    await tabTo(page, /^input Handle/, 'Shift+Tab');
    await keys.type('shop');
    await tabTo(page, /^select Whose key/, 'Shift+Tab');
    await keys.press('ArrowUp');
    await pressOn(page, 'button Ask');
    await sees(page, 'Refused: drop on wallet');
    await focus(page, 'button Ask');
    await tabTo(page, /^section Actions by kinds of record/);
    await pressOn(page, 'summary By which rules');
    await page.locator('.parties details[open]').waitFor();
    expect((await stopsOf(page)).filter(({ isSeen }) => !isSeen)).toEqual([]);
  });

  it('watches changes without losing its place, and has a delivery sent again', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    await client.create('/effects', { handle: 'tell', signal: 'wallet-created', action: { endpoint: receiver.url } });
    const page = await open(client, '/watch');
    await makeKey(page);
    await sees(page, 'Nothing has changed since this page was opened.');
    await client.create('/wallets', { handle: 'first' });
    await sees(page, '1 change seen, each checked here');
    await tabTo(page, 'a first');
    await client.create('/wallets', { handle: 'second' });
    await sees(page, '2 changes seen');
    await focus(page, 'a first');
    await tabTo(page, 'a second', 'Shift+Tab');
    await tabTo(page, 'a Effects', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await pressOn(page, 'a tell');
    await page.getByRole('heading', { name: /^tell / }).waitFor();
    await settled(page);
    await pressOn(page, 'a Deliveries');
    await sees(page, 'failed');
    await pressOn(page, 'summary What was sent');
    await sees(page, '"wallet-created"');
    await pressOn(page, 'summary What came of each attempt');
    await sees(page, '400');
    receiver.takes = true;
    await pressOn(page, 'a Try it again');
    await pressOn(page, 'button Try again');
    await agree(page, 'The ledger tries again.');
    await focus(page, /^section /);
    await page.goBack();
    await sees(page, 'delivered');
  });
});

async function open(client: TestClient, path: string): Promise<Page> {
  const page = await browser.page({ height: 700 });
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}${path}`);
  await sees(page, /^First visit/);
  await settled(page);
  return page;
}
