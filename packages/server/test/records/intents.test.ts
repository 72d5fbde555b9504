import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectList } from '../support/checks.js';
import { newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const issue = (target: JsonObject[string], amount = 1): JsonObject => ({
  action: 'issue',
  target,
  symbol: 'usd',
  amount,
});

function intent(handle: string, ...claims: JsonObject[]): JsonObject {
  return { handle, claims };
}

function post(client: TestClient, data: JsonObject): Promise<RecordEnvelope> {
  return stored(client, 'intent', data);
}

describe('an intent (interface/intents#fields)', () => {
  it('has a thread of its own, of the characters of luids', async () => {
    const client = await newLedger(server.current.url);
    const made = await Promise.all(['a', 'b', 'c'].map((handle) => post(client, intent(handle, issue('alice')))));
    const threads = made.map(({ meta }) => meta.thread);
    for (const thread of threads) expect(thread).toMatch(/^-[A-Za-z0-9_-]{16}$/);
    expect(new Set(threads).size).toBe(3);
    for (const { luid, meta } of made) expect(luid.endsWith(String(meta.thread))).toBe(false);
  });

  it('names the domains of the wallets in its claims, each once and sorted', async () => {
    const client = await newLedger(server.current.url);
    expect((await post(client, intent('none', issue('alice')))).meta.domains).toEqual([]);
    for (const handle of ['retail', 'north', 'unused']) await stored(client, 'domain', { handle });
    for (const handle of ['alice@retail', 'bob@retail', 'carol@north', 'dave'])
      await stored(client, 'wallet', { handle });
    const claims = [
      issue({ handle: 'alice@retail' }),
      issue('dave'),
      { action: 'transfer', source: 'bob@retail', target: { handle: 'carol@north' }, symbol: 'usd', amount: 1 },
      issue('ghost@unused'),
    ];
    const made = await post(client, intent('i', ...claims));
    expect(made.meta.domains).toEqual(['north', 'retail']);
    expect(made.meta.domain).toBeUndefined();
    const found = async (query: string) => (await client.get(`/intents?${query}`)).body.data.map(handleOf);
    expect(await found('meta.domains=north')).toEqual(['i']);
    expect(await found('meta.domains=unused')).toEqual([]);
  });

  it('joins a domain that its proof names, shown last', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'domain', { handle: 'retail' });
    const body = signed(intent('i', issue('alice')), client.key, { status: 'created', domain: 'retail' });
    const { meta } = ok(await client.call('POST', '/intents', body)).body;
    expect(meta.domain).toBe('retail');
    expect(Object.keys(meta)).toEqual(['proofs', 'status', 'thread', 'domains', 'moment', 'owners', 'domain']);
  });

  it('keeps status and moment whatever proofs say, and every proof', async () => {
    const client = await newLedger(server.current.url);
    await post(client, intent('i', issue('alice')));
    await post(client, intent('j', issue('alice')));
    // There is no such wallet.
    const first: RecordEnvelope = ok(await client.get('/intents/i')).body;
    let proofs = first.meta.proofs.length;
    for (const [end, status] of [
      ['/proofs', 'completed'],
      ['/sign', 'rejected'],
      ['/proofs', null],
    ] as const) {
      const proof = proofOver(first.hash, client.key, { status });
      const { meta } = ok(await client.call('POST', `/intents/i${end}`, proof)).body as RecordEnvelope;
      proofs += 1;
      expect(meta.status).toBe('rejected');
      expect(meta.moment).toBe(first.meta.moment);
      expect(meta.proofs).toHaveLength(proofs);
      expect(meta.proofs.at(-1)?.custom?.status).toBe(status);
    }
    const listed = expectList(await client.get('/intents'), client, { index: 0, limit: 20 });
    expect(listed.map(handleOf)).toEqual(['j', 'i']);
    const changes = expectList(await client.get('/intents/i/changes'), client, { index: 0, limit: 20, total: 7 });
    const moments = changes.map(({ meta }) => meta.moment);
    expect(moments).toEqual(moments.toSorted().toReversed());
  });

  it('takes addresses as text or objects, and serves them as they were signed', async () => {
    const client = await newLedger(server.current.url);
    const claims = [
      {
        action: 'transfer',
        source: 'tel:385@acc',
        target: { handle: 'bob', custom: { b: 1, a: 2 } },
        symbol: 'usd',
        amount: 5,
      },
      { action: 'destroy', source: { handle: 'alice' }, symbol: { handle: 'usd' }, amount: 1 },
      { action: 'limit', wallet: 'alice', symbol: 'usd', metric: 'minBalance', amount: -20_000 },
    ];
    const made = await post(client, intent('i', ...claims));
    expect(JSON.stringify(made.data.claims)).toBe(JSON.stringify(claims));
  });
});

function handleOf({ data }: RecordEnvelope): unknown {
  return data.handle;
}
