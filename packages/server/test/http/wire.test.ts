import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { newLedger, signed, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { exchange, requestText } from './raw.js';
import { expectRefusal, storedChanges } from './refusal.js';

describe('requests as bytes', () => {
  const server = withServer();
  let client: TestClient;
  let headers: Record<string, string>;

  beforeAll(async () => {
    client = await newLedger(server.current.url);
    headers = { 'x-ledger': client.ledger!, 'content-type': 'application/json' };
  });

  const send = (parts: readonly (string | Buffer)[], end = false) => exchange(server.current.url, parts, end);
  const create = (handle: string) => JSON.stringify(signed({ handle }, client.key));
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

  it('takes a body in chunks, however they are cut', async () => {
    const head = requestText('POST /v2/wallets', { ...headers, 'transfer-encoding': 'chunked' });
    const text = create('chunked');
    const answer = await send([head, ...[...text].map(chunk), '0\r\n\r\n']);
    expect(answer.status, answer.text).toBe(201);
    const trailed = await send([head, chunk(create('trailed')), '0\r\nx-ledger: nobody\r\n\r\n']);
    expect(trailed.status).toBe(201);
  });

  it('takes characters that arrive in pieces', async () => {
    const body = Buffer.from(JSON.stringify(signed({ handle: 'pieces', custom: { text: '😀' } }, client.key)));
    const middle = body.indexOf(Buffer.from('😀')) + 2;
    const head = requestText('POST /v2/wallets', { ...headers, 'content-length': String(body.length) });
    const answer = await send([head, body.subarray(0, middle), body.subarray(middle)]);
    expect(answer.body.data.custom.text).toBe('😀');
  });

  it('waits to be asked for a body that is announced', async () => {
    const text = create('expected');
    const answer = await send([requestText('POST /v2/wallets', { ...headers, expect: '100-continue' }, text)]);
    expect(answer.status, answer.text).toBe(201);
    const other = await send([requestText('POST /v2/wallets', { ...headers, expect: 'cake' }, text)]);
    expectRefusal(other, {
      reason: 'api.query-malformed',
      detail: 'The only expectation that is met is 100-continue',
      status: 417,
      signedBy: null,
    });
    expect(other.headers).toMatchObject(CLOSED);
  });

  it('answers in one form whatever is asked of it', async () => {
    const unrouted = { reason: 'api.route-not-found', detail: 'Route not found', signedBy: null } as const;
    for (const start of [
      'TRACE /v2',
      'PROPFIND /v2',
      'PATCH /v2/wallets',
      'QUERY /v2/wallets',
      'GET *',
      'GET //v2',
      'GET http://ledger.example',
    ]) {
      expectRefusal(await send([requestText(start, {}, start.startsWith('GET') ? '' : '{}')]), unrouted);
    }
    const tunnel = await send([requestText('CONNECT ledger.example:80', {})]);
    expectRefusal(tunnel, unrouted);
    expect(tunnel.headers).toMatchObject(CLOSED);
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    for (const [start, more] of [
      ['GET /v2', upgrade],
      ['GET http://user:secret@ledger.example:80/v2', {}],
      ['HEAD /v2', {}],
    ] as const) {
      expect((await send([requestText(start, { ...more, connection: 'close' })])).status, start).toBe(200);
    }
    expect((await send(['GET /v2 HTTP/1.0\r\n\r\n'])).status).toBe(200);
    expect((await send([requestText('OPTIONS *', {})])).status).toBe(204);
    expectRefusal(await send([requestText('GET /v2/wallets', { trailer: 'x', 'x-ledger': 'nobody' })]), {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    });
  });

  it('stores nothing of a body that does not come to its end', async () => {
    const stored = await storedChanges(server.current);
    const text = create('truncated');
    const head = requestText('POST /v2/wallets', { ...headers, 'content-length': String(text.length + 1) });
    await expectRefusedOrClosed(send([head, text], true));
    const chunked = requestText('POST /v2/wallets', { ...headers, 'transfer-encoding': 'chunked' });
    await expectRefusedOrClosed(send([chunked, chunk(text)], true));
    await expectRefusedOrClosed(send([chunked, chunk(text.slice(0, 9)), 'zz\r\n'], true));
    await expectRefusedOrClosed(send([chunked, `fffffffffffffffff\r\n${text}`], true));
    expect(await storedChanges(server.current)).toBe(stored);
    expect((await client.get('/wallets/truncated')).status).toBe(404);
  });

  it('refuses a body that is longer than it is said to be', async () => {
    const stored = await storedChanges(server.current);
    const text = create('short');
    const head = requestText('POST /v2/wallets', { ...headers, 'content-length': String(text.length - 1) });
    // Both what is cut off and what is left over are malformed; which is told first depends on how the bytes arrive.
    const answer = await send([head, text]);
    expect(answer.status).toBe(400);
    expect(answer.body.data.reason).toBe('api.body-malformed');
    expect(await storedChanges(server.current)).toBe(stored);
  });

  it('refuses what is no HTTP, in the form of every other error', async () => {
    const refused = {
      reason: 'api.body-malformed',
      detail: 'The request is not well-formed HTTP',
      signedBy: null,
    } as const;
    for (const text of [
      'hello\r\n\r\n',
      'FOO /v2 HTTP/1.1\r\nhost: a\r\n\r\n',
      'GET /v2 HTTP/9.9\r\nhost: a\r\n\r\n',
      'GET /v2 HTTP/1.1\r\nhost a\r\n\r\n',
      'GET /v2 HTTP/1.1\r\nhost: a\r\nx y: 1\r\n\r\n',
      'GET /v2 HTTP/1.1\r\nhost: a\r\nx-ledger: a\u0000b\r\n\r\n',
      'GET /v2/\u0000 HTTP/1.1\r\nhost: a\r\n\r\n',
      'POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
      'POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n',
      'POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
      'POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
      '\u0016\u0003\u0001\u0002\u0000',
    ]) {
      const answer = await send([text]);
      expectRefusal(answer, refused);
      expect(answer.headers).toMatchObject(CLOSED);
    }
    // Node.js itself would answer this one, without a word.
    expectRefusal(await send(['GET /v2 HTTP/1.1\r\n\r\n']), refused);
  });

  it('gives up on requests that never arrive', async () => {
    const { app } = server.current.server;
    expect(app.server.requestTimeout).toBe(requestLimits.arrival);
    const accepted = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
    const answer = send([requestText('POST /v2/wallets', { ...headers, 'content-length': '10' }, '{')]);
    app.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), await accepted);
    expectRefusal(await answer, { reason: 'api.request-timeout', status: 408, signedBy: null });
  });

  it('answers requests on one connection in their order', async () => {
    const get = (path: string) => requestText(`GET /v2${path}`, { 'x-ledger': client.ledger! }).toString();
    const { hostname, port } = new URL(server.current.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      get('/wallets/one') +
        get('/signers/system') +
        get('/nothing').replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'),
    );
    let text = '';
    for await (const bytes of socket) text += bytes;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it('goes on after clients that leave', async () => {
    const { hostname, port } = new URL(server.current.url);
    for (const text of [
      '',
      'GET',
      requestText('POST /v2/wallets', { ...headers, 'content-length': '10' }, '{').toString(),
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resetAndDestroy()));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    }
    expect((await client.get('/wallets')).status).toBe(200);
  });
});

/** The headers of an answer after which the connection is closed. */
const CLOSED = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  connection: 'close',
};

/** Whether an answer can still be sent depends on how the connection ends; it never says that something was stored. */
async function expectRefusedOrClosed(answer: ReturnType<typeof exchange>): Promise<void> {
  const refused = await answer.catch((error: Error) => error);
  if (refused instanceof Error) expect(refused.message).toBe('Closed after: ');
  else expectRefusal(refused, { reason: 'api.body-malformed', signedBy: null });
}
