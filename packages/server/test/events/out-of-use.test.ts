import { describe, expect, it } from 'vitest';
import { withReceiver } from '../deliveries/receiver.js';
import { newLedger, signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { subscribe } from './support.js';

const server = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

async function setStatus(client: TestClient, status: string | null) {
  const effect = ok(await client.get('/effects/hook')).body;
  ok(await client.prove('/effects/hook', effect, { status }));
}

const received = () => receiver.received.map(({ text }) => JSON.parse(text).data.wallet.data.handle);

const statuses = async (client: TestClient) =>
  ok(await client.get('/effects/hook/events')).body.data.map(({ meta }: { meta: { status: string } }) => meta.status);

describe('an effect', () => {
  it.each(['inactive', 'blocked'])(
    'is told of nothing while it is %s, and of all that happens afterwards',
    async (out) => {
      const client = await newLedger(server.current.url);
      await subscribe(client, 'hook', 'wallet-created', { action: { endpoint: receiver.url } });
      await stored(client, 'wallet', { handle: 'a' });
      await eventually(() => expect(received()).toEqual(['a']));
      await setStatus(client, out);
      await stored(client, 'wallet', { handle: 'b' });
      for (const status of ['paused', null, 'active']) {
        await setStatus(client, status);
        await stored(client, 'wallet', { handle: `c-${status}` });
      }
      await eventually(() => expect(received()).toHaveLength(4));
      expect(received().sort()).toEqual(['a', 'c-active', 'c-null', 'c-paused']);
    },
  );

  it('sends nothing that waits once it is inactive, and what was left when it is retried in use again', async () => {
    receiver.instead = (_, response) => response.writeHead(503).end();
    const client = await newLedger(server.current.url);
    await subscribe(client, 'hook', 'wallet-created', { action: { endpoint: receiver.url } });
    await stored(client, 'wallet', { handle: 'a' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await setStatus(client, 'inactive');
    await eventually(async () => expect(await statuses(client)).toEqual(['cancelled']));
    receiver.instead = undefined;
    const before = receiver.received.length;
    const retry = (again: number) =>
      client.call('POST', '/effects/hook/events/retry', signed({}, client.key, { again }));
    ok(await retry(1));
    await setStatus(client, 'active');
    ok(await retry(2));
    await eventually(async () => expect(await statuses(client)).toEqual(['delivered']));
    expect(receiver.received).toHaveLength(before + 1);
  });
});
