import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { outboundLimits } from '../../src/outbound/outbound-limits.js';
import { oauth2, withTokenEndpoint } from '../bridges/scene.js';
import { newLedger, OPEN, type TestClient, updateOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();
const tokens = withTokenEndpoint();

async function deliveries(client: TestClient): Promise<{ status: string; attempts: number; proofs: string }[]> {
  const text = 'select d.* from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 order by seq';
  return runSql(running.current.database.url, text, [client.ledger]);
}

/** A ledger with an effect that leads to a bridge. */
async function scene(traits?: JsonObject['traits']): Promise<TestClient> {
  const client = await newLedger(running.current.url, { access: OPEN });
  const bridge = {
    handle: 'post',
    schema: 'rest',
    config: { server: `${receiver.url}/base` },
    secure: [{ schema: 'header', key: 'x-key', value: '{{ secret.key }}' }],
    ...(traits === undefined ? {} : { traits }),
  };
  await stored(client, 'bridge', bridge, { key: 'open sesame' });
  await stored(client, 'effect', { handle: 'told', signal: 'wallet-created', action: { bridge: 'post' } });
  return client;
}

describe('an effect of a bridge', () => {
  it('is posted below its server, with its security headers', async () => {
    const client = await scene();
    await stored(client, 'wallet', { handle: 'ann' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [{ path, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(path).toBe('/base/effects/told');
    expect(headers['x-key']).toBe('open sesame');
    expect(headers['content-type']).toBe('application/json');
    expect(body.data.wallet.data.handle).toBe('ann');
  });

  it('is not called, and has no delivery, without the trait', async () => {
    const client = await scene(['debits']);
    await stored(client, 'wallet', { handle: 'ann' });
    await eventually(async () => expect(await deliveries(client)).toEqual([]));
    expect(receiver.received).toEqual([]);
  });

  it('is told of the events that the filter of its trait asks for', async () => {
    const client = await scene([{ method: 'effects', filter: { 'wallet.data.handle': 'bob' } }]);
    await stored(client, 'wallet', { handle: 'ann' });
    await stored(client, 'wallet', { handle: 'bob' });
    await eventually(() => expect(receiver.received.map(({ body }) => body.data.wallet.data.handle)).toEqual(['bob']));
    await eventually(async () => expect((await deliveries(client)).map(({ status }) => status)).toEqual(['delivered']));
  });

  it('that is missing fails, and reaches the bridge once it is there', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    await stored(client, 'effect', { handle: 'told', signal: 'wallet-created', action: { bridge: 'post' } });
    await stored(client, 'wallet', { handle: 'ann' });
    const [row] = await eventually(async () => {
      const rows = await deliveries(client);
      expect(rows[0]?.attempts).toBeGreaterThan(0);
      return rows;
    });
    expect(JSON.parse(`[${row!.proofs}]`)[0].custom).toMatchObject({
      detail: { message: 'Bridge post not found', reason: 'core.unexpected-error' },
      reason: 'delivery.unexpected-error',
      status: 'failed',
    });
    await stored(client, 'bridge', { handle: 'post', schema: 'rest', config: { server: receiver.url }, secure: [] });
    await eventually(async () => expect((await deliveries(client))[0]?.status).toBe('delivered'));
  });

  it('follows an update of the bridge at the next attempt', async () => {
    const client = await scene();
    receiver.instead = (_, response) => response.writeHead(500).end();
    await stored(client, 'wallet', { handle: 'ann' });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
    const bridge = ok(await client.call('GET', '/bridges/post')).body;
    const data = { ...bridge.data, config: { server: `${receiver.url}/elsewhere` } };
    ok(await client.call('PUT', '/bridges/post', updateOf(bridge, data, client.key)));
    // An attempt that began before the update is refused as well: it would be the last one.
    await eventually(() => expect(receiver.received.at(-1)!.path).toBe('/elsewhere/effects/told'));
    receiver.instead = undefined;
    await eventually(async () => expect((await deliveries(client))[0]?.status).toBe('delivered'));
  });
});

// All have to begin within the 15 s that a call may take. They do not where the nodes of a cluster share the processors.
describe.skipIf(process.env.CITUS_TEST_URL)('token endpoints that hang', () => {
  it('are waited for by as many attempts as a ledger may have: more than requests of clients may', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    const names = Array.from({ length: outboundLimits.calls.ledger + 1 }, (_, at) => `slow-${at}`);
    for (const handle of names) {
      const { secure, secret } = oauth2(tokens.url);
      await stored(
        client,
        'bridge',
        { handle, schema: 'rest', config: { server: receiver.url }, secure: [...secure] },
        secret,
      );
      await stored(client, 'effect', { handle, signal: 'wallet-created', action: { bridge: handle } });
    }
    const held: ServerResponse[] = [];
    tokens.instead = (response) => void held.push(response);
    await stored(client, 'wallet', { handle: 'w' });
    await eventually(() => expect(held.filter(({ destroyed }) => !destroyed)).toHaveLength(names.length));
    tokens.instead = undefined;
    for (const response of held) tokens.issue(response);
    await eventually(() => expect(receiver.received).toHaveLength(names.length));
  });
});
