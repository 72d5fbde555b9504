import { createPublicKey, verify as verifySignature } from 'node:crypto';
import {
  hash as hashOf,
  type JsonObject,
  type RecordEnvelope,
  verifyEvent,
  verifyWebhook,
} from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { kinds } from '../../src/kinds/registry.js';
import { dropOf, newLedger, proofOver, signed, systemKeyOf, type TestClient, updateOf } from '../support/client.js';
import { outgoingOf } from '../support/outgoing.js';
import { changed, ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const running = withServer();

function subscribe(client: TestClient, handle: string, signal: string) {
  return stored(client, 'effect', { handle, signal, action: { endpoint: 'https://receiver.example/' } });
}

/** A ledger whose wallet was created, updated, proved and dropped, and whose effects were told. */
async function livedThrough(): Promise<TestClient> {
  const client = await newLedger(running.current.url);
  for (const verb of ['created', 'updated', 'proofs-added']) await subscribe(client, verb, `wallet-${verb}`);
  await subscribe(client, 'dropped', 'effect-dropped');
  const data = { handle: 'shop', custom: { text: 'é 😀 \u0001 "\\', small: 1e-7, deep: [[[{ a: null }]]] } };
  const wallet = await stored(client, 'wallet', data);
  const update = updateOf(wallet, changed(data), client.key);
  const updated: RecordEnvelope = ok(await client.call('PUT', '/wallets/shop', update)).body;
  ok(await client.call('POST', '/wallets/shop/proofs', proofOver(updated.hash, client.key, { status: 'active' })));
  const effect = await subscribe(client, 'ended', 'wallet-created');
  ok(await client.call('DELETE', '/effects/ended', dropOf(effect, client.key)));
  return client;
}

describe('an event that the server sends', () => {
  it('is verified by receivers, whatever its signal, with either suite', async () => {
    const client = await livedThrough();
    const outgoing = await outgoingOf(running.current, client);
    const key = systemKeyOf(client);
    const events = outgoing.map(({ body }) => verifyEvent(body, key));
    expect(events.map(({ signal }) => signal)).toEqual([
      'wallet-created',
      'wallet-proofs-added',
      'wallet-updated',
      'wallet-proofs-added',
      'wallet-proofs-added',
      'effect-dropped',
    ]);
    for (const [index, { id, body }] of outgoing.entries()) {
      expect(events[index]?.handle).toBe(id);
      expect(events[index]?.data).toEqual(JSON.parse(body).data);
      expect(verifyEvent(JSON.parse(body), key, { suite: native })).toEqual(events[index]);
    }
  });

  it('has headers that any program with Ed25519 verifies', async () => {
    const client = await livedThrough();
    const [first] = await outgoingOf(running.current, client);
    const { id, body, headers } = first!;
    const attempted = new Date('2031-01-01T00:00:00.999Z');
    const sent = headers(attempted);
    expect(sent['webhook-id']).toBe(id);
    expect(sent['webhook-timestamp']).toBe(String(Date.UTC(2031) / 1000));
    const x = Buffer.from(systemKeyOf(client), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const signature = Buffer.from(sent['webhook-signature'].replace(/^v1a,/, ''), 'base64');
    expect(verifySignature(null, Buffer.from(`${id}.${sent['webhook-timestamp']}.${body}`), key, signature)).toBe(true);
    expect(verifyWebhook({ ...sent }, body, systemKeyOf(client), { now: attempted.getTime() }).id).toBe(id);
  });

  it('is refused with the key of another ledger of the same server', async () => {
    const client = await livedThrough();
    const other = await newLedger(running.current.url);
    const [first] = await outgoingOf(running.current, client);
    const { body, headers } = first!;
    expect(() => verifyEvent(body, systemKeyOf(other))).toThrow('key: ');
    expect(() => verifyWebhook({ ...headers() }, body, systemKeyOf(other), { now: Date.now() })).toThrow('signature: ');
  });
});

describe('something else that the ledger has signed', () => {
  /** What anyone can make of an answer: its data with the proofs of the ledger that are on it. */
  const posed = (client: TestClient, { data, hash, meta }: RecordEnvelope) => ({
    data,
    hash,
    meta: { proofs: meta.proofs.filter((proof) => proof.public === systemKeyOf(client)) },
  });

  it('is no event, though an effect may be called like one and have a signal', async () => {
    const client = await newLedger(running.current.url);
    const handle = 'evt_-3DJukm0_cCfFjorN';
    const effect = await subscribe(client, handle, 'wallet-created');
    const forged = posed(client, effect);
    expect(forged).toMatchObject({
      data: { handle, signal: 'wallet-created' },
      meta: { proofs: [{ signer: 'system' }] },
    });
    expect(() => verifyEvent(forged, systemKeyOf(client))).toThrow('malformed: ');
    const withRecord = { ...forged, data: { ...forged.data, wallet: effect as unknown as JsonObject } };
    expect(() => verifyEvent(withRecord, systemKeyOf(client))).toThrow('hash: ');
  });

  it('is no event, be it a record of any kind, a version, a list, an error or an item of a check', async () => {
    const client = await livedThrough();
    const paths = kinds
      .filter(({ links }) => !links.under)
      .map(({ name, path }) => (name === 'ledger' ? path : `${path}?page.limit=3`));
    const answers = await Promise.all(
      [...paths, 'wallets/shop/changes', 'wallets/nobody'].map((path) => client.get(`/${path}`)),
    );
    const check = await client.call('POST', '/wallets/shop/access/!check', signed({ action: 'read' }, client.key));
    const every = [...answers, check].flatMap(({ body }) => [body, ...(Array.isArray(body.data) ? body.data : [])]);
    expect(every.length).toBeGreaterThan(30);
    for (const one of every) {
      expect(hashOf(one.data)).toBe(one.hash);
      expect(() => verifyEvent(posed(client, one), systemKeyOf(client))).toThrow('malformed: ');
    }
  });
});
