import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { withReceiver } from '../deliveries/receiver.js';
import { loadDeliveries, untilDeliveries } from '../deliveries/scene.js';
import { signed } from '../support/client.js';
import { miscounted } from '../support/counted.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { dump, erasingLedger, erasureOf, SECRET_NAME, tablesWith } from './support.js';

const server = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

describe('deliveries of an erased record', () => {
  it('tell whom it was sent to, and nothing of it', async () => {
    const { url, database } = server.current;
    const client = await erasingLedger(url);
    await hook(client, 'made', 'wallet-created', receiver.url);
    await hook(client, 'proven', 'wallet-proofs-added', receiver.url);
    // Nobody answers there: it waits for its next attempt.
    await hook(client, 'waits', 'wallet-created', 'http://127.0.0.1:9/');
    const { record, path } = await goneWallet(client);
    await stored(client, 'wallet', { handle: 'stays' });
    const kept = await eventually(async () => {
      const rows = await loadDeliveries(database.url, client);
      expect(rows.filter(({ status }) => status === 'delivered').length).toBeGreaterThanOrEqual(4);
      expect(rows.every(({ attempts }) => attempts > 0)).toBe(true);
      return rows;
    });
    ok(await client.call('POST', `${path}/erase`, erasureOf(record.luid, 2, client.key)));
    const rows = await loadDeliveries(database.url, client);
    const about = kept.flatMap(({ linked }, at) => (linked === 'stays' ? [] : [at]));
    for (const at of about) {
      expect(rows[at]).toMatchObject({
        status: 'erased',
        linked: null,
        due: null,
        proofs: [],
        target: kept[at]!.target,
      });
    }
    for (const [at, row] of kept.entries()) {
      if (!about.includes(at) && row.status === 'delivered') expect(rows[at]).toEqual(row);
    }
    expect(tablesWith(await dump(database.url), [SECRET_NAME, record.hash, 'wallet-erased-soon'])).toEqual([]);
    expect(await miscounted(database.url)).toEqual([]);
  });

  it('are listed, and not sent again', async () => {
    const { url, database } = server.current;
    const client = await erasingLedger(url);
    await hook(client, 'waits', 'wallet-created', 'http://127.0.0.1:9/');
    const { record, path } = await goneWallet(client);
    await eventually(async () => expect((await loadDeliveries(database.url, client))[0]?.attempts).toBeGreaterThan(0));
    ok(await client.call('POST', `${path}/erase`, erasureOf(record.luid, 2, client.key)));
    const { data } = ok(await client.get('/effects/waits/events')).body;
    expect(data).toMatchObject([
      {
        meta: { status: 'erased', output: null, proofs: [] },
        data: { linked: null, effect: 'waits', record: 'wallet' },
      },
    ]);
    const { handle } = data[0].data;
    ok(await client.get(`/effects/waits/events/${handle}`));
    ok(await client.call('POST', '/effects/waits/events/retry', signed({ handle }, client.key, {})));
    ok(await client.call('POST', '/effects/waits/events/retry', signed({}, client.key, {})));
    // What comes after it is delivered, so the request was worked off.
    await stored(client, 'wallet', { handle: 'next' });
    await eventually(async () => expect((await loadDeliveries(database.url, client))[1]?.attempts).toBeGreaterThan(0));
    expect((await loadDeliveries(database.url, client))[0]?.status).toBe('erased');
  });

  it('go with an effect that is erased itself', async () => {
    const { url, database } = server.current;
    const client = await erasingLedger(url);
    const effect = await hook(client, 'tells', 'wallet-created', `${receiver.url}/zebra-7781`);
    await stored(client, 'wallet', { handle: 'w' });
    await untilDeliveries(database.url, client, ['delivered']);
    ok(await client.drop('/effects/tells', effect));
    const path = `/effects/${effect.luid}`;
    ok(await client.call('POST', `${path}/erase`, erasureOf(effect.luid, 2, client.key)));
    expect((await loadDeliveries(database.url, client))[0]).toMatchObject({
      status: 'erased',
      effect: null,
      target: '',
    });
    expect(tablesWith(await dump(database.url), ['zebra-7781', effect.hash])).toEqual([]);
  });
});

type Client = Awaited<ReturnType<typeof erasingLedger>>;

function hook(client: Client, handle: string, signal: string, endpoint: string): Promise<RecordEnvelope> {
  return stored(client, 'effect', { handle, signal, action: { schema: 'webhook', endpoint } });
}

async function goneWallet(client: Client) {
  const record = await stored(client, 'wallet', { handle: 'wallet-erased-soon', custom: { name: SECRET_NAME } });
  ok(await client.drop('/wallets/wallet-erased-soon', record));
  return { record, path: `/wallets/${record.luid}` };
}
