import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectRecord } from '../support/checks.js';
import { dropOf, newKey, signed, type TestClient, updateOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { type Received, type Reply, withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, processing, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const ledgerWith = (action: string, strategy: string) =>
  forwardingLedger(server.current.url, bridge.url, [aspect(action, strategy)]);

/** Refuses what it has, as a bridge that is right to does. */
function strict(received: Received): Reply {
  const { method, body } = received;
  const kept = bridge.records.get(body?.data?.handle);
  if (method === 'POST' && kept) {
    return bridge.refusal(409, { reason: 'record.duplicated', detail: 'Anchor with handle a already exists.' });
  }
  if (method === 'PUT' && kept && kept.hash !== body.data.parent) {
    return bridge.refusal(422, { reason: 'crypto.parent-hash-invalid', detail: 'Stale' });
  }
  return bridge.behave(received);
}

/** Does what it is asked to once, and then the connection breaks. */
function losing(): void {
  bridge.instead = (received) => {
    strict(received);
    bridge.instead = strict;
    return (response) => void response.destroy();
  };
}

const methods = () => bridge.received.map(({ method }) => method);
const later = anchor('a', { target: 'account:2' });

/** A ledger with the anchor `a`, at the bridge too, and a policy for the action. */
async function kept(action: string, strategy: string): Promise<{ client: TestClient; record: RecordEnvelope }> {
  const client = await forwardingLedger(server.current.url, bridge.url, []);
  const record = await made(client, '/anchors', anchor('a'));
  bridge.records.set('a', bridge.sealed(record as unknown as JsonObject));
  await made(client, '/policies', processing('forwarding', [aspect(action, strategy)]));
  return { client, record };
}

describe('a create of which the bridge took the first sending, and the answer was lost', () => {
  it.each(['validate', 'synchronize'])('%s: is stored when it is sent again', async (strategy) => {
    const client = await ledgerWith('create', strategy);
    const body = signed(anchor('a'), client.key);
    losing();
    expect((await client.call('POST', '/anchors', body)).status).toBe(500);
    expect(await stored(client, 'a')).toBe(false);
    expectRecord(await client.call('POST', '/anchors', body), 201, anchor('a'));
    expect(methods()).toEqual(['POST', 'POST', 'GET']);
    expect((await client.call('POST', '/anchors', body)).status).toBe(200);
    expect(bridge.received).toHaveLength(3);
  });

  it('proxy: is answered with what the bridge has, as a create that is sent again is', async () => {
    const client = await ledgerWith('create', 'proxy');
    const body = signed(anchor('a'), client.key);
    const first = await client.call('POST', '/anchors', body);
    bridge.instead = strict;
    const again = await client.call('POST', '/anchors', body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(methods()).toEqual(['POST', 'POST', 'GET']);
  });

  it.each(['proxy', 'validate', 'synchronize'])('%s: is refused where the bridge has another', async (strategy) => {
    const client = await ledgerWith('create', strategy);
    bridge.instead = strict;
    bridge.keep(anchor('a'));
    const others = [signed(anchor('a'), client.key), signed(anchor('a', { target: 'b' }), client.key)];
    for (const body of others) {
      bridge.received.length = 0;
      const answer = await client.call('POST', '/anchors', body);
      expect([answer.status, answer.body.data.reason]).toEqual([409, 'record.duplicated']);
      expect(methods()).toEqual(['POST', 'GET']);
    }
    expect(await stored(client, 'a')).toBe(false);
  });

  it('is refused as before where the bridge does not tell what it has', async () => {
    const client = await ledgerWith('create', 'validate');
    const body = signed(anchor('a'), client.key);
    const taken = bridge.sealed(body as unknown as JsonObject);
    const answers: Reply[] = [
      { status: 405 },
      { status: 200, body: {} },
      { status: 200, body: { ...taken, hash: 'f'.repeat(64) } as unknown as JsonObject },
      (response) => void response.destroy(),
    ];
    for (const reply of answers) {
      bridge.records.set('a', taken);
      bridge.instead = (received) => (received.method === 'GET' ? reply : strict(received));
      const answer = await client.call('POST', '/anchors', body);
      expect([answer.status, answer.body.data.reason]).toEqual([409, 'record.duplicated']);
    }
  });

  it('is refused where the client signed nothing that would show it', async () => {
    const client = await ledgerWith('create', 'validate');
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const body = { data: anchor('a'), meta: { proofs: [{ custom: {} }] } };
    losing();
    await client.call('POST', '/anchors', body, bearer(client.key));
    expect((await client.call('POST', '/anchors', body, bearer(client.key))).status).toBe(409);
    expect(methods()).toEqual(['POST', 'POST']);
  });

  it('is looked for once, however often the create is decided', async () => {
    const client = await ledgerWith('create', 'validate');
    const body = signed(anchor('a'), client.key);
    losing();
    await client.call('POST', '/anchors', body);
    bridge.received.length = 0;
    bridge.instead = async (received) => {
      await made(client, '/domains', { handle: `d-${received.method.toLowerCase()}` });
      return strict(received);
    };
    expect((await client.call('POST', '/anchors', body)).status).toBe(201);
    expect(methods()).toEqual(['POST', 'GET']);
  });
});

describe('an update of which the bridge took the first sending, and the answer was lost', () => {
  it.each(['validate', 'synchronize', 'proxy'])('%s: is done when it is sent again', async (strategy) => {
    const { client, record } = await kept('update', strategy);
    const body = updateOf(record, later, client.key);
    losing();
    expect((await client.call('PUT', '/anchors/a', body)).status).toBe(500);
    expect((await client.get('/anchors/a')).body).toEqual(record);
    const answer = await client.call('PUT', '/anchors/a', body);
    expect([answer.status, answer.body.data]).toEqual([200, body.data]);
    expect(methods()).toEqual(['PUT', 'PUT', 'GET']);
    if (strategy !== 'proxy') expect((await client.get('/anchors/a')).text).toBe(answer.text);
  });

  it.each(['validate', 'proxy'])('%s: is refused where the bridge has another version', async (strategy) => {
    const { client, record } = await kept('update', strategy);
    bridge.instead = strict;
    bridge.keep(anchor('a', { target: 'b' }), newKey());
    const answer = await client.update('/anchors/a', record, later);
    expect(answer.body.data.reason).toBe('crypto.parent-hash-invalid');
    expect((await client.get('/anchors/a')).body).toEqual(record);
  });
});

describe('a drop of which the bridge did the first sending, and the answer was lost', () => {
  it.each(['validate', 'synchronize'])('%s: is done when it is sent again', async (strategy) => {
    const { client, record } = await kept('drop', strategy);
    const body = dropOf(record, client.key);
    losing();
    expect((await client.call('DELETE', '/anchors/a', body)).status).toBe(500);
    expect((await client.get('/anchors/a')).status).toBe(200);
    expect((await client.call('DELETE', '/anchors/a', body)).status).toBe(204);
    expect((await client.get('/anchors/a')).status).toBe(404);
    expect(methods()).toEqual(['DELETE', 'DELETE']);
  });

  it('is not done by another refusal, nor by an unsigned one', async () => {
    const { client, record } = await kept('drop', 'validate');
    const replies: Reply[] = [
      bridge.refusal(404, { reason: 'route.not-found', detail: 'No such route' }),
      bridge.refusal(410, { reason: 'record.not-found', detail: 'Gone' }),
      { status: 404, body: { data: { reason: 'record.not-found', detail: 'Anchor not found' } } },
    ];
    for (const reply of replies) {
      bridge.instead = () => reply;
      expect((await client.drop('/anchors/a', record)).status).toBeGreaterThanOrEqual(404);
      expect((await client.get('/anchors/a')).body).toEqual(record);
    }
  });

  it('proxy: is told as the bridge tells it', async () => {
    const client = await ledgerWith('drop', 'proxy');
    const record = bridge.keep(anchor('a'), client.key);
    bridge.records.clear();
    expect((await client.drop('/anchors/a', record)).status).toBe(404);
  });
});
