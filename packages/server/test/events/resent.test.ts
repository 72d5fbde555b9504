import { describe, expect, it } from 'vitest';
import { withReceiver } from '../deliveries/receiver.js';
import { newLedger, signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { subscribe } from './support.js';

const server = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

/** Waits until every delivery of the effect has the status. @returns them, newest first */
function untilAll(client: TestClient, status: string, count: number) {
  return eventually(async () => {
    const { data } = ok(await client.get('/effects/hook/events')).body;
    expect(data.map((one: { meta: { status: string } }) => one.meta.status)).toEqual(Array(count).fill(status));
    return data;
  });
}

/** A ledger with deliveries that the receiver has answered 501: they were given up at once. */
async function ledgerRefused(count: number): Promise<TestClient> {
  receiver.instead = (_, response) => response.writeHead(501).end();
  const client = await newLedger(server.current.url);
  await subscribe(client, 'hook', 'wallet-created', { action: { endpoint: receiver.url } });
  for (let index = 0; index < count; index += 1) await stored(client, 'wallet', { handle: `w-${index}` });
  await untilAll(client, 'cancelled', count);
  receiver.instead = undefined;
  return client;
}

describe('failed deliveries can be retried with the retry operation', () => {
  it.each(['events/retry', 'activate'])(
    'by %s: sent again with the same body, beside the earlier proofs',
    async (end) => {
      const client = await ledgerRefused(3);
      const texts = receiver.received.map(({ text }) => text);
      ok(await client.call('POST', `/effects/hook/${end}`, signed({}, client.key, {})));
      const deliveries = await untilAll(client, 'delivered', 3);
      for (const { meta } of deliveries) {
        const customs = meta.proofs.map((proof: { custom: { status: string } }) => proof.custom.status);
        expect(customs).toEqual(['failed', 'cancelled', 'delivered']);
        expect(meta.replay).toBe(2);
      }
      expect(receiver.received).toHaveLength(6);
      expect(new Set(receiver.received.map(({ text }) => text))).toEqual(new Set(texts));
    },
  );

  it('one by one, by its handle', async () => {
    const client = await ledgerRefused(2);
    const [newest] = ok(await client.get('/effects/hook/events')).body.data;
    const body = signed({ handle: newest.data.handle, maxAge: 0 }, client.key, {});
    ok(await client.call('POST', '/effects/hook/events/retry', body));
    await eventually(() => expect(receiver.received).toHaveLength(3));
    expect(receiver.received[2]!.text).toBe(JSON.stringify(newest.meta.output));
    const statuses = async () =>
      ok(await client.get('/effects/hook/events')).body.data.map((one: typeof newest) => one.meta.status);
    await eventually(async () => expect(await statuses()).toEqual(['delivered', 'cancelled']));
  });

  it('with a fresh schedule: those that fail again are attempted as often as new ones', async () => {
    const client = await ledgerRefused(1);
    receiver.instead = (_, response) => response.writeHead(501).end();
    for (let times = 2; times <= 4; times += 1) {
      ok(await client.call('POST', '/effects/hook/events/retry', signed({}, client.key, { times })));
      await eventually(() => expect(receiver.received).toHaveLength(times));
      await untilAll(client, 'cancelled', 1);
    }
    const [{ meta }] = await untilAll(client, 'cancelled', 1);
    expect(meta.replay).toBe(4);
    expect(meta.proofs).toHaveLength(8);
  });
});

describe('deleting an effect', () => {
  it('stops event delivery; already delivered events are unaffected', async () => {
    const client = await newLedger(server.current.url);
    const effect = await subscribe(client, 'hook', 'wallet-created', { action: { endpoint: receiver.url } });
    await stored(client, 'wallet', { handle: 'before' });
    await untilAll(client, 'delivered', 1);
    const [text] = receiver.received.map((event) => event.text);
    ok(await client.drop('/effects/hook', effect));
    await stored(client, 'wallet', { handle: 'after' });
    // Another effect shows that what came later was delivered to others.
    await subscribe(client, 'witness', 'wallet-created', { action: { endpoint: receiver.url } });
    await stored(client, 'wallet', { handle: 'witnessed' });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received.map(({ body }) => body.data.wallet.data.handle)).toEqual(['before', 'witnessed']);
    expect(receiver.received[0]!.text).toBe(text);
    expect((await client.get('/effects/hook/events')).status).toBe(404);
  });
});
