import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startServer, withServer } from '../support/server.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const server = withServer();

function open(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.current.url.replace(/\/v2$/, path), { headers: { accept: BROWSER, ...headers } });
}

describe('the page at the root', () => {
  it('tells a browser what this is, that it is up, and what to do', async () => {
    const answer = await open('/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await answer.text();
    expect(html).toContain('A ledger of signed records');
    expect(html).toContain('<strong>Up</strong>');
    expect(html).toContain(`npx countersign init acme --server ${server.current.url}<`);
    expect(html).toContain('href="docs/guides/quick-start.html"');
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

  it('loads nothing, and lets nothing act but its own style', async () => {
    const answer = await open('/');
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']{44}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).not.toMatch(/<script|<img|<iframe|\sstyle=|\son\w+=/i);
  });

  it('is not sent again to who has it', async () => {
    // The page tells whether the database answers, which may change just then.
    await eventually(async () => {
      const etag = String((await open('/')).headers.get('etag'));
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      const again = await open('/', { 'if-none-match': `"other", W/${etag}` });
      expect([again.status, await again.text()]).toEqual([304, '']);
    });
    expect((await open('/', { 'if-none-match': '"other"' })).status).toBe(200);
  });

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
