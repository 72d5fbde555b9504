import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { newKey, OPEN, signed, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/server.js';

const server = withServer();
const MEGABYTE = 2 ** 20;

/** A connection, what came over it, and how it ended: by an error, or as it should. */
async function dial() {
  const { hostname, port } = new URL(server.current.url);
  const socket = connect({ port: Number(port), host: hostname });
  const seen = { text: '', fault: undefined as Error | undefined };
  socket.on('data', (bytes) => {
    seen.text += bytes;
  });
  socket.on('error', (error) => {
    seen.fault = error;
  });
  const ended = once(socket, 'close').catch(() => undefined);
  await once(socket, 'connect');
  return { socket, seen, ended };
}

const head = (length: number) =>
  `POST /v2/wallets HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** Whether the system has taken them: it does not once the connection has ended. */
const write = (socket: Socket, bytes: number) =>
  new Promise<boolean>((resolve) => {
    socket.write('x'.repeat(bytes), (error) => resolve(!error));
  });

describe('a body that is refused before it has come', () => {
  it('may come to its end, after the whole answer', async () => {
    const { socket, seen, ended } = await dial();
    socket.write(head(8 * MEGABYTE));
    await eventually(async () => expect(seen.text).toMatch(/^HTTP\/1.1 413 .*\r\n\r\n\{.*\}$/s));
    expect(seen.text).toMatch(/^connection: close\r$/m);
    expect(seen.text).toContain(`Request body is larger than ${bodyLimits.bytes} bytes`);
    for (let sent = 0; sent < 8; sent++) expect(await write(socket, MEGABYTE)).toBe(true);
    await ended;
    expect(seen.fault).toBeUndefined();
  });

  it('is read no further than its bound', async () => {
    const { socket, seen, ended } = await dial();
    socket.write(head(2 ** 31));
    let sent = 0;
    while (sent < 64 && (await write(socket, MEGABYTE))) sent++;
    await ended;
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /);
    // 16 were read, and some wait in the system.
    expect(sent).toBeLessThan(64);
  });

  it('does not keep the connection when it never comes', async () => {
    const { socket, seen, ended } = await dial();
    socket.write(head(2 * MEGABYTE));
    await ended;
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /);
    expect(seen.fault).toBeUndefined();
  });
});

describe('a request behind a body that is refused', () => {
  const ledgerOf = (handle: string) => {
    const body = JSON.stringify(
      signed({ handle, signer: { schema: 'rest', public: newKey().public }, access: OPEN }, newKey()),
    );
    return `POST /v2/ledgers HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };

  it.each([
    ['that comes in the same packets', 1.3, 1],
    ['that comes later', 5, 20],
  ])('%s is left undone, as it cannot be answered', async (_, megabytes, writes) => {
    const { socket, seen, ended } = await dial();
    const handle = `behind-${writes}-${process.pid}`;
    const bytes = Math.floor(megabytes * MEGABYTE);
    const all = head(bytes) + 'x'.repeat(bytes) + ledgerOf(handle);
    const piece = Math.ceil(all.length / writes);
    for (let at = 0; at < all.length; at += piece) socket.write(all.slice(at, at + piece));
    await ended;
    expect(seen.text.match(/^HTTP\/1.1 .*$/gm)).toEqual([expect.stringContaining(' 413 ')]);
    expect((await new TestClient(server.current.url).in(handle).get('/ledger')).status).toBe(404);
  });

  it('is one of a few that are parsed, however many come', async () => {
    const { app } = server.current.server;
    let parsed = 0;
    const count = () => {
      parsed += 1;
    };
    app.server.on('request', count);
    const { socket, seen, ended } = await dial();
    const bytes = bodyLimits.bytes + 1;
    socket.write(head(bytes));
    await eventually(() => expect(seen.text).toMatch(/^HTTP\/1.1 413 /));
    socket.write(`${'x'.repeat(bytes)}${'GET / HTTP/1.1\r\n\r\n'.repeat((4 * MEGABYTE) / 18)}`);
    await ended;
    app.server.off('request', count);
    // Those of one piece of what was read, of 64 KiB; they would be 233,000.
    expect(parsed).toBeLessThan(8_000);
  });
});
