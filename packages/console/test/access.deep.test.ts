import { createPrivateKey } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { putUnderPolicies, underPolicies } from '../../server/test/access-http/support.js';
import { newKey, newLedger, type TestClient, type TestKey } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { violations } from './support/axe.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();
const looks = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 390 } } as const;

describe.skipIf(lacksChromium)('who may do what, in Chromium', () => {
  it('shows the rules as a matrix, whom they are for, and who is in their circles', async () => {
    const { client } = await tellersLedger();
    const page = await open(client, '/access');
    await sees(page, 'It is for whoever signs as a member of the circle tellers');
    expect(await cell(page, 'wallet', 'create')).toEqual(['A', 'B', 'C']);
    expect(await cell(page, 'wallet', 'spend')).toEqual(['A', 'B', 'C*']);
    expect(await cell(page, 'symbol', 'create')).toEqual(['A', 'B']);
    expect(await cell(page, 'symbol', 'read')).toEqual(['B', 'D']);
    await sees(page, 'tellers: anna');
    await page.locator('.parties').getByText('By which rules').nth(2).click();
    await sees(page, 'value 1 of the policy spenders');
    await sees(page, 'only records that match its filter or condition');
    expect(await cell(page, 'signer', 'spend')).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await shots(page, 'access-matrix');
    expect(browser.faults).toEqual([]);
  });

  it('tells of a public key what the rules that one may read would let it do', async () => {
    const { client, anna } = await tellersLedger();
    const page = await open(client, '/access');
    await page.getByLabel('Whose key').selectOption('other');
    await page.getByLabel('Public key, base64').fill(anna.public);
    await page.getByRole('combobox', { name: 'On', exact: true }).selectOption('wallet');
    await page.getByRole('button', { name: 'Ask' }).click();
    await sees(page, 'Signers with this key: anna.');
    expect(await answers(page)).toEqual({
      ...{
        'create wallet': 'granted',
        'query wallet': 'granted',
        'read wallet': 'granted',
        'update wallet': 'granted',
      },
      ...{ 'drop wallet': 'refused', 'limit wallet': 'refused', 'erase wallet': 'refused' },
      ...{ 'spend wallet': 'cannot be determined here', 'create wallet-proof': 'granted' },
    });
    await sees(page, 'the ledger itself answers only for who signs');
    expect(await violations(page)).toEqual([]);
    await shots(page, 'access-key');
  });

  it('has the ledger answer what who is signed in could do, and why it refuses', async () => {
    const { client, anna } = await tellersLedger();
    const page = await open(client, '/wallet/shop');
    await page.getByRole('link', { name: 'Who may do what' }).click();
    await sees(page, 'Sign in first');
    await signIn(page, anna);
    await sees(page, 'The ledger answered and signed these checks');
    expect(await answers(page)).toEqual({
      ...{ 'read wallet': 'granted', 'update wallet': 'granted', 'spend wallet': 'granted' },
      ...{ 'drop wallet': 'refused', 'limit wallet': 'refused', 'erase wallet': 'refused' },
      ...{ 'create wallet-proof': 'granted' },
    });
    await page.getByRole('combobox', { name: 'Action', exact: true }).selectOption('drop');
    await page.getByRole('button', { name: 'Ask' }).click();
    await sees(page, 'Refused: drop on wallet');
    await sees(page, 'No rule grants it to the key.');
    await sees(page, 'It is for another key.');
    expect(await violations(page)).toEqual([]);
    await shots(page, 'access-why');
    const { body } = await client.get('/wallets/shop');
    expect((await client.as(anna).drop('/wallets/shop', body)).status).toBe(403);
    expect(browser.faults).toEqual([]);
  });

  it('leads to an access policy, where no rule of the ledger counts', async () => {
    const values = [{ action: { $in: ['read', 'query', 'access'] } }];
    const client = await underPolicies(running.current.url, [{ handle: 'readers', record: 'any', values }]);
    const page = await open(client, '/access');
    await signIn(page, client.key);
    await sees(page, 'key key');
    const region = page.getByRole('region', { name: 'Let somebody read' });
    await region.getByText('This needs an active access policy').waitFor();
    expect(await region.getByRole('button').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await region.getByRole('link', { name: 'New policy' }).click();
    await page.getByRole('heading', { name: 'New policy' }).waitFor();
  });

  it('adds no rule to a ledger that somebody has put under policies meanwhile, and says so', async () => {
    const client = await newLedger(running.current.url);
    const page = await open(client, '/access');
    await signIn(page, client.key);
    const region = page.getByRole('region', { name: 'Let somebody read' });
    await region.getByLabel('Public key, base64').fill(newKey().public);
    await putUnderPolicies(client);
    await region.getByRole('button', { name: 'Let this key read' }).click();
    await region.getByText('This needs an active access policy').waitFor();
    await sees(page, 'only the values of active access policies count');
    expect(await page.getByText('Sign this?').count()).toBe(0);
    expect(await page.getByText('The key may read now.').count()).toBe(0);
  });
});

async function signIn(page: Page, key: TestKey): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Key file', { exact: true }).click();
  const file = { name: 'key.pem', mimeType: 'text/plain', buffer: Buffer.from(pem(key)) };
  await page.getByLabel('File', { exact: true }).setInputFiles([file]);
  await page.getByRole('button', { name: 'Open the key' }).click();
}

