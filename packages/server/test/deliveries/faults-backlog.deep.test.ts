import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { type RunningServer, withOwnServer } from '../support/server.js';
import { TestReceiver, withReceiver } from './receiver.js';
import { addWallet, addWebhook, copyDelivery, loadDeliveries, subscribedLedger } from './scene.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
/** Runs few queues at a time, each for a moment. */
const narrow = withOwnServer({
  deliveryAllowPrivate: true,
  deliveries: { concurrency: 3, each: 2, run: 100, linger: 20 },
});
const receiver = withReceiver();

const MANY = 10_000;
/** Attempts that fail, beside those that are under way, before another host is told of something: in a second they are many more. */
const FEW = 100;

async function countAttempts({ server }: RunningServer, outcome: string): Promise<number> {
  const { values } = await server.metrics.registry.getSingleMetric('countersign_delivery_attempts_total')!.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

const untilTold = (handle: string) =>
  eventually(() => expect(receiver.received.map(({ body }) => body.data.wallet.data.handle)).toContain(handle));

/** A ledger with that many deliveries that wait for a host. */
async function ledgerBefore(server: RunningServer, target: string, count: number): Promise<TestClient> {
  const client = await newLedger(server.url, { access: OPEN });
  await addBacklog(server, client, target, count);
  return client;
}

async function addBacklog(server: RunningServer, client: TestClient, target: string, count: number): Promise<void> {
  const { port } = new URL(target);
  const action = { schema: 'webhook', endpoint: target };
  await addWebhook(client, `dead-${port}`, target, { filter: { 'wallet.data.handle': `first-${port}` }, action });
  await addWallet(client, `first-${port}`);
  await copyDelivery(server, client, `dead-${port}`, count);
}

describe(`${MANY} deliveries that wait for a host`, () => {
  it('which refuses connections delay no other host', async () => {
    const client = await ledgerBefore(running.current, `http://127.0.0.1:${await freePort()}`, MANY);
    await addWebhook(client, 'well', receiver.url);
    const other = await subscribedLedger(running.current.url, receiver.url);
    for (const [at, ledger] of [client, other, client, other].entries()) {
      await addWallet(ledger, `new-${at}`);
      const before = await countAttempts(running.current, 'unreachable');
      await untilTold(`new-${at}`);
      expect((await countAttempts(running.current, 'unreachable')) - before).toBeLessThan(FEW);
    }
    const rows = await loadDeliveries(running.current.database.url, client);
    expect(rows.filter(({ status }) => status === 'pending').length).toBeGreaterThan(MANY / 2);
  });

  it('which hangs delay no other host', async () => {
    const hung = new TestReceiver();
    await hung.start();
    const held: ServerResponse[] = [];
    hung.instead = (_, response) => void held.push(response);
    const client = await ledgerBefore(running.current, hung.url, MANY);
    await addWebhook(client, 'well', receiver.url);
    const other = await subscribedLedger(running.current.url, receiver.url);
    await eventually(() => expect(held).not.toEqual([]));
    for (const [at, ledger] of [client, other].entries()) {
      await addWallet(ledger, `new-${at}`);
      await untilTold(`new-${at}`);
    }
    expect(held.filter(({ destroyed }) => destroyed)).toHaveLength(0);
    await hung.stop();
  });
});

describe('more hosts with a backlog than queues may run at a time', () => {
  /** A host that refuses connections, with deliveries that wait for it. */
  async function addDead(client: TestClient): Promise<string> {
    const dead = `http://127.0.0.1:${await freePort()}`;
    await addBacklog(narrow.current, client, dead, 1_000);
    return dead;
  }

  const isWaiting = async (client: TestClient, target: string) =>
    (await loadDeliveries(narrow.current.database.url, client)).some(
      (row) => row.target === target && row.attempts === 0,
    );

  it('leave another host of their ledger its turn', async () => {
    const client = await newLedger(narrow.current.url, { access: OPEN });
    const dead = [await addDead(client), await addDead(client), await addDead(client)];
    await addWebhook(client, 'well', receiver.url);
    await addWallet(client, 'here');
    await untilTold('here');
    for (const target of dead) expect(await isWaiting(client, target)).toBe(true);
  });

  it('leave another ledger its turn', async () => {
    const dead: [TestClient, string][] = [];
    for (let count = 0; count < 4; count += 1) {
      const client = await newLedger(narrow.current.url, { access: OPEN });
      dead.push([client, await addDead(client)]);
    }
    const other = await subscribedLedger(narrow.current.url, receiver.url);
    await addWallet(other, 'there');
    await untilTold('there');
    for (const [client, target] of dead) expect(await isWaiting(client, target)).toBe(true);
  });
});
