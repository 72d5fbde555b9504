import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { StaticFiles } from '../../src/http/static/files.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-files-'));
const folder = join(home, 'site');
const PAGE = `<p>${'page '.repeat(100)}</p>`;

function write(page: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(page));
  writeFileSync(join(folder, 'index.html.gz'), gzipSync(page));
  writeFileSync(join(folder, 'assets/app.CwbWnH8n.js'), 'run();');
  writeFileSync(join(folder, '.sources'), 'made of');
  writeFileSync(join(folder, 'key.pem'), 'secret');
}

write(PAGE);
writeFileSync(join(home, 'outside.html'), 'outside');
const files = new StaticFiles(folder);
const app = Fastify();
app.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
  const name = request.params['*'];
  return files.has(name) ? files.send(request, reply, name, { 'x-policy': 'strict' }) : reply.code(404).send();
});
const ask = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

afterAll(async () => {
  await app.close();
  rmSync(home, { recursive: true });
});

describe('files of a folder', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['deflate', undefined],
    ['', undefined],
  ])('are sent in the best coding of: %s', async (accepted, coding) => {
    const { headers, payload, rawPayload } = await ask('/index.html', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers.vary).toBe('accept-encoding');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    if (coding === undefined) expect(payload).toBe(PAGE);
    else expect(rawPayload.length).toBeLessThan(PAGE.length / 2);
  });

  it('are asked for again, but those that are named by their content', async () => {
    const page = await ask('/index.html');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-policy': 'strict' });
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    const script = await ask('/assets/app.CwbWnH8n.js');
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('are not sent again to who has them, in each coding', async () => {
    for (const coding of ['br', 'identity']) {
      const { etag } = (await ask('/index.html', { 'accept-encoding': coding })).headers;
      const again = await ask('/index.html', { 'accept-encoding': coding, 'if-none-match': String(etag) });
      expect([again.statusCode, again.payload]).toEqual([304, '']);
    }
    expect((await ask('/index.html', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it.each([
    '/../outside.html',
    '/..%2foutside.html',
    '/%2e%2e/outside.html',
    '/.sources',
    '/key.pem',
    '/assets',
    '/',
    '/constructor',
  ])('are no way to %s', async (path) => {
    expect((await ask(path)).statusCode).toBe(404);
  });

  it('are those of a folder that has taken its place', async () => {
    const { etag } = (await ask('/index.html')).headers;
    rmSync(folder, { recursive: true });
    expect((await ask('/index.html')).statusCode).toBe(404);
    write('<p>another</p>');
    const answer = await ask('/index.html', { 'if-none-match': String(etag) });
    expect([answer.statusCode, answer.payload]).toEqual([200, '<p>another</p>']);
  });
});