/** A ledger whose tellers make and change wallets, and spend from those of gold; everyone may read. */
async function tellersLedger(): Promise<{ client: TestClient; anna: TestKey }> {
  const [owner, anna] = [newKey(), newKey()];
  const tellers = { $circle: 'tellers' };
  const access: JsonObject[] = [
    { action: 'any', record: 'any', signer: { public: owner.public } },
    { action: 'any', record: 'any', bearer: { $signer: { public: owner.public } } },
    { action: 'access', record: 'any', signer: tellers },
    { action: { $in: ['create', 'update'] }, record: 'wallet', signer: tellers },
    { action: { $in: ['read', 'query', 'access'] }, record: 'any' },
    { policy: 'spenders' },
  ];
  const client = await newLedger(running.current.url, { key: owner, access });
  const values = [{ action: 'spend', signer: tellers, filter: { 'custom.tier': 'gold' } }];
  const made: [string, JsonObject][] = [
    ['/signers', { handle: 'anna', public: anna.public, format: 'ed25519-raw' }],
    ['/circles', { handle: 'tellers' }],
    ['/circles/tellers/signers', { circle: 'tellers', signer: 'anna' }],
    ['/policies', { handle: 'spenders', schema: 'access', record: 'wallet', values }],
    ['/wallets', { handle: 'shop', custom: { tier: 'gold' } }],
  ];
  for (const [path, data] of made) expect((await client.create(path, data)).status, path).toBeLessThan(300);
  return { client, anna };
}

async function open(client: TestClient, path: string): Promise<Page> {
  const page = await browser.page();
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}${path}`);
  return page;
}

/** The letters of a cell of the matrix. */
async function cell(page: Page, record: string, action: string): Promise<string[]> {
  const actions = await page.locator('.matrix thead th').allTextContents();
  const row = page
    .locator('.matrix tbody tr')
    .filter({ has: page.getByRole('rowheader', { name: record, exact: true }) });
  return row
    .locator('td')
    .nth(actions.indexOf(action) - 1)
    .locator('.letter')
    .allTextContents();
}

async function answers(page: Page): Promise<Record<string, string>> {
  await page.locator('.answers li').first().waitFor();
  const lines = await page.locator('.answers li').all();
  const texts = await Promise.all(lines.map((line) => line.locator('> span').allTextContents()));
  return Object.fromEntries(texts.map(([, what, verdict]) => [what, verdict]));
}

function pem({ secret }: TestKey): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret]);
  return String(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }));
}

/** With `SHOTS=folder`: the page in light, dark and narrow. */
async function shots(page: Page, name: string): Promise<void> {
  if (!process.env.SHOTS) return;
  for (const [look, options] of Object.entries(looks)) {
    await page.setViewportSize({ width: options.width, height: 900 });
    await page.emulateMedia({ colorScheme: 'theme' in options ? options.theme : 'light' });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${look}.png`, fullPage: true });
  }
}
