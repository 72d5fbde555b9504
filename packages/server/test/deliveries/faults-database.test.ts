import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cable, layCable } from '../store/cable.js';
import type { TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type RunningServer, startServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, customsOf, loadDeliveries, subscribedLedger, untilDeliveries } from './scene.js';

const receiver = withReceiver();
let database: TestDatabase;
let cable: Cable;

const log: string[] = [];
const sink = new Writable({
  write(chunk, _, done) {
    log.push(String(chunk));
    done();
  },
});

beforeAll(async () => {
  database = await createMigratedDatabase();
  cable = await layCable(database.url);
});
afterAll(async () => {
  await cable?.close();
  await database?.drop();
});

/** A server that reaches its database by the cable. */
function start(lease: number): Promise<RunningServer> {
  return startServer({
    database: { ...database, url: cable.url },
    deliveryAllowPrivate: true,
    deliveries: { every: 50 },
    background: { lease, beat: lease / 4, retry: { first: 50, greatest: 200 }, jitter: 5 },
    logger: pino({ level: 'warn' }, sink),
  });
}

const untold = () => log.filter((line) => line.includes('the outcome of a delivery is not stored yet')).length;

/** A ledger whose receiver holds the only delivery, and the cable to the database is cut. */
async function cutDuringAttempt({ url }: RunningServer): Promise<{ client: TestClient; response: ServerResponse }> {
  const held: ServerResponse[] = [];
  receiver.instead = (_, response) => void held.push(response);
  const client = await subscribedLedger(url, receiver.url);
  await addWallet(client, 'ann');
  await eventually(() => expect(held).toHaveLength(1));
  await cable.cut();
  return { client, response: held[0]! };
}

describe('while the database is out of reach', () => {
  it('an outcome is kept until it is back, and nothing is sent twice', async () => {
    const server = await start(600_000);
    const { client, response } = await cutDuringAttempt(server);
    response.writeHead(202).end();
    await eventually(() => expect(untold()).toBeGreaterThan(3));
    expect((await loadDeliveries(database.url, client)).map(({ status }) => status)).toEqual(['running']);
    await cable.mend();
    const [row] = await untilDeliveries(database.url, client, ['delivered']);
    expect(row!.attempts).toBe(1);
    expect(customsOf(row!)).toEqual([{ status: 'delivered', detail: { httpStatus: 202 } }]);
    // The queue goes on.
    receiver.instead = undefined;
    await addWallet(client, 'bob');
    await untilDeliveries(database.url, client, ['delivered', 'delivered']);
    expect(receiver.received).toHaveLength(2);
    await server.stop();
  });

  it('for longer than a lease, the attempt is given up, and made again with the same body', async () => {
    const server = await start(800);
    const { client, response } = await cutDuringAttempt(server);
    if (!response.destroyed) await once(response, 'close');
    receiver.instead = undefined;
    await cable.mend();
    const [row] = await untilDeliveries(database.url, client, ['delivered']);
    expect([row!.attempts, row!.proofs.length]).toEqual([1, 1]);
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    await server.stop();
  });
});
