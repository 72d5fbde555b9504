import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { FLAGS, chromium as path } from '../../../client/test/support/chromium.js';

/** Whether the tests of this file are left out: they say so by their names. */
export const lacksChromium = path === undefined;

/** What the browser notes of a read that the client asks for again: on a busy machine, one may have to. */
const ASKED_AGAIN = /^Failed to load resource: .* status of 503\b/;

/** What it notes where a version is not in the log yet: the page asks for its proof until it is. */
const NOT_LOGGED_YET = /^Failed to load resource: .* status of 404\b.*: \S+\/inclusion$/;

/** A browser for the tests of a file, which has stored nothing yet. Errors of its pages are kept. */
export function withBrowser(): { page(options?: PageOptions): Promise<Page>; readonly faults: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-chromium-'));
  const faults: string[] = [];
  let context: BrowserContext | undefined;
  beforeAll(async () => {
    if (path === undefined) return;
    context = await chromium.launchPersistentContext(folder, { executablePath: path, args: FLAGS, headless: true });
    context.setDefaultTimeout(30_000);
  });
  afterAll(async () => {
    await context?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    faults,
    async page({ width = 1280, height = 900, theme = 'light' } = {}) {
      const page = await context!.newPage();
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      page.on('console', (message) => {
        const fault = `${message.text()}: ${message.location().url}`;
        if (message.type() === 'error' && !ASKED_AGAIN.test(fault) && !NOT_LOGGED_YET.test(fault)) faults.push(fault);
      });
      page.on('response', (response) => {
        const method = response.request().method();
        if (response.status() === 503 && method !== 'GET') faults.push(`503 for ${method} ${response.url()}`);
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => underWay.set(request, page));
      page.on('requestfinished', (request) => underWay.delete(request));
      page.on('requestfailed', (request) => underWay.delete(request));
      return page;
    },
  };
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** The address of the console that a server serves. */
export function consoleOf(url: string): string {
  return url.replace(/\/v2$/, '/console/');
}

/** Requests that have no answer yet, each with its page. */
const underWay = new Map<Request, Page>();

/** A page that has nothing to do for a moment. Chromium forgets to tell of it where nothing is drawn any more: it is asked to, after a time. */
const IDLE = `new Promise((resolve) => {
  const told = { timeout: 300 };
  requestIdleCallback(() => requestIdleCallback(resolve, told), told);
})`;

/** Waits until a page has shown what its address names: nothing is asked for, and nothing is waited for. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main :is(h1, .notice-title)').first().waitFor();
  const isAsking = () => [...underWay.values()].includes(page);
  for (let quiet = 0; quiet < 2; quiet++) {
    await page.evaluate(IDLE);
    if (isAsking() || (await page.locator('.skeleton').count()) > 0) quiet = -1;
  }
}

/** Opens a page of the console, as if it were the first. */
export async function visit(page: Page, address: string): Promise<void> {
  // What the page before has shown must not be taken for this one's.
  await page.goto('about:blank');
  await page.goto(address);
  await settled(page);
}

/** Goes to another address of the console that a page is at, and resolves when the router has drawn what it leads to. */
const NAVIGATE = (hash: string) => `new Promise((resolve, reject) => {
  const router = globalThis.__TSR_ROUTER__;
  const before = location.hash;
  const look = () => router.state.status === 'idle' && router.state.resolvedLocation.href === router.latestLocation.href
    ? resolve() : requestAnimationFrame(look);
  addEventListener('hashchange', look, { once: true });
  location.hash = ${JSON.stringify(hash)};
  if (location.hash === before) reject(new Error('It is there already: ' + before));
})`;

/**
 * Goes on to a page of the console, as a link leads there: the console is not loaded anew, which takes five times the
 * processor. It must be open at another page.
 */
export async function followTo(page: Page, address: string): Promise<void> {
  await page.evaluate(NAVIGATE(new URL(address).hash));
  await settled(page);
}

/** Waits until a page has a text in sight. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}
