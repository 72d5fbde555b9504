import { describe, expect, it } from 'vitest';
import { newLedger } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

/** What strangers write in the hope that a page takes it for markup, script, an address, or an order of letters. */
const TEXTS = [
  '<script>globalThis.hacked = 1</script>',
  '<img src=x onerror="globalThis.hacked = 1">',
  '"><svg onload=globalThis.hacked=1>',
  "';globalThis.hacked=1;//",
  '</script><script>globalThis.hacked=1</script>',
  'javascript:globalThis.hacked=1',
  'data:text/html,<script>globalThis.hacked=1</script>',
  '<a href="https://evil.example">here</a>',
  '<style>*{display:none}</style>',
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  '$' + '{globalThis.hacked=1}',
  '<iframe src="https://evil.example"></iframe>',
  '\u202egnp.exe\u202c',
  '\u2067right to left\u2069 \u2066left',
  'zero\u200bwidth\ufeff\u00ad',
  'line\nbreak\ttab\u0007bell\u001b[31m',
  '<!--',
  ']]>',
  '&lt;script&gt;',
  '&#x3c;img src=x onerror=globalThis.hacked=1&#x3e;',
  'url(https://evil.example/x.png)',
  '=HYPERLINK("https://evil.example")',
  '__proto__',
  'constructor',
  'toString',
  '\u2713 Checked here: the data is unaltered, and the ledger has countersigned it.',
  'مرحبا',
  'שלום',
  'x'.repeat(20_000),
  '🏴\u200d☠️'.repeat(500),
];

describe.skipIf(lacksChromium)('200 records of strangers, in Chromium', () => {
  it('are text, and nothing else', async () => {
    const client = await newLedger(running.current.url);
    let made = 0;
    for (let at = 0; at < 200; at++) {
      const text = TEXTS[at % TEXTS.length] as string;
      const other = TEXTS[(at * 7 + 3) % TEXTS.length] as string;
      const names = at % 3 === 0 && !text.startsWith('__') ? { [text.slice(0, 200)]: other } : { text: other };
      const custom = { text, deep: { list: [text, { other }] }, ...names };
      const { status } = await client.create(
        '/wallets',
        { handle: `wallet-${at}`, custom },
        { status: 'created', note: text.slice(0, 500) },
      );
      if (status === 201) made += 1;
    }
    expect(made).toBeGreaterThan(180);
    const schema = {
      $id: 'x',
      type: 'object',
      title: String(TEXTS[0]),
      properties: { '<img src=x onerror=globalThis.hacked=1>': { type: 'string' } },
    };
    await client.create('/schemas', { handle: 'evil', record: 'wallet', format: 'json-schema', schema });

    const page = await browser.page();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('dialog', () => asked.push('a dialog'));
    const base = consoleOf(running.current.url);
    await page.goto(`${base}#/l/${client.ledger}/wallet?rows=1000&columns=data.handle,data.custom,data.custom.text`);
    await sees(page, /records, each checked here/);
    for (let at = 0; at < TEXTS.length; at++) {
      await page.goto(`${base}#/l/${client.ledger}/wallet/wallet-${at}`);
      await page.locator('main :is(h1, .notice-title)').first().waitFor();
      await page.locator('.skeleton').waitFor({ state: 'detached' });
      await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true');
      expect(await page.evaluate(STRANGE), TEXTS[at]).toEqual([]);
    }
    await page.goto(`${base}#/l/${client.ledger}/schema/evil`);
    await page.locator('main :is(h1, .notice-title)').first().waitFor();
    for (const path of [
      '<img src=x onerror=globalThis.hacked=1>',
      '__proto__',
      'wallet/%00',
      'wallet/..%2f..',
      'wallet?filter=<script>',
      'wallet?columns=<b>,__proto__.x',
    ]) {
      await page.goto(`${base}#/l/${client.ledger}/${path}`);
      await page.locator('main').waitFor();
      expect(await page.evaluate(STRANGE), path).toEqual([]);
    }
    expect(asked.filter((url) => !url.startsWith(base.replace('/console/', '')) && !url.startsWith('blob:'))).toEqual(
      [],
    );
    expect(browser.faults.filter((fault) => !/40[034]/.test(fault))).toEqual([]);
  });
});

/** Whatever of the page a stranger must have put there. */
const STRANGE = `[
  ...(globalThis.hacked ? ['hacked'] : []),
  ...[...document.querySelectorAll('main script, main iframe, main style, main img:not(.mark), main svg [onload], main form[action], [onerror], [onload]')].map((one) => one.outerHTML),
  ...[...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href')).filter((href) => !/^#\\/|^\\/console\\/#\\//.test(href)),
  ...(Object.prototype.x === undefined ? [] : ['prototype']),
]`;
