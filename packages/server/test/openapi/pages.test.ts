import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/http/pages/markdown.js';
import { Description } from '../http/description.js';
import { eventually } from '../support/eventually.js';
import { startServer, withOwnServer } from '../support/server.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const DOCS = new URL('../../../../docs/', import.meta.url);

const server = withOwnServer();
let root: string;
beforeAll(() => {
  root = server.current.url.replace(/\/v2$/, '');
});

function open(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(root + path, { headers: { accept: BROWSER, ...headers } });
}

/** Where the links of a page lead, as a browser has it. */
function linksOf(path: string, html: string): URL[] {
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = '']) => new URL(href, root + path));
}

describe('the page at the root', () => {
  it('tells a browser what this is, and that it is up', async () => {
    const answer = await open('/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await answer.text();
    expect(html).toContain('A ledger of signed records');
    expect(html).toContain('<strong class="up">Up</strong>');
    expect(html).toContain(server.current.url);
    expect(html).toContain('2.36.0');
  });

  it.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0', ''])(
    'is for browsers alone: Accept %s gets what it got before',
    async (accept) => {
      const answer = await open('/', { accept });
      expect(answer.status).toBe(404);
      const { data } = (await answer.json()) as { data: { reason: string } };
      expect(data.reason).toBe('api.route-not-found');
      expect(answer.headers.get('vary')).toBe('accept');
    },
  );

  it('tells that the database is out of reach, and nothing of why', async () => {
    const other = await startServer();
    await other.database.drop();
    // It looks once a second.
    const html = await eventually(async () => {
      const answer = await fetch(other.url.replace(/v2$/, ''), { headers: { accept: BROWSER } });
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text).toContain('Not ready');
      return text;
    });
    expect(html).not.toMatch(/ECONN|postgres|database "/i);
    await other.stop();
  });
});

describe('the pages of the interface and the guides', () => {
  it('hold every operation, and lead nowhere that is not served', { timeout: 120_000 }, async () => {
    const described = await Description.of(server.current.url);
    const seen = new Map<string, string>();
    const outside = new Set<string>();
    const waiting = ['/', '/docs', '/docs/guides'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const answer = await open(path);
      expect(answer.status, path).toBe(200);
      const html = await answer.text();
      seen.set(path, html);
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
      for (const { origin, pathname } of linksOf(path, html)) {
        if (origin === root) waiting.push(pathname);
        else outside.add(origin);
      }
    }
    const whole = [...seen.values()].join('\n');
    for (const { operation } of described.operations()) expect(whole).toContain(`id="${operation.operationId}"`);
    const files = (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(files.length).toBeGreaterThan(50);
    for (const name of files) expect(seen.has(`/docs/guides/${name.replace(/\.md$/, '')}`), name).toBe(true);
    for (const [path, html] of seen) {
      for (const { hash, pathname, origin } of path.startsWith('/docs') ? linksOf(path, html) : []) {
        if (hash === '' || origin !== root) continue;
        expect(seen.get(pathname), `${path} to ${pathname}${hash}`).toContain(
          `id="${decodeURIComponent(hash.slice(1))}"`,
        );
      }
    }
  });

  it('list guides in the order in which they are read, and decisions on a page of their own', async () => {
    const linked = async (path: string) =>
      linksOf(path, await (await open(path)).text()).flatMap(({ pathname }) =>
        pathname.startsWith('/docs/guides/') ? [pathname.replace('/docs/guides/', '')] : [],
      );
    const pages = await linked('/docs/guides');
    expect(pages.slice(0, 3)).toEqual(['guides/README', 'guides/quick-start', 'guides/with-the-client']);
    expect(pages).toContain('operations/alarms');
    expect(pages.filter((page) => page.startsWith('decisions'))).toEqual(['decisions']);
    expect((await linked('/docs/guides/decisions')).length).toBe((await readdir(new URL('decisions', DOCS))).length);
  });

  it('load nothing but their style sheet, and let nothing act', async () => {
    for (const path of ['/', '/docs', '/docs/wallet', '/docs/guides', '/docs/guides/interface/records']) {
      const answer = await open(path);
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const html = await answer.text();
      expect(html).not.toMatch(/<script|<img|<iframe|\sstyle=|\son\w+=/i);
      expect(html.match(/<link/g)?.length).toBe(1);
    }
  });

  it.each([
    '/docs/guides/..%2f..%2fpackage',
    '/docs/guides/../../package.json',
    '/docs/guides/%2e%2e/%2e%2e/README',
    '/docs/guides/interface/records.md',
    '/docs/guides/constructor',
    '/docs/__proto__',
    '/docs/nothing',
  ])('are no way to %s', async (path) => {
    expect((await open(path)).status).toBe(404);
  });

  it('are not sent again to who has them', async () => {
    for (const path of ['/docs', '/docs/style.css', '/docs/guides/glossary', '/v2/openapi.json']) {
      const first = await open(path);
      const etag = String(first.headers.get('etag'));
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      const again = await open(path, { 'if-none-match': `"other", W/${etag}` });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      expect((await open(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it('are found with a slash at the end', async () => {
    for (const path of ['/docs/', '/docs/wallet/', '/docs/guides/interface/records/']) {
      const answer = await open(path);
      expect(answer.status).toBe(200);
      expect(answer.url).toBe(root + path.replace(/\/$/, ''));
    }
  });
});

describe('markdown', () => {
  const render = (text: string) => renderMarkdown(text, (href) => (href.endsWith('.md') ? 'page' : undefined));

  it('is shown without any HTML or script of its own', () => {
    const hostile = [
      '<script>alert(1)</script>',
      'a <img src=x onerror=alert(1)> b',
      '[x](javascript:alert(1)) [y](data:text/html,z) [z](other.txt)',
      '[t](https://a.example/"onclick="x)',
      '![i](https://a.example/i.png)',
      '# <b>h</b>',
      '`<i>`',
      '| <u> |\n|---|\n| <s> |',
    ];
    const html = render(hostile.join('\n\n'));
    expect(html).not.toMatch(/<(script|img|b|i|u|s)\b/);
    expect(html).not.toMatch(/href="(javascript|data|other)|"onclick|\sonclick=/);
  });

  it('keeps the text of every guide', async () => {
    const text = await readFile(new URL('interface/records.md', DOCS), 'utf8');
    const shown = render(text).replace(/<[^>]+>/g, '');
    for (const [, heading = ''] of text.matchAll(/^## (.+)$/gm)) expect(shown).toContain(heading);
  });
});
