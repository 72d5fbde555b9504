import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, type TestClient } from '../../../server/test/support/client.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { type RunningProxy, startProxy } from '../support/proxy.js';

const running = withOwnServer();
const key = newKey();
let proxy: RunningProxy;
let direct: TestClient;

beforeAll(async () => {
  direct = await newLedger(running.current.url, { key });
  proxy = await startProxy(running.current.url, key, { ledger: direct.ledger });
});
afterAll(() => proxy.stop());

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** Sends a request with just these headers, `host` among them. */
function send(
  at: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  const url = new URL(at);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: url.hostname, port: url.port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const { statusCode = 0, headers } = response;
      response.on('end', () => resolve({ status: statusCode, type: headers['content-type'], text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body));
    request.end(body);
  });
}

describe('a request that a web page may have sent', () => {
  const body = JSON.stringify({ data: { handle: 'stolen' } });

  it.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a sandboxed page', { origin: 'null' }],
    ['of another port of this machine', { origin: 'http://localhost:8080' }],
    ['that is no script', { 'sec-fetch-site': 'cross-site' }],
    ['of the same site', { 'sec-fetch-site': 'same-site' }],
    ['under a name that leads here by now', { host: 'evil.example:4050' }],
    ['under a name that only begins like ours', { host: 'localhost.evil.example' }],
  ])('is refused: %s', async (_, headers) => {
    const answer = await send(proxy.url, 'POST', '/wallets', { 'content-type': 'text/plain', ...headers }, body);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text).data.reason).toBe('auth.forbidden');
    expect((await direct.get('/wallets/stolen')).status).toBe(404);
    expect((await send(proxy.url, 'GET', '/wallets', headers)).status).toBe(403);
    expect((await send(proxy.url, 'OPTIONS', '/wallets', headers)).status).toBe(403);
  });

  it('is refused without a host, too', async () => {
    const socket = connectSocket(proxy.port, '127.0.0.1');
    socket.write('GET /wallets HTTP/1.0\r\n\r\n');
    let text = '';
    for await (const part of socket) text += part;
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('is taken from an origin that was admitted, and when the user has typed the address', async () => {
    const origin = 'http://localhost:5173';
    const open = await startProxy(running.current.url, key, {
      ledger: direct.ledger,
      allowedOrigins: new Set([origin]),
    });
    const preflight = { origin, 'access-control-request-method': 'POST' };
    expect((await send(open.url, 'OPTIONS', '/wallets', preflight)).status).toBeLessThan(300);
    expect((await send(open.url, 'GET', '/wallets', { origin, 'sec-fetch-site': 'same-site' })).status).toBe(200);
    expect((await send(open.url, 'GET', '/wallets', { origin: `${origin}.evil.example` })).status).toBe(403);
    await open.stop();
    expect((await send(proxy.url, 'GET', '/wallets', { 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  it('listens on the loopback address only', async () => {
    const { networkInterfaces } = await import('node:os');
    const others = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address } of others.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      const socket = connectSocket(proxy.port, address);
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    }
  });
});

describe('what cannot be sent on', () => {
  it.each([
    ['bad JSON', '{"data": '],
    ['a number that would change', '{"data": {"handle": "x", "custom": {"n": 12345678901234567890}}}'],
    ['too many levels', `{"data": ${'['.repeat(70)}${']'.repeat(70)}}`],
  ])('%s is 400', async (_, body) => {
    const answer = await send(proxy.url, 'POST', '/wallets', {}, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      data: { reason: 'api.body-malformed', detail: expect.stringMatching(/^[A-Z]/) },
    });
  });

  it('a body beyond every bound is 413', async () => {
    const answer = await send(proxy.url, 'POST', '/wallets', {}, JSON.stringify({ data: 'x'.repeat(3 * 2 ** 20) }));
    expect([answer.status, JSON.parse(answer.text).data.reason]).toEqual([413, 'api.body-malformed']);
  });

  it('JSON that is no envelope is left to the server to refuse', async () => {
    for (const body of ['[]', '"x"', '{}', '{"data": 5}']) {
      const through = await send(proxy.url, 'POST', '/wallets', {}, body);
      const straight = await direct.call('POST', '/wallets', body);
      expect(through.status).toBe(422);
      // The token stands in for a hash that is missing, so that another member may be named first.
      expect(JSON.parse(through.text).data.reason).toBe(straight.body.data.reason);
    }
  });

  it('a target that is no path is 400', async () => {
    expect((await send(proxy.url, 'GET', 'http://evil.example/wallets')).status).toBe(400);
    expect((await send(proxy.url, 'GET', '//evil.example/wallets')).status).toBe(400);
  });

  it('a server that is away is 502', async () => {
    const away = await startProxy(`http://127.0.0.1:${await freePort()}/v2`, key);
    for (const [method, path] of [
      ['GET', '/wallets'],
      ['POST', '/wallets'],
      ['PUT', '/wallets/x'],
    ] as const) {
      const answer = await send(away.url, method, path, {}, method === 'GET' ? undefined : '{"data":{"handle":"x"}}');
      expect(answer.status).toBe(502);
      expect(JSON.parse(answer.text)).toEqual({
        data: { reason: 'api.unexpected-error', detail: expect.stringContaining('ECONNREFUSED') },
      });
    }
    expect(away.log[0]).toMatch(/^GET \/wallets 502 /);
    await away.stop();
  });

  it('a server that breaks off is a connection that breaks off, and the proxy goes on', async () => {
    const broken = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const through = await startProxy(`http://127.0.0.1:${port}/v2`, key);
    await expect(send(through.url, 'GET', '/wallets')).rejects.toThrow('aborted');
    await expect(send(through.url, 'GET', '/wallets')).rejects.toThrow('aborted');
    await through.stop();
    broken.close();
  });
});

describe('what the server answers', () => {
  it('is passed on as it is: refusals, and those of reading the record first', async () => {
    const missing = await direct.get('/wallets/none');
    for (const [method, path] of [
      ['GET', '/wallets/none'],
      ['PUT', '/wallets/none'],
      ['DELETE', '/wallets/none'],
      ['POST', '/wallets/none/proofs'],
    ] as const) {
      const answer = await send(
        proxy.url,
        method,
        path,
        {},
        method === 'GET' ? undefined : '{"data":{"handle":"none"}}',
      );
      expect([answer.status, answer.type]).toEqual([404, missing.headers.get('content-type')]);
      expect(JSON.parse(answer.text).data).toEqual(missing.body.data);
      // The ledger's own signature on it is there.
      expect(JSON.parse(answer.text).meta.proofs).toHaveLength(1);
    }
  });

  it('is passed on byte for byte, whatever it is', async () => {
    const seen: { headers: NodeJS.Dict<string | string[]>; raw: string[]; url: string | undefined }[] = [];
    const zipped = gzipSync('{"a":1}');
    const odd = createServer((request, response) => {
      seen.push({ headers: request.headers, raw: request.rawHeaders, url: request.url });
      response.writeHead(418, {
        'content-type': 'application/x-odd; charset=latin1',
        'content-encoding': 'gzip',
        'x-own': 'yes',
        'keep-alive': 'timeout=5',
        connection: 'keep-alive, x-hop',
        'x-hop': 'mine',
      });
      response.end(zipped);
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const { port } = odd.address() as AddressInfo;
    const through = await startProxy(`http://127.0.0.1:${port}/api/v2`, key);
    const url = new URL('/wallets/%2F%20x?data.handle.%24in%5B0%5D=a', through.url);
    const headers = {
      authorization: 'Bearer mine',
      'x-ledger': 'acme',
      'x-mine': 'kept',
      connection: 'close, x-drop',
      'x-drop': 'gone',
      te: 'trailers',
    };
    const response = await new Promise<{
      status?: number | undefined;
      headers: NodeJS.Dict<string | string[]>;
      bytes: Buffer;
    }>((resolve) => {
      httpRequest(url, { headers }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, headers: incoming.headers, bytes: Buffer.concat(parts) }),
        );
      }).end();
    });
    expect(response.status).toBe(418);
    expect(response.bytes.equals(zipped)).toBe(true);
    expect(response.headers).toMatchObject({ 'content-type': 'application/x-odd; charset=latin1', 'x-own': 'yes' });
    expect(response.headers['x-hop']).toBeUndefined();
    const [arrived] = seen;
    // The caller's own, and no other beside it.
    expect(arrived?.raw.filter((text) => text.startsWith('Bearer '))).toEqual(['Bearer mine']);
    expect(arrived?.url).toBe('/api/v2/wallets/%2F%20x?data.handle.%24in%5B0%5D=a');
    expect(arrived?.headers).toMatchObject({ host: `127.0.0.1:${port}`, 'x-mine': 'kept', 'x-ledger': 'acme' });
    expect(arrived?.headers['x-drop'] ?? arrived?.headers.te).toBeUndefined();
    await through.stop();
    odd.close();
  });

  it('tells that a key has no rights', async () => {
    const own = { action: 'any', record: 'any', signer: { public: key.public } };
    const closed = await newLedger(running.current.url, { key, access: [own] });
    const wrong = await startProxy(running.current.url, newKey(), { ledger: closed.ledger });
    const answer = await send(wrong.url, 'POST', '/wallets', {}, '{"data":{"handle":"x"}}');
    expect([answer.status, JSON.parse(answer.text).data.detail]).toEqual([403, 'Cannot create wallet.']);
    await wrong.stop();
  });

  it('tells one of two writers at once that the record has changed, and stores each other write once', async () => {
    await send(proxy.url, 'POST', '/wallets', {}, '{"data":{"handle":"raced"}}');
    const tiers = Array.from({ length: 6 }, (_, tier) =>
      JSON.stringify({ data: { handle: 'raced', custom: { tier } } }),
    );
    const answers = await Promise.all(tiers.map((body) => send(proxy.url, 'PUT', '/wallets/raced', {}, body)));
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThan(0);
    for (const { status, text } of answers.filter((one) => one.status !== 200)) {
      expect([status, JSON.parse(text).data.reason]).toEqual([422, 'crypto.parent-hash-invalid']);
    }
    const { body } = await direct.get('/wallets/raced/changes');
    expect(body.page.total).toBe(1 + stored.length);

    const proofs = await Promise.all(
      [1, 2, 3, 4].map((note) => send(proxy.url, 'POST', '/wallets/raced/proofs', {}, JSON.stringify({ note }))),
    );
    expect(proofs.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const after = await direct.get('/wallets/raced');
    const notes = after.body.meta.proofs.map((one: { custom: { note?: number } }) => one.custom.note);
    expect(notes.filter((note?: number) => note !== undefined).sort()).toEqual([1, 2, 3, 4]);
  });
});

describe('curl', () => {
  /** Status and body of a call of curl, which calls a body a form unless it is told otherwise. */
  async function curl(...args: string[]) {
    const child = spawn('curl', ['-s', '-w', '\n%{http_code}', ...args]);
    let out = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text;
    });
    await once(child, 'close');
    const end = out.lastIndexOf('\n');
    return { status: Number(out.slice(end + 1)), text: out.slice(0, end) };
  }

  it('makes, changes, signs, reads and drops a record', async () => {
    const at = `${proxy.url}/wallets`;
    expect((await curl(at, '-d', '{"data": {"handle": "curled"}}')).status).toBe(201);
    expect((await curl('-X', 'PUT', `${at}/curled`, '-d', '{"data": {"handle": "curled", "custom": {}}}')).status).toBe(
      200,
    );
    expect((await curl(`${at}/curled/proofs`, '-d', '{"status": "active"}')).status).toBe(200);
    const read = await curl(`${at}/curled`);
    expect(JSON.parse(read.text).meta.status).toBe('active');
    const check = await curl(`${at}/curled/access/!check`, '-d', '{"data": {"action": "update"}}');
    expect([check.status, JSON.parse(check.text).data.length]).toEqual([200, 1]);
    expect((await curl('-X', 'DELETE', `${at}/curled`)).status).toBe(204);
    expect((await curl(`${at}/curled`)).status).toBe(404);
    expect((await curl(at, '-d', '{"data": {"handle": "curled"}}')).status).toBe(201);
    expect((await curl(`${at}/curled/drop`, '-d', '{"custom": {"reason": "closed"}}')).status).toBe(204);
    const token = await curl(`${proxy.url}/oauth/token`, '-d', 'grant_type=client_credentials');
    expect([token.status, JSON.parse(token.text).error]).toEqual([400, 'invalid_request']);
    expect((await curl(at, '-d', '{"data": {"handle"')).status).toBe(400);
  });
});
