import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { newLedger, OPEN } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, addWebhook, customsOf, loadDeliveries, subscribedLedger, untilDeliveries } from './scene.js';

/** Time-outs that a test can wait for; `patient` has those of operation. */
const running = withOwnServer({ deliveryAllowPrivate: true, deliveries: { attempt: 1_000 } });
const { greatest } = deliveryLimits.width;
const patient = withOwnServer({ deliveryAllowPrivate: true, deliveries: { width: { first: greatest, greatest } } });
const receiver = withReceiver();

/** A receiver that does to a connection what it is told, once the head of a request has come. */
class RawReceiver {
  readonly sockets: Socket[] = [];
  /** Heads of requests. */
  readonly heads: string[] = [];
  url = '';
  readonly #server: Server;

  constructor(answer: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const text = String(chunk);
        if (!text.startsWith('POST ')) return;
        this.heads.push(text.split('\r\n')[0]!);
        answer(socket);
      });
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
    return this;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

const started: RawReceiver[] = [];
async function startRaw(answer: (socket: Socket) => void): Promise<RawReceiver> {
  const raw = await new RawReceiver(answer).start();
  started.push(raw);
  return raw;
}
afterEach(() => {
  for (const raw of started.splice(0)) raw.stop();
});

/** Writes the text, then a byte at a time for as long as the connection is open. */
async function drip(socket: Socket, text: string): Promise<void> {
  socket.write(text);
  while (!socket.destroyed) {
    socket.write('a');
    await pause(20);
  }
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';
const BIG = 64 * 1024 * 1024;

const RESET = { code: 'ECONNRESET', message: 'connect ECONNRESET 127.0.0.1' };
const late = { code: 'ETIMEDOUT', message: '127.0.0.1 did not answer in time' };
const unreachable = (detail: object) => ({ status: 'failed', reason: 'delivery.target-unreachable', detail });

describe('a receiver that hangs', () => {
  it('delays neither another receiver of its ledger nor one of another ledger', async () => {
    const { url } = patient.current;
    const hung = await startRaw(() => {});
    const client = await newLedger(url, { access: OPEN });
    await addWebhook(client, 'hung', hung.url);
    await addWebhook(client, 'well', receiver.url);
    const other = await subscribedLedger(url, receiver.url);
    for (let at = 0; at < 5; at += 1) await addWallet(client, `w-${at}`);
    await addWallet(other, 'there');
    await eventually(() => expect(receiver.received).toHaveLength(6));
    // A connection may be there before the head that comes on it.
    await eventually(() => {
      expect(hung.heads.length).toBeGreaterThan(0);
      expect(hung.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(hung.heads.length);
    });
    const rows = await loadDeliveries(patient.current.database.url, client);
    expect(rows.filter(({ effect, attempts }) => effect === 'hung' && attempts > 0)).toEqual([]);
  });
});

describe('a receiver that hangs for one ledger', () => {
  it('is sent the events of another one at once', async () => {
    const { url } = patient.current;
    const held: ServerResponse[] = [];
    receiver.instead = ({ path }, response) => {
      if (path === '/hangs') held.push(response);
      else response.end();
    };
    const client = await subscribedLedger(url, `${receiver.url}/hangs`);
    const other = await subscribedLedger(url, `${receiver.url}/well`);
    await Promise.all(Array.from({ length: greatest + 1 }, (_, at) => addWallet(client, `w-${at}`)));
    await eventually(() => expect(held).toHaveLength(greatest));
    await addWallet(other, 'there');
    await untilDeliveries(patient.current.database.url, other, ['delivered']);
    expect(held.filter(({ destroyed }) => destroyed)).toHaveLength(0);
    for (const response of held) response.end();
  });
});

/** What the proof of the first attempt to deliver there says. */
async function firstCustomFrom({ url }: { readonly url: string }) {
  const client = await subscribedLedger(running.current.url, url);
  await addWallet(client, 'ann');
  const [row] = await eventually(async () => {
    const rows = await loadDeliveries(running.current.database.url, client);
    expect(rows[0]?.attempts).toBeGreaterThan(0);
    return rows;
  });
  return customsOf(row!)[0];
}

describe('an attempt', () => {
  it.each([
    ['never answers', () => {}],
    ['drips the head of its answer', (socket: Socket) => void drip(socket, `${HEAD}x-long: `)],
  ])('fails as out of time where the receiver %s', async (_, answer) => {
    const raw = await startRaw(answer);
    expect(await firstCustomFrom(raw)).toEqual(unreachable(late));
    await eventually(() => expect(raw.sockets[0]!.destroyed).toBe(true));
  });

  it.each([
    ['before its answer', '', RESET],
    ['within the head of its answer', HEAD, RESET],
  ])('fails where the receiver closes %s', async (_, text, detail) => {
    const raw = await startRaw((socket) => socket.end(text));
    expect(await firstCustomFrom(raw)).toEqual(unreachable(detail));
  });

  it('counts by its status where the receiver drips its body, which is not waited for', async () => {
    const raw = await startRaw((socket) => void drip(socket, `${HEAD}\r\n`));
    const client = await subscribedLedger(patient.current.url, raw.url);
    const began = performance.now();
    await addWallet(client, 'ann');
    const rows = await untilDeliveries(patient.current.database.url, client, ['delivered']);
    expect(rows.map(customsOf)).toEqual([[{ status: 'delivered', detail: { httpStatus: 200 } }]]);
    await eventually(() => expect(raw.sockets[0]!.destroyed).toBe(true));
    expect(performance.now() - began).toBeLessThan(deliveryLimits.attempt);
    expect(raw.heads).toHaveLength(1);
  });

  it('counts by its status where the receiver closes within its body', async () => {
    const raw = await startRaw((socket) => void socket.end(`${HEAD}content-length: 9\r\n\r\nab`));
    const client = await subscribedLedger(running.current.url, raw.url);
    await addWallet(client, 'ann');
    const rows = await untilDeliveries(running.current.database.url, client, ['delivered']);
    expect(rows.map(customsOf)).toEqual([[{ status: 'delivered', detail: { httpStatus: 200 } }]]);
    expect(raw.heads).toHaveLength(1);
  });

  it('counts by its status where the answer is large, and reads little of that', async () => {
    const raw = await startRaw((socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const more = () => {
        while (!socket.destroyed && socket.bytesWritten < BIG) {
          socket.write(`${chunk.length.toString(16)}\r\n`);
          socket.write(chunk);
          if (!socket.write('\r\n')) return void socket.once('drain', more);
        }
      };
      more();
    });
    const client = await subscribedLedger(running.current.url, raw.url);
    await addWallet(client, 'ann');
    await untilDeliveries(running.current.database.url, client, ['delivered']);
    await eventually(() => expect(raw.sockets[0]!.destroyed).toBe(true));
    expect(raw.sockets[0]!.bytesWritten).toBeLessThan(BIG / 4);
  });

  it('counts as rejected where the answer leads elsewhere, and goes nowhere else', async () => {
    const elsewhere = await startRaw((socket) => socket.end(`${HEAD}content-length: 0\r\n\r\n`));
    receiver.instead = (_, response) => response.writeHead(302, { location: elsewhere.url }).end();
    const client = await subscribedLedger(running.current.url, receiver.url);
    await addWallet(client, 'ann');
    const [row] = await untilDeliveries(running.current.database.url, client, ['failed']);
    expect(customsOf(row!)[0]).toEqual({
      status: 'failed',
      reason: 'delivery.target-rejected',
      detail: { httpStatus: 302 },
    });
    expect(elsewhere.sockets).toEqual([]);
  });
});
