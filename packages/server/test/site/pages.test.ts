import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadLinks } from '../../../../tools/site/src/dead-links.mjs';
import { collectPages, type Entry, resolveLink, sideContents } from '../../../../tools/site/src/pages.mjs';
import { makeReference } from '../../../../tools/site/src/reference.mjs';
import { Description } from '../http/description.js';
import { root } from '../support/documents.js';
import { withServer } from '../support/server.js';

const pages = collectPages(root);

describe('the pages of the site', () => {
  it('are all of docs/, and what these lead to', () => {
    const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
    const documents = names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
    expect(documents.length).toBeGreaterThan(50);
    expect([...pages.keys()]).toEqual(expect.arrayContaining(documents));
    expect(pages.get('packages/client/README.md')?.page).toBe('packages/client');
  });

  it('have paths of their own', () => {
    const paths = [...pages.values()].map(({ page }) => page);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('are in the contents once, in the order of docs/README.md', () => {
    const sections = sideContents(pages, {});
    expect(sections.map(({ text }) => text)).toEqual([
      'Begin',
      'Write a client, a bridge or a receiver',
      'Run a server',
      'Change Countersign',
    ]);
    const flat = (entry: Entry): string[] => [
      ...(entry.link ? [entry.link] : []),
      ...(entry.items ?? []).flatMap(flat),
    ];
    const links = sections.flatMap(flat);
    expect(new Set(links).size).toBe(links.length);
    expect(links.slice(0, 5)).toEqual([
      '/overview',
      '/tour',
      '/guides/',
      '/guides/quick-start',
      '/guides/with-the-client',
    ]);
    for (const { page, source } of pages.values()) {
      if (!source.startsWith('docs/') || source === 'docs/README.md') continue;
      expect(links, source).toContain(`/${page.replace(/(^|\/)index$/, '$1')}`);
    }
  });
});

describe('a link of a page', () => {
  it.each([
    ['docs/interface/records.md', 'envelope.md#worked-example', './envelope.md#worked-example'],
    ['docs/interface/records.md', '../decisions/0001-json.md', './../decisions/0001-json.md'],
    ['docs/README.md', '../README.md', './overview.md'],
    ['README.md', 'docs/guides/README.md', './guides/index.md'],
    ['docs/README.md', 'https://a.example/', 'https://a.example/'],
    ['docs/README.md', '#begin', '#begin'],
    ['docs/architecture.md', '../packages/server/src/main.ts', undefined],
  ])('from %s to %s leads to %s', (source, href, to) => {
    expect(resolveLink(pages, source, href)).toBe(to);
  });

  it('to a source leads to the repository where that is known', () => {
    const to = resolveLink(pages, 'docs/architecture.md', '../lint/rooms.json', 'https://forge.example/acme/ledger');
    expect(to).toBe('https://forge.example/acme/ledger/blob/HEAD/lint/rooms.json');
  });

  it('is dead where there is no page, or no such place in it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-links-'));
    mkdirSync(join(folder, 'a'));
    writeFileSync(
      join(folder, 'index.html'),
      '<h1 id="top"></h1><a href="a/b.html#here"></a><a href="a/"></a><a href="../x"></a>',
    );
    writeFileSync(
      join(folder, 'a/b.html'),
      '<p id="here"></p><a href="../#top"></a><a href="../#gone"></a><img src="./no.svg"><a href="https://a.example/">',
    );
    expect(deadLinks(folder).sort()).toEqual(['a/b.html: ../#gone', 'a/b.html: ./no.svg', 'index.html: a/']);
    rmSync(folder, { recursive: true });
  });
});

describe('the reference', () => {
  const server = withServer();

  it('has every operation, with the example of the description, and all that it links to', async () => {
    const described = await Description.of(server.current.url);
    const made = makeReference(described.document);
    const whole = made.map(({ text }) => text).join('\n');
    for (const { operation } of described.operations()) expect(whole).toContain(`<h2 id="${operation.operationId}"`);
    for (const { text, page } of made) {
      for (const [, id] of text.matchAll(/href="#(schema-[\w-]+)"/g)) expect(text, page).toContain(`<h3 id="${id}"`);
    }
    const wallets = made.find(({ page }) => page === 'reference/wallet')?.text ?? '';
    expect(wallets).toMatch(/<h2 id="createWallet".*?```json\n\{\n {2}"hash"/s);
    expect(wallets).toContain('(../interface/wallets.md)');
    expect(whole).not.toContain('/docs/interface');
  });
});
