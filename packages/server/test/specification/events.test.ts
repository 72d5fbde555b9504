import { describe, expect, it } from 'vitest';
import { withReceiver } from '../deliveries/receiver.js';
import { dropOf, newLedger, OPEN, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

const open = () => newLedger(server.current.url, { access: OPEN });
const webhook = () => ({ schema: 'webhook', endpoint: `${receiver.url}/hook` });
const told = () => receiver.received.map(({ path, body }) => `${path} ${body.data.wallet.data.handle}`);

describe('Events', () => {
  it('Effects subscribe to signals and deliver them to a bridge or a webhook endpoint', async () => {
    const client = await open();
    const bridge = { handle: 'post', schema: 'rest', config: { server: receiver.url }, secure: [] };
    await stored(client, 'bridge', bridge);
    await stored(client, 'effect', { handle: 'to-bridge', signal: 'wallet-created', action: { bridge: 'post' } });
    await stored(client, 'effect', { handle: 'to-webhook', signal: 'wallet-created', action: webhook() });
    await stored(client, 'wallet', { handle: 'ann' });
    await eventually(() => expect(told().sort()).toEqual(['/effects/to-bridge ann', '/hook ann']));
  });

  it('Effects optionally restrict a signal with a filter object: dotted record paths and required values', async () => {
    const client = await open();
    const filter = { 'wallet.data.custom.tier': 'gold', 'wallet.data.handle': { $ne: 'ann' } };
    await stored(client, 'effect', { handle: 'gold', signal: 'wallet-created', filter, action: webhook() });
    await stored(client, 'wallet', { handle: 'ann', custom: { tier: 'gold' } });
    await stored(client, 'wallet', { handle: 'bob', custom: { tier: 'silver' } });
    await stored(client, 'wallet', { handle: 'cid', custom: { tier: 'gold' } });
    await eventually(() => expect(told()).toEqual(['/hook cid']));
  });

  it('Failed deliveries can be retried with the retry operation', async () => {
    const client = await open();
    await stored(client, 'effect', { handle: 'hook', signal: 'wallet-created', action: webhook() });
    receiver.instead = (_, response) => response.writeHead(501).end();
    await stored(client, 'wallet', { handle: 'ann' });
    const status = async () => (await client.call('GET', '/effects/hook/events')).body.data[0]?.meta.status;
    await eventually(async () => expect(await status()).toBe('cancelled'));
    receiver.instead = undefined;
    ok(await client.call('POST', '/effects/hook/events/retry', signed({ maxAge: 0 }, client.key, {})));
    await eventually(async () => expect(await status()).toBe('delivered'));
  });

  it('Deleting an effect stops delivery; already delivered events are unaffected', async () => {
    const client = await open();
    const effect = await stored(client, 'effect', { handle: 'hook', signal: 'wallet-created', action: webhook() });
    await stored(client, 'effect', { handle: 'other', signal: 'wallet-created', action: { ...webhook() } });
    await stored(client, 'wallet', { handle: 'ann' });
    await eventually(() => expect(told()).toEqual(['/hook ann', '/hook ann']));
    ok(await client.call('DELETE', '/effects/hook', dropOf(effect, client.key)));
    await stored(client, 'wallet', { handle: 'bob' });
    await eventually(() => expect(told()).toEqual(['/hook ann', '/hook ann', '/hook bob']));
    expect((await client.call('GET', '/effects/hook/events')).status).toBe(404);
    expect((await client.call('GET', '/effects/other/events')).body.data).toHaveLength(2);
  });
});
