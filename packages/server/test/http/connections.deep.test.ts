import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { newLedger, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startServer, withOwnServer } from '../support/server.js';
import { exchange, requestText } from './raw.js';
import { expectRefusal } from './refusal.js';

/** A connection to the server; what comes over it is added up. */
async function dial(url: string): Promise<{ socket: Socket; text(): string; ended: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', () => {});
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, text: () => text, ended };
}

const INFORMATION = 'GET /v2 HTTP/1.1\r\nhost: a\r\n\r\n';

/** Bounds that a test can wait for; what is to happen after a second has ten times that. */
const SHORT = { request: 1_000, count: 8, taken: 1_000, idle: 2_000, quiet: 1_000 };

describe('connections of clients', () => {
  const server = withOwnServer({ connections: SHORT });

  it('are held to the limits of the service', async () => {
    const other = await startServer();
    onTestFinished(() => other.stop());
    const { requestTimeout, headersTimeout } = other.server.app.server;
    expect({ requestTimeout, headersTimeout }).toEqual({
      requestTimeout: requestLimits.arrival,
      headersTimeout: requestLimits.arrival,
    });
    const [answer] = await Promise.all([fetch(other.url)]);
    expect(answer.headers.get('keep-alive')).toBe(`timeout=${requestLimits.clients.idle / 1000}`);
  });

  // Node.js looks every thirty seconds unless told otherwise: then none of these would be answered in twenty.
  it('end with an answer when a request does not arrive', async () => {
    const unfinished = [
      '',
      'GET /v2 HT',
      'GET /v2 HTTP/1.1\r\nhost: a\r\nx: ',
      'POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{',
    ];
    const answers = await Promise.all(unfinished.map((text) => exchange(server.current.url, [text], false, 20_000)));
    for (const answer of answers) {
      expectRefusal(answer, { reason: 'api.request-timeout', status: 408, signedBy: null });
    }
  });

  it('end also when the client goes on sending, and never closes its side', async () => {
    const { socket, text, ended } = await dial(server.current.url);
    socket.write('POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: 10000\r\n\r\n');
    const trickle = setInterval(() => socket.write(' '), 20);
    onTestFinished(() => clearInterval(trickle));
    await ended;
    expect(text()).toMatch(/^HTTP\/1.1 408 /);
  });

  it('end when the client does not read its answers', async () => {
    const accepted: Socket[] = [];
    server.current.server.app.server.on('connection', (socket: Socket) => accepted.push(socket));
    const client = await newLedger(server.current.url);
    const large = signed({ handle: 'large', custom: { text: 'x'.repeat(500_000) } }, client.key);
    expect((await client.call('POST', '/wallets', large)).status).toBe(201);
    const { socket, ended } = await dial(server.current.url);
    socket.pause();
    // More than the systems of both sides take in for a client that does not read.
    const read = requestText('GET /v2/wallets/large', { 'x-ledger': client.ledger! });
    for (let count = 0; count < 40; count += 1) socket.write(read);
    const waiting = () => accepted.filter((one) => !one.destroyed && one.writableLength > 0);
    await eventually(() => expect(waiting()).toHaveLength(1));
    await eventually(() => expect(waiting()).toHaveLength(0));
    socket.resume();
    await ended;
  });

  it('are so many and no more, and there is room again when one ends', async () => {
    const { url, server: running } = server.current;
    running.app.server.closeIdleConnections();
    const count = () => new Promise((resolve) => running.app.server.getConnections((_, number) => resolve(number)));
    await eventually(async () => expect(await count()).toBe(0));
    const open = await Promise.all(Array.from({ length: SHORT.count }, () => dial(url)));
    const [last] = open.slice(-1);
    last!.socket.write(INFORMATION);
    await once(last!.socket, 'data');
    const beyond = await dial(url);
    await beyond.ended;
    expect(beyond.text()).toBe('');
    for (const { socket } of open) socket.destroy();
    await eventually(async () => expect((await exchange(url, [INFORMATION])).status).toBe(200));
  });
});

describe('a server that leaves', () => {
  it('answers what comes on open connections and says that they close, then takes no more', async () => {
    const { url, server, stop } = await startServer({ connections: { idle: 60_000 } });
    const [used, unused] = await Promise.all([dial(url), dial(url)]);
    used.socket.write(INFORMATION);
    await once(used.socket, 'data');
    expect(used.text()).toMatch(/\r\nconnection: keep-alive\r\n/i);
    expect(used.text()).toMatch(/\r\nkeep-alive: timeout=60\r\n/);
    const left = server.leave();
    for (const { socket, ended, text } of [used, unused]) {
      socket.write(INFORMATION);
      await ended;
      expect(text()).toMatch(/HTTP\/1.1 200 OK\r\n[^{]*connection: close\r\n[^{]*\{.*\}\}$/s);
    }
    await expect(exchange(url, [INFORMATION])).rejects.toThrow('Closed after: ');
    // All have been told: nobody is waited for.
    await left;
    await stop();
  });

  it('waits for who may still be using an idle connection as long as it was told to', async () => {
    const { url, server, stop } = await startServer({ connections: { idle: 1_000 } });
    const { socket, text, ended } = await dial(url);
    socket.write(INFORMATION);
    await once(socket, 'data');
    const began = performance.now();
    await server.leave();
    expect(performance.now() - began).toBeGreaterThan(1_000);
    await ended;
    expect(text().match(/HTTP\/1.1 200/g)).toHaveLength(1);
    await stop();
  });

  it('does not wait for who has not said a word, nor long for a request that does not arrive', async () => {
    const { url, server, stop } = await startServer({ connections: { idle: 1_000, request: 1_000 } });
    const [unused, begun] = await Promise.all([dial(url), dial(url)]);
    begun.socket.write('POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{');
    await server.leave();
    await Promise.all([unused.ended, begun.ended]);
    await stop();
  });
});
