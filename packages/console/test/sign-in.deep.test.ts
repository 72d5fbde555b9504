import { createPrivateKey } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { encrypt } from '../../cli/src/home/encrypted-key.js';
import { policy, providerFactor, signer } from '../../server/test/oauth/scene.js';
import { newKey, newLedger, signed, type TestClient, type TestKey } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { bearer } from '../../server/test/support/token.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

/** Less than the command asks for: tests do not wait. */
const WORK = { N: 2 ** 14, r: 8, p: 1 };

describe.skipIf(lacksChromium)('who looks, in Chromium', () => {
  it('by a key file of the command, which opens by its password', async () => {
    const { client, key, page } = await closedLedger();
    const file = `name: anna\npublic: ${key.public}\n${encrypt(pem(key), 'open sesame', WORK)}`;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Key file', { exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles([given('anna.pem', file)]);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Open the key' }).click();
    await sees(page, 'The password does not open this key.');
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('button', { name: 'Open the key' }).click();
    await sees(page, '1 record, each checked here');
    await sees(page, 'key anna');
    expect(await stored(page)).not.toContain(Buffer.from(key.secret).toString('base64').slice(0, 20));
    await page.reload();
    await sees(page, client.ledger ?? '');
    await sees(page, 'The ledger refuses');
  });

  it('by a key that the browser keeps, and cannot read', async () => {
    const { page, key } = await closedLedger();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Key file', { exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles([given('anna.pem', encrypt(pem(key), 'p', WORK))]);
    await page.getByLabel('Password').fill('p');
    await page.getByLabel('Keep it in this browser, unreadable').check();
    await page.getByRole('button', { name: 'Open the key' }).click();
    await sees(page, '1 record, each checked here');
    await page.reload();
    await sees(page, '1 record, each checked here');
    const isReadable = await page.evaluate<boolean>(`new Promise((resolve) => {
      indexedDB.open('countersign').onsuccess = ({ target }) => {
        const asked = target.result.transaction('keys').objectStore('keys').getAll();
        asked.onsuccess = () => crypto.subtle.exportKey('pkcs8', asked.result[0].privateKey).then(() => resolve(true), () => resolve(false));
      };
    })`);
    expect(isReadable).toBe(false);
  });

  it('by a new key, made in the browser, once the ledger knows it', async () => {
    const { client, page } = await closedLedger();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('New key').click();
    await page.getByLabel('Name').fill('browser');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await sees(page, 'key browser');
    const key = await page.evaluate<string>(
      `localStorage.getItem(Object.keys(localStorage).find((name) => /identity .* ${client.ledger}$/.test(name)))`,
    );
    const { body } = await client.get('/ledger', bearer(client.key, { aud: client.ledger ?? '' }));
    const rules = [...body.data.access, { action: 'any', record: 'any', bearer: { $signer: { public: key } } }];
    expect((await client.update('/ledger', body, { ...body.data, parent: undefined, access: rules })).status).toBe(200);
    await page.reload();
    await sees(page, '1 record, each checked here');
  });

  it('by a pasted token, which is forgotten', async () => {
    const { client, key, page } = await closedLedger();
    const { authorization } = bearer(key, { aud: client.ledger ?? '' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('summary', { hasText: 'Token' }).click();
    await page.getByLabel('Token', { exact: true }).fill(authorization ?? '');
    await page.getByRole('button', { name: 'Use the token' }).click();
    await sees(page, '1 record, each checked here');
    expect(await stored(page)).not.toContain(authorization?.slice(10, 40));
    await page.reload();
    await sees(page, 'The ledger refuses');
  });

  it('by client credentials, which are forgotten', async () => {
    const { client, key, page } = await closedLedger();
    await signer(client, 'prov');
    await providerFactor(client);
    await policy(client);
    await signer(client, 'app');
    const body = signed({ handle: 'app-oauth', signer: 'app', schema: 'oauth-client-credentials' }, key);
    const token = bearer(key, { aud: client.ledger ?? '' });
    const made = await client.call('POST', '/signers/app/factors?include=meta.secret', body, token);
    const { clientId: id } = made.body.data;
    const { clientSecret: secret } = made.body.meta.secret;
    const use = async (clientSecret: string) => {
      await page.locator('button.who').click();
      const dialog = page.getByRole('dialog');
      if (!(await dialog.getByLabel('Client id').isVisible()))
        await dialog.locator('summary', { hasText: 'Client credentials' }).click();
      await dialog.getByLabel('Client id').fill(id);
      await dialog.getByLabel('Client secret').fill(clientSecret);
      await dialog.getByRole('button', { name: 'Use them' }).click();
    };
    await use('wrong');
    await sees(page, 'invalid_client');
    await use(secret);
    await sees(page, '1 record, each checked here');
    await sees(page, `client ${id.slice(0, 10)}`);
    expect(await stored(page)).not.toContain(secret);
    await page.reload();
    await sees(page, 'The ledger refuses');
  });
});

/** A ledger that only a key may read, the record of the ledger itself apart; and a page that shows a list of it to nobody. */
async function closedLedger(): Promise<{ client: TestClient; key: TestKey; page: Page }> {
  const key = newKey();
  const client = await newLedger(running.current.url, {
    key,
    access: [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } },
      { action: { $in: ['read', 'query'] }, record: 'any', bearer: { $signer: { handle: 'app' } } },
      { action: 'read', record: 'ledger' },
    ],
  });
  await client.create('/wallets', { handle: 'alice' });
  const page = await browser.page();
  await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}/wallet`);
  await sees(page, 'The ledger refuses');
  await sees(page, 'Others may read more');
  return { client, key, page };
}

function pem({ secret }: TestKey) {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function given(name: string, content: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
}

/** All that the page keeps as text. */
function stored(page: Page): Promise<string> {
  return page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })');
}
