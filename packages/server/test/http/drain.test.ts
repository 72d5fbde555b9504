import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { guardConnections } from '../../src/http/connections.js';

const BOUNDS = { request: 30_000, count: 10, taken: 600_000, idle: 5_000, quiet: 10_000 };
/** More than the systems of both sides take in for a client that does not read. */
const LARGE = 'x'.repeat(20_000_000);

/** A server whose clock the test moves. */
async function serve() {
  const app = Fastify();
  onTestFinished(() => app.close());
  let time = 0;
  const connections = guardConnections(app, BOUNDS, () => time);
  app.get('/large', async () => LARGE);
  app.get('/health/ready', { config: { isProbe: true } }, async () => 'up');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ask = (path: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    return socket;
  };
  return { connections, ask, url: `http://127.0.0.1:${port}`, pass: (milliseconds: number) => (time += milliseconds) };
}

it('a drained process is busy until no client has asked for a while, probes aside', async () => {
  const { connections, url, pass } = await serve();
  const ask = (path: string) => fetch(url + path, { headers: { connection: 'close' } }).then((answer) => answer.text());
  connections.turned(true);
  expect(connections.isBusy()).toBe(true);
  pass(BOUNDS.quiet - 1);
  await ask('/nothing');
  pass(BOUNDS.quiet - 1);
  expect(connections.isBusy()).toBe(true);
  await ask('/health/ready');
  pass(1);
  await expect.poll(() => connections.isBusy()).toBe(false);
  connections.turned(false);
  expect(connections.isBusy()).toBe(false);
});

it('a drained process sends an answer whole to a client that reads slowly', async () => {
  const { connections, ask, pass } = await serve();
  const idle = ask('/health/ready');
  await once(idle.resume(), 'data');
  const slow = ask('/large');
  let size = 0;
  slow.on('data', (bytes) => {
    size += bytes.length;
  });
  await once(slow, 'data');
  slow.pause();
  connections.turned(true);
  pass(BOUNDS.idle + 1_000);
  await once(idle, 'close');
  pass(BOUNDS.quiet);
  expect(connections.isBusy()).toBe(true);
  slow.resume();
  await expect.poll(() => size).toBeGreaterThan(LARGE.length);
});
