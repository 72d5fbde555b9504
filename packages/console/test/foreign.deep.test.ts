import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer();
const browser = withBrowser();

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** A static host, which sends no headers of its own. */
let host: Server;
let address: string;
beforeAll(async () => {
  host = createServer(({ url = '' }, response) => {
    if (url === '/frame') return response.writeHead(200, { 'content-type': 'text/html' }).end(FRAME);
    const path = url.replace(/^\/console\/$/, '/console/index.html').replace(/^\/console\//, '../dist/');
    try {
      const file = readFileSync(new URL(path, import.meta.url));
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'image/svg+xml' }).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(() => void host.close());

const FRAME = '<!doctype html><iframe src="/console/" width="800" height="600"></iframe>';

describe.skipIf(lacksChromium)('the console on a static host, in Chromium', () => {
  it('names the server of a link, asks before anybody signs in there, and binds tokens to it', async () => {
    const { ledger } = await newLedger(running.current.url, { access: [{ action: 'any', record: 'any' }] });
    const page = await browser.page();
    const tokens: string[] = [];
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) tokens.push(authorization);
    });
    const spelled = running.current.url.replace('http://', 'HTTP://user@');
    await page.goto(`${address}/console/#/l/${ledger}?server=${encodeURIComponent(`${spelled}/`)}`);
    const { origin } = new URL(running.current.url);
    await sees(page, 'First visit');
    expect(await page.locator('.top-server').textContent()).toBe(origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await sees(page, 'This is another server than the one that this page came from');
    expect(await page.getByText('New key').count()).toBe(0);
    expect(await page.getByRole('dialog').getByText(origin).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Sign in at this server' }).click();
    await page.getByText('New key').click();
    await page.getByLabel('Name').fill('browser');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await sees(page, 'key browser');
    await expect.poll(() => tokens.length).toBeGreaterThan(0);
    for (const token of tokens) {
      expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toHaveProperty('hsh');
    }
    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await page.getByRole('link', { name: 'New wallet' }).click();
    await page.getByLabel('handle').fill('shop');
    await page.getByRole('button', { name: 'Create it' }).click();
    await sees(page, 'Sign this?');
    expect(await page.getByRole('dialog').getByText(origin).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Sign and send' }).click();
    await sees(page, 'Done, and checked here');
  });

  it('is but a link within the frame of another page', async () => {
    const page = await browser.page();
    await page.goto(`${address}/frame`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('link', { name: 'Open the console in a page of its own' }).waitFor();
    expect(await frame.locator('body *:visible').count()).toBe(2);
  });
});
