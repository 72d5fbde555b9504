import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { newLedger } from '../support/client.js';
import { withOwnServer, withServer } from '../support/server.js';

const serving = withOwnServer({ consoleServers: ['https://ledger.example'] });
const plain = withServer();

const UNKNOWN = { data: { reason: 'api.route-not-found', detail: 'Route not found' } };

describe('the console', () => {
  it('is served with a policy that lets it run its own scripts and ask the servers of the setting', async () => {
    const page = await get('/console/');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self' https://ledger.example;");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const text = await page.text();
    expect(text.match(/<script\b[^>]*>/g)).toEqual([expect.stringContaining('src="./assets/')]);
    expect(text).not.toMatch(/<style|\bon\w+=|https?:\/\//);
  });

  it('has one address, from which its links lead to its files', async () => {
    const answer = await get('/console?x=1', { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, 'console/?x=1']);
  });

  it('is kept for ever by the hash in the name of each file, and asked for anew as a page', async () => {
    const page = await get('/console/');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const script = await get(`/console/${scriptIn(await page.text())}`);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const etag = page.headers.get('etag') ?? '';
    expect((await get('/console/', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('comes in the coding that is asked for: %s', async (coding, open) => {
    const path = `/console/${scriptIn(await (await get('/console/')).text())}`;
    const { request } = await import('node:http');
    const whole = Buffer.from(await (await get(path)).arrayBuffer());
    const coded = await new Promise<Buffer>((resolve, reject) => {
      const options = { headers: { 'accept-encoding': coding } };
      const sent = request(serving.current.url.replace('/v2', path), options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
        expect(answer.headers['content-encoding']).toBe(coding);
      });
      sent.on('error', reject).end();
    });
    expect(open(coded).equals(whole)).toBe(true);
    expect(coded.length).toBeLessThan(whole.length / 2);
  });

  it.each(['/console/nothing', '/console/..%2fpackage.json', '/console/%2e%2e/package.json', '/console/index.html.br'])(
    'has no other file: %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(JSON.parse(await answer.text())).toMatchObject(UNKNOWN);
    },
  );

  it('is an unknown route where it is switched off', async () => {
    const client = await newLedger(plain.current.url);
    const answer = await fetch(plain.current.url.replace('/v2', '/console/'), {
      headers: { 'x-ledger': client.ledger! },
    });
    expect(answer.status).toBe(404);
    expect(JSON.parse(await answer.text())).toMatchObject(UNKNOWN);
  });
});

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(serving.current.url.replace('/v2', path), init);
}

function scriptIn(page: string): string {
  return /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
}
