import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, followTo, lacksChromium, sees, visit, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

/** Names that are written from right to left. Handles cannot be; whatever else people name can. */
const [NAME, CITY, TAG, OTHER, MEMBER, LIST] = ['שלום 2', 'חיפה', 'לקוח', 'ותיק', 'שם', 'רשימה'];
const LONG = 'שורה '.repeat(40).trim();

/**
 * Words that are not drawn where a reader of English looks for them: each word of a line stands right of the one before, but
 * within a name that is isolated, and written from right to left. And names whose beginning is out of sight.
 */
const MISPLACED = `(() => {
  const RTL = /[\\u0590-\\u08ff]/;
  const faults = [];
  const blockOf = (one) => {
    while (/^(inline|contents)$/.test(getComputedStyle(one).display)) one = one.parentElement;
    return one;
  };
  const lowest = (one, other) => {
    while (!one.contains(other)) one = one.parentElement;
    return one;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const words = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest('.unseen, option, textarea, script')) continue;
    for (const { 0: text, index } of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const rects = range.getClientRects();
      if (rects.length !== 1 || rects[0].width === 0) continue;
      words.push({ text, parent, block: blockOf(parent), rect: rects[0] });
      if (!RTL.test(text) || index > 0) continue;
      // The first letter of a name must not be cut off.
      for (let box = parent; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.overflowX === 'visible' || style.display === 'inline') continue;
        const edge = box.getBoundingClientRect().right;
        if (rects[0].right > edge + 1) faults.push('out of sight: ' + text + ' in ' + box.outerHTML.slice(0, 200));
        break;
      }
    }
  }
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (!before || before.block !== word.block || Math.abs(before.rect.top - word.rect.top) > 6) continue;
    const isRight = before.rect.right <= word.rect.left + 1;
    const both = lowest(before.parent, word.parent);
    // A name may hold words of two directions, in an order of its own.
    if (getComputedStyle(both).direction === 'rtl' && RTL.test(both.closest('bdi')?.textContent)) continue;
    if (!isRight) faults.push(before.text + ' | ' + word.text + ' in ' + word.block.outerHTML.slice(0, 300));
  }
  return { count: words.filter(({ text }) => RTL.test(text)).length, faults };
})()`;

