import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openWithin } from '../../src/base/contained-file.js';
import { guardConnections } from '../../src/http/connections.js';
import { sendFile } from '../../src/http/file.js';
import { eventually } from '../support/eventually.js';

/** More than the systems of both sides take in for a client that does not read. */
const SIZE = 64 * 1024 * 1024;
const TAKEN = 60_000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-downloads-'));
  await writeFile(join(folder, 'large'), Buffer.alloc(SIZE));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server that sends the large file, whose clock a test moves; and a client that reads as it is told. */
async function download() {
  let now = 1;
  let looks = 0;
  const app = Fastify({ forceCloseConnections: true });
  const clock = () => {
    looks += 1;
    return now;
  };
  guardConnections(app, { request: 30_000, count: 10, taken: TAKEN, idle: 5_000, quiet: 10_000 }, clock);
  app.get('/', async (_, reply) => sendFile(reply, { ...(await openWithin(folder, ['large']))!, name: 'large' }));
  let accepted: Socket | undefined;
  app.server.on('connection', (socket: Socket) => {
    accepted = socket;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = 0;
  socket.on('data', (bytes) => {
    received += bytes.length;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  await eventually(() => expect(accepted?.writableLength).toBeGreaterThan(0));
  return {
    socket,
    received: () => received,
    accepted: accepted!,
    /** Lets time pass, until it was looked at the connections. */
    async pass(milliseconds: number) {
      now += milliseconds;
      const before = looks;
      await eventually(() => expect(looks).toBeGreaterThan(before));
    },
    /** Reads until more of the file was sent, and some of it waits again. */
    async readSome() {
      const { bytesWritten } = accepted!;
      socket.resume();
      await eventually(() => expect(accepted!.bytesWritten).toBeGreaterThan(bytesWritten));
      socket.pause();
    },
  };
}

describe('the download of a file', () => {
  it('goes on for longer than an answer may wait, as long as the client takes some of it', async () => {
    const { socket, accepted, received, pass, readSome } = await download();
    for (let times = 0; times < 3; times += 1) {
      await pass(TAKEN - 1);
      expect(accepted.destroyed).toBe(false);
      await readSome();
      await pass(0);
    }
    socket.resume();
    await once(socket, 'close');
    expect(received()).toBeGreaterThan(SIZE);
  });

  it('is cut when the client takes nothing of it', async () => {
    const { accepted, pass } = await download();
    // What the systems of both sides take in counts as taken.
    for (let sent = -1; sent !== accepted.bytesWritten; ) {
      sent = accepted.bytesWritten;
      await pass(0);
    }
    await pass(TAKEN - 1);
    expect(accepted.destroyed).toBe(false);
    await pass(1);
    expect(accepted.destroyed).toBe(true);
  });
});
