import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { exported } from '../../server/test/archive/support.js';
import { Description } from '../../server/test/http/description.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { violations } from './support/axe.js';
import { consoleOf, followTo, lacksChromium, sees, visit, withBrowser } from './support/chromium.js';
import { hostileLedger, TEXTS } from './support/hostile.js';
import { pagesOf } from './support/pages.js';

const running = withOwnServer({ consoleServers: [], deliveryAllowPrivate: true });
const browser = withBrowser();

/** Whatever of the page a stranger must have put there. */
const STRANGE = `[
  ...(globalThis.hacked ? ['hacked'] : []),
  ...[...document.querySelectorAll('main script, main iframe, main style, main img:not(.mark), svg [onload], main form[action], [onerror], [onload]')].map((one) => one.outerHTML),
  ...[...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href')).filter((href) => !/^#\\/|^\\/console\\/#\\//.test(href)),
  ...(Object.prototype.x === undefined ? [] : ['prototype']),
]`;

/** Elements that reach beyond the screen, outside of boxes that scroll by themselves. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120)).slice(0, 3)`;

const OPEN_ALL = 'for (const one of document.querySelectorAll("main details")) one.open = true';

describe.skipIf(lacksChromium)('every page, in Chromium', () => {
  it('has nothing that axe finds wrong, in light, dark and narrow', { timeout: 600_000 }, async () => {
    const { client } = await everyKind(running.current.url);
    const page = await browser.page();
    await visit(page, address(`/l/${client.ledger}/domain`));
    for (const [name, path] of Object.entries(pagesOf(client.ledger ?? ''))) {
      await followTo(page, address(path));
      await page.evaluate(OPEN_ALL);
      expect.soft(await faultsOf(page), name).toEqual(FAULTLESS);
    }
    const file = Buffer.from(await exported(running.current, client.ledger ?? ''));
    await followTo(page, address('/check'));
    await page.getByLabel('Choose files').setInputFiles([{ name: 'a.ndjson', mimeType: 'text/plain', buffer: file }]);
    await sees(page, 'Checked here: nothing was found wrong in the export.');
    expect.soft(await faultsOf(page), 'checked files').toEqual(FAULTLESS);
    await followTo(page, address(`/l/${client.ledger}`));
    await page.getByRole('button', { name: 'Sign in' }).click();
    for (const way of await page.locator('.way > summary').all()) {
      await way.click();
      expect.soft(await faultsOf(page), 'sign in').toEqual(FAULTLESS);
    }
    expect(faultsOfPages()).toEqual([]);
  });

  it('shows what strangers wrote as text, and nothing else', { timeout: 600_000 }, async () => {
    const { client, made } = await hostileLedger(running.current.url);
    expect(made).toBeGreaterThan(220);
    const page = await browser.page();
    const { origin } = new URL(running.current.url);
    const asked: string[] = [];
    const undocumented: string[] = [];
    const description = await Description.of(running.current.url);
    page.on('request', (request) => {
      asked.push(request.url());
      const [, path] = /\/v2(\/[^?]*)/.exec(new URL(request.url()).pathname) ?? [];
      const isFound = path === undefined || description.find(request.method().toLowerCase(), path);
      if (!isFound) undocumented.push(`${request.method()} ${path}`);
    });
    page.on('dialog', () => asked.push('a dialog'));
    const looks = async (path: string) => {
      await followTo(page, address(path));
      await page.evaluate(OPEN_ALL);
      expect(await page.evaluate(STRANGE), path).toEqual([]);
    };
    const ledger = `/l/${client.ledger}`;
    await visit(page, address(ledger));
    await looks(`${ledger}/watch`);
    const answer = await client.create(
      '/wallets',
      { handle: 'new', schema: 'evil', custom: { [TEXTS[2]!]: TEXTS[1]! } },
      { status: 'created', note: TEXTS[0]! },
    );
    expect(answer.status, answer.text).toBe(201);
    await sees(page, '1 change seen');
    expect(await page.evaluate(STRANGE), 'a change').toEqual([]);
    for (const path of Object.values(pagesOf(client.ledger ?? ''))) await looks(path);
    // The list above has every text; a record's own page is looked at with each fifth.
    for (let at = 0; at < TEXTS.length; at += 5) {
      await looks(`${ledger}/wallet/wallet-${at}`);
      await looks(`${ledger}/money/intent/evil-${at}`);
    }
    await looks(`${ledger}/wallet?rows=1000&columns=data.handle,data.custom,data.custom.text`);
    await sees(page, /records, each checked here/);
    await looks(`${ledger}/do/create/wallet`);
    await page.getByLabel('schema').selectOption('evil');
    expect(await page.evaluate(STRANGE), 'a form of a hostile schema').toEqual([]);
    for (const path of HOSTILE_PATHS) await looks(`${ledger}/${path}`);
    expect(undocumented).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(origin) && !/^(blob|about):/.test(url))).toEqual([]);
    expect(faultsOfPages()).toEqual([]);
  });
});

const HOSTILE_PATHS = [
  '<img src=x onerror=globalThis.hacked=1>',
  '__proto__',
  'wallet/%00',
  'wallet/..%2f..',
  'wallet?filter=<script>',
  'wallet?columns=<b>,__proto__.x',
  'money?symbol=<script>globalThis.hacked=1</script>',
  'access?kind=__proto__&id=<img src=x onerror=globalThis.hacked=1>',
  'do/__proto__/wallet',
  'do/create/__proto__',
  'deliveries/__proto__/x',
];

const FAULTLESS = { light: [], dark: [], narrow: [], tooWide: [] };

/** What is wrong with a page: the rules of axe in both themes, and what does not fit a narrow screen. */
async function faultsOf(page: Page): Promise<Record<keyof typeof FAULTLESS, string[]>> {
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violations(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 900 });
  const narrow = await violations(page, 'others');
  const tooWide = await page.evaluate<string[]>(TOO_WIDE);
  await page.setViewportSize({ width: 1280, height: 900 });
  return { light, dark, narrow, tooWide };
}

/** What pages complained of: uncaught errors and breaches of their policy among them, but for refusals, which the browser notes as well. */
function faultsOfPages(): string[] {
  return browser.faults.filter((fault) => !/^Failed to load resource: .* status of 4/.test(fault));
}

function address(path: string): string {
  return `${consoleOf(running.current.url)}#${path}`;
}
