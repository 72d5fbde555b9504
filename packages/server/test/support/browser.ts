import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { FLAGS, chromium as path } from '../../../client/test/support/chromium.js';

/** Whether the tests of pages are left out. */
export const lacksChromium = path === undefined;

/** A page with what it complains of: errors, breaches of its policy, requests that fail or lead elsewhere. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: readonly string[];
}

/** Pages of one browser for the tests of a file; each has stored nothing yet. */
export function withBrowser(): { open(url: string, options?: BrowserContextOptions): Promise<WatchedPage> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!lacksChromium) browser = await chromium.launch({ executablePath: path as string, args: FLAGS });
  });
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      const context = await (browser as Browser).newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        const isTold = /^Failed to load resource/.test(message.text());
        if (/error|warning/.test(message.type()) && !isTold) faults.push(message.text());
      });
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('requestfailed', (request) => {
        const why = request.failure()?.errorText;
        // A page that is left gives up what it still waits for.
        if (why !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()}, ${why}`);
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== new URL(url).origin && protocol !== 'data:') faults.push(`elsewhere: ${request.url()}`);
      });
      await page.goto(url, { waitUntil: 'networkidle' });
      return { page, faults };
    },
  };
}
