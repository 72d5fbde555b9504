import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureSite, siteFolder } from '../../../../scripts/site.mjs';
import { deadLinks } from '../../../../tools/site/src/dead-links.mjs';
import { lacksChromium, withBrowser } from '../support/browser.js';
import { withServer } from '../support/server.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One of each sort: contents, text, tables, code, pictures, the reference, commands. */
const PAGES = [
  '/',
  '/docs/',
  '/docs/guides/quick-start.html',
  '/docs/interface/intents.html',
  '/docs/interface/envelope.html',
  '/docs/reference/domain.html',
  '/docs/operations/settings.html',
  '/docs/cli/wallet.html',
  '/docs/overview.html',
];

const server = withServer();
const browser = withBrowser();
const at = (path: string) => server.current.url.replace(/\/v2$/, path);

beforeAll(() => ensureSite(), 300_000);

describe('the documentation that a server has', () => {
  it('leads nowhere that is not there', () => {
    expect(deadLinks(siteFolder)).toEqual([]);
  });

  it('is sent compressed, with a policy that lets it run its own scripts alone', async () => {
    const answer = await fetch(at('/docs/interface/records.html'), { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
        "require-trusted-types-for 'script'; trusted-types vue; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const html = await answer.text();
    expect(html).toContain('<h1 id="records"');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs/guides', '/docs/guides/'],
    ['/docs/interface/records', '/docs/interface/records.html'],
    ['/docs/interface/records?a=b', '/docs/interface/records.html?a=b'],
  ])('is found at %s, which is %s', async (path, whole) => {
    const answer = await fetch(at(path));
    expect([answer.status, answer.url]).toEqual([200, at(whole)]);
  });

  it.each([
    '/docs/guides/..%2f..%2fpackage',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/README.md',
    '/docs/interface/records.md',
    '/docs/.sources',
    '/docs/__proto__',
    '/docs/nothing.html',
    '/docs/nothing/',
  ])('is no way to %s', async (path) => {
    const answer = await fetch(at(path), { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(404);
    expect(((await answer.json()) as { data: { reason: string } }).data.reason).toBe('api.route-not-found');
  });

  it('has the sections that the OpenAPI description leads to', async () => {
    const text = await (await fetch(at('/v2/openapi.json'))).text();
    const links = new Set([...text.matchAll(/"url":"([^"]+\/docs\/[^"]+)"/g)].map(([, url = '']) => url));
    expect(links.size).toBeGreaterThan(20);
    for (const link of links) {
      const html = await (await fetch(link)).text();
      const { hash } = new URL(link);
      expect(html, link).toContain(hash === '' ? '<h1' : `id="${decodeURIComponent(hash.slice(1))}"`);
    }
  });
});

describe.skipIf(lacksChromium)('a reader', () => {
  it.each(PAGES)('sees %s whole, on a wide and on a narrow screen, light and dark', async (path) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page, faults } = await browser.open(at(path), { viewport: { width, height: 900 }, colorScheme });
      // Nothing but what scrolls by itself is wider than the screen.
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
      expect(await brokenWords(page), path).toEqual([]);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toMatch(
        colorScheme === 'dark' ? /rgb\((1|2)\d, / : /rgb\(2\d\d, /,
      );
      await page.evaluate(AXE);
      expect(await page.evaluate(VIOLATIONS), path).toEqual([]);
      expect(faults, path).toEqual([]);
      await page.context().close();
    }
  });

  it('goes from page to page by the contents, by links and by "Next"', async () => {
    const { page, faults } = await browser.open(at('/docs/'));
    await page.getByRole('link', { name: 'Quick start' }).first().click();
    await page.waitForURL(at('/docs/guides/quick-start.html'));
    await expect.poll(() => page.title()).toBe('Quick start with curl | Countersign');
    await page.locator('.VPSidebar').getByRole('link', { name: 'Glossary' }).click();
    await page.waitForURL(at('/docs/glossary.html'));
    // Links that were on the first page lead there still.
    await page.locator('.pager-link.next').click();
    await page.waitForURL(at('/docs/interface/'));
    await page.locator('.vp-doc').getByRole('link', { name: 'Records' }).first().click();
    await page.waitForURL(at('/docs/interface/records.html'));
    await page.goBack();
    await page.waitForURL(at('/docs/interface/'));
    await page.locator('.VPNavBar').getByRole('link', { name: 'Server' }).click();
    await page.getByText('the server and its database answer').waitFor();
    expect(faults).toEqual([]);
  });

  it('finds a section by words of it, with the keyboard alone', async () => {
    const { page, faults } = await browser.open(at('/docs/interface/records.html'));
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').waitFor();
    await page.keyboard.type('canonical form of custom');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    const found = await page.locator('.VPLocalSearchBox .result').allInnerTexts();
    expect(found.join('\n')).toContain('Hash and digest');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/(?!interface\/records).*\.html(#|$)/);
    expect(faults).toEqual([]);
  });

  it('copies code as it stands', async () => {
    const { page, faults } = await browser.open(at('/docs/guides/quick-start.html'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const block = page.locator('.vp-doc div[class*="language-"]').first();
    const code = (await block.locator('code').textContent()) ?? '';
    await block.getByRole('button', { name: 'Copy Code' }).click();
    await block.locator('button.copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code.trim());
    expect(faults).toEqual([]);
  });

  it('keeps the looks that were chosen, pictures included', async () => {
    const { page, faults } = await browser.open(at('/docs/'), { colorScheme: 'light' });
    await page.getByRole('switch').first().click();
    const isDark = () => page.evaluate('document.documentElement.classList.contains("dark")');
    expect(await isDark()).toBe(true);
    await page.reload({ waitUntil: 'networkidle' });
    expect(await isDark()).toBe(true);
    const shot = await page.locator('.picture img').first().screenshot();
    expect(shot.length).toBeGreaterThan(1_000);
    expect(faults).toEqual([]);
  });

  it('opens the contents on a narrow screen, and closes them by Escape', async () => {
    const { page, faults } = await browser.open(at('/docs/interface/records.html'), {
      viewport: { width: 390, height: 800 },
    });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('.VPSidebar').getByRole('link', { name: 'Glossary' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.VPSidebar.open').waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });
});

/** What axe-core objects to, each with where. */
const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;

/** Words of running text that are on two lines, though a line has room for what they are part of. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = [];
    const rects = (node, from, to) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      return [...range.getClientRects()];
    };
    const widthOf = (all) => all.reduce((sum, { width }) => sum + width, 0);
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('pre, svg')) continue;
      const room = node.parentElement.closest('p, li, dt, dd, td, th, h1, h2, h3, div, main').clientWidth;
      for (const { 0: whole, index } of node.data.matchAll(/\\S{2,}/g)) {
        if (widthOf(rects(node, index, index + whole.length)) > room - 24) continue;
        for (const { 0: word, index: within } of whole.matchAll(/[\\p{L}\\p{N}_.]{2,}/gu)) {
          const lines = rects(node, index + within, index + within + word.length).map(({ top }) => Math.round(top));
          if (new Set(lines).size > 1) found.push(word);
        }
      }
    }
    return found;
  })()`) as Promise<string[]>;
}