describe.skipIf(lacksChromium)('names that are written from right to left, in Chromium', () => {
  it('stay whole, and leave the words around them where they are', async () => {
    const client = await newLedger(running.current.url);
    await fill(client);
    const page = await browser.page();
    const ledger = `/l/${client.ledger}`;
    const columns = 'data.handle,data.custom.name,data.custom.tags,data.custom,meta.labels,meta.status';
    const pages: Record<string, string> = {
      list: `${ledger}/wallet?columns=${columns}`,
      'a list by a name': `${ledger}/wallet?columns=data.custom.name,meta.status`,
      filter: `${ledger}/wallet?filter=${encodeURIComponent(`data.custom.name=${NAME}`)}`,
      'bad filter': `${ledger}/wallet?filter=${encodeURIComponent(`data.${MEMBER}=${NAME}`)}`,
      'list below': `${ledger}/signer-factor?parent=${encodeURIComponent(NAME)}`,
      record: `${ledger}/wallet/shop`,
      'added proof': `${ledger}/do/sign/wallet/shop`,
      form: `${ledger}/do/update/wallet/shop`,
      'no such record': `${ledger}/wallet/${encodeURIComponent(NAME)}`,
      'no such ledger': `/l/${encodeURIComponent(NAME)}/wallet/${encodeURIComponent(CITY)}`,
    };
    await visit(page, address(ledger));
    for (const [name, path] of Object.entries(pages)) {
      await followTo(page, address(path));
      await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true');
      const { count, faults } = await misplaced(page);
      expect.soft(faults, name).toEqual([]);
      expect.soft(count, `${name}: names`).toBeGreaterThan(0);
    }
    await followTo(page, address(`${ledger}/wallet/shop`));
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect((await misplaced(page)).faults).toEqual([]);
    expect(browser.faults.filter((fault) => !/status of 4/.test(fault))).toEqual([]);
  });

  it('are typed, kept and signed as they are', async () => {
    const client = await newLedger(running.current.url);
    await fill(client);
    const page = await browser.page();
    await visit(page, address(`/l/${client.ledger}`));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('New key', { exact: true }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill(NAME);
    expect(await page.evaluate('getComputedStyle(document.activeElement).direction')).toBe('rtl');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('button', { name: `key ${NAME}` }).click();
    await sees(page, 'You are viewing this ledger as');
    expect(await misplaced(page)).toMatchObject({ faults: [] });
    await page.keyboard.press('Escape');

    await followTo(page, address(`/l/${client.ledger}/do/create/wallet`));
    await page.getByLabel('handle').fill('new');
    await page.getByLabel('schema').selectOption('named');
    await page.getByRole('button', { name: '+ custom' }).click();
    await page.getByLabel(MEMBER, { exact: false }).fill(CITY);
    await page.getByRole('button', { name: `+ ${LIST}` }).click();
    for (const [at, text] of [TAG, OTHER].entries()) {
      await page
        .getByRole('group', { name: LIST })
        .getByRole('button', { name: `+ ${LIST}` })
        .click();
      await page.getByLabel(`${LIST} ${at + 1}`).fill(text);
    }
    expect(await misplaced(page)).toMatchObject({ faults: [] });
    await page.getByRole('button', { name: 'Create it' }).click();
    const text = page.getByLabel('Data, as canonical JSON').locator('pre');
    expect(await text.textContent()).toContain(`"${LIST}":["${TAG}","${OTHER}"],"${MEMBER}":"${CITY}"`);
    expect(await misplaced(page)).toMatchObject({ faults: [] });
    await page.getByRole('button', { name: 'Sign and send' }).click();
    await sees(page, 'Done, and checked here');
    expect((await client.get('/wallets/new')).body.data.custom).toEqual({ [MEMBER]: CITY, [LIST]: [TAG, OTHER] });

    await followTo(page, address('/check'));
    const file = { name: `${NAME}.txt`, mimeType: 'text/plain', buffer: Buffer.from('nothing') };
    await page.getByLabel('Choose files').setInputFiles([file]);
    await sees(page, 'is neither an export, a record, nor a proof.');
    expect(await misplaced(page)).toMatchObject({ faults: [] });
  });
});

/** A wallet with names in its data, its labels and its schema, and two versions. */
async function fill(client: TestClient): Promise<void> {
  const properties = {
    [MEMBER]: { type: 'string', title: CITY },
    [LIST]: { type: 'array', items: { type: 'string' } },
  };
  const schema = { type: 'object', properties: { custom: { type: 'object', title: NAME, properties } } };
  const custom = {
    name: NAME,
    city: CITY,
    tags: [TAG, OTHER, CITY],
    [MEMBER]: CITY,
    [LIST]: [TAG, OTHER],
    [OTHER]: { [TAG]: CITY },
  };
  const made: [string, JsonObject][] = [
    ['/schemas', { handle: 'named', record: 'wallet', format: 'json-schema', schema }],
    ['/wallets', { handle: 'long', schema: 'named', custom: { name: LONG, tags: [LONG, TAG] } }],
    ['/wallets', { handle: 'shop', schema: 'named', custom }],
  ];
  for (const [path, data] of made) {
    const { status, text } = await client.create(path, data);
    expect(status, text).toBe(201);
  }
  const { body } = await client.get('/wallets/shop');
  const data = { handle: 'shop', schema: 'named', custom: { ...custom, name: CITY, tags: [OTHER, TAG] } };
  expect((await client.update('/wallets/shop', body, data)).status).toBe(200);
  const updated = (await client.get('/wallets/shop')).body as RecordEnvelope;
  expect((await client.prove('/wallets/shop', updated, { labels: [TAG, OTHER], note: NAME })).status).toBeLessThan(300);
}

function misplaced(page: Page): Promise<{ readonly count: number; readonly faults: readonly string[] }> {
  return page.evaluate(MISPLACED);
}

function address(path: string): string {
  return `${consoleOf(running.current.url)}#${path}`;
}
