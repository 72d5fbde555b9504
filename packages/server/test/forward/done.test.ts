import type { JsonObject } from '@countersign/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import {
  dropOf,
  newKey,
  OPEN,
  proofOver,
  signed,
  type TestAnswer,
  type TestClient,
  updateOf,
} from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { type Received, withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, processing, stored } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** Lets something happen after the bridge was asked, and before its answer arrives. */
function meanwhile(work: () => Promise<unknown>): void {
  bridge.instead = async (received: Received) => {
    if (received.method !== 'GET') await work();
    return bridge.behave(received);
  };
}

/** A ledger that hands the action to the bridge alone, its founder, and a caller who has every right like everybody. */
async function open(action: string): Promise<{ founder: TestClient; caller: TestClient }> {
  const values = [aspect(action, 'proxy')];
  const founder = await forwardingLedger(server.current.url, bridge.url, values, { access: OPEN });
  return { founder, caller: founder.as(newKey()) };
}

/** Takes every right from everybody but the founder. */
async function close(founder: TestClient): Promise<void> {
  const ledger = (await founder.get('/ledger')).body;
  const access = [{ action: 'any', record: 'any', signer: { public: founder.key.public } }];
  expect((await founder.update('/ledger', ledger, { ...ledger.data, access })).status).toBe(200);
}

async function dropWallet(client: TestClient): Promise<void> {
  expect((await client.drop('/wallets/alice', (await client.get('/wallets/alice')).body)).status).toBe(204);
}

async function dropPolicy(client: TestClient): Promise<void> {
  const policy = (await client.get('/policies/forwarding')).body;
  expect((await client.call('DELETE', '/policies/forwarding', dropOf(policy, client.key))).status).toBe(204);
}

async function handToAnother(client: TestClient, action: string): Promise<void> {
  const policy = (await client.get('/policies/forwarding')).body;
  const next = processing('forwarding', [aspect(action, 'proxy', { invoke: { bridge: 'other' } })]);
  expect((await client.update('/policies/forwarding', policy, next)).status).toBe(200);
}

/** What may happen to a ledger while its bridge does what it was asked to. */
const CHANGES: [string, (founder: TestClient, action: string) => Promise<void>][] = [
  ['the caller lost the right', close],
  ['its wallet was dropped', dropWallet],
  ['its policy was dropped', dropPolicy],
  ['its policy names another bridge', handToAnother],
];

describe('a write that only the bridge keeps is answered as the bridge did it', () => {
  it.each(CHANGES)('create: although %s meanwhile', async (_, change) => {
    const { founder, caller } = await open('create');
    meanwhile(() => change(founder, 'create'));
    const answer = await caller.create('/anchors', anchor('a'));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual(bridge.records.get('a'));
    expect(bridge.received).toHaveLength(1);
    expect(await stored(founder, 'a')).toBe(false);
  });

  it.each(CHANGES)('update: although %s meanwhile', async (_, change) => {
    const { founder, caller } = await open('update');
    const record = bridge.keep(anchor('a'), caller.key);
    meanwhile(() => change(founder, 'update'));
    const body = updateOf(record, anchor('a', { target: 'b' }), caller.key);
    const answer = await caller.call('PUT', '/anchors/a', body);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual(body.data);
    expect(bridge.received).toHaveLength(1);
  });

  it.each(CHANGES)('drop: although %s meanwhile', async (_, change) => {
    const { founder, caller } = await open('drop');
    const record = bridge.keep(anchor('a'), caller.key);
    meanwhile(() => change(founder, 'drop'));
    const answer = await caller.drop('/anchors/a', record);
    expect(answer.status, answer.text).toBe(204);
    expect(bridge.records.has('a')).toBe(false);
    expect(bridge.received).toHaveLength(1);
  });

  it.each(CHANGES)('sign: although %s meanwhile', async (_, change) => {
    const { founder, caller } = await open('sign');
    const record = bridge.keep(anchor('a'), caller.key);
    meanwhile(() => change(founder, 'sign'));
    const proof = proofOver(record.hash, caller.key, { status: 'seen' });
    const answer = await caller.call('POST', '/anchors/a/proofs', proof);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.proofs.at(-1)).toEqual(proof);
    expect(answer.body.meta.proofs).toHaveLength(record.meta.proofs.length + 1);
    expect(bridge.received).toHaveLength(1);
  });
});

describe('what a bridge answers to a write that it alone keeps', () => {
  it('is verified, although the caller lost the right meanwhile', async () => {
    const { founder, caller } = await open('create');
    bridge.instead = async ({ body }) => {
      await close(founder);
      return { status: 201, body: { ...bridge.sealed(body), hash: 'f'.repeat(64) } as unknown as JsonObject };
    };
    const answer = await caller.create('/anchors', anchor('a'));
    expectRefusal(answer, founder, 'crypto.hash-invalid', `Invalid dto hash: ${'f'.repeat(64)}`);
    expect(bridge.received).toHaveLength(1);
  });

  it('is passed on where it is a refusal, although the caller lost the right meanwhile', async () => {
    const { founder, caller } = await open('drop');
    const record = bridge.keep(anchor('a'), caller.key);
    meanwhile(async () => {
      await close(founder);
      bridge.records.clear();
    });
    const answer = await caller.drop('/anchors/a', record);
    expect([answer.status, answer.body.data.reason]).toEqual([404, 'record.not-found']);
  });

  it('names those who have registered meanwhile as signers', async () => {
    const { founder, caller } = await open('create');
    meanwhile(async () => {
      await made(founder, '/signers', { handle: 'me', public: caller.key.public, format: 'ed25519-raw' });
      await close(founder);
    });
    const answer = await caller.create('/anchors', anchor('a'));
    expect(answer.body.meta.proofs[0]).toMatchObject({ signer: 'me' });
  });

  it('is looked for where the bridge has the create from an earlier sending, although the right was lost', async () => {
    const { founder, caller } = await open('create');
    const body = signed(anchor('a'), caller.key);
    bridge.records.set('a', bridge.sealed(body as unknown as JsonObject));
    bridge.instead = async (received) => {
      if (received.method === 'GET') return bridge.behave(received);
      await close(founder);
      return bridge.refusal(409, { reason: 'record.duplicated', detail: 'Anchor with handle a already exists.' });
    };
    const answer = await caller.call('POST', '/anchors', body);
    expect([answer.status, answer.body.data]).toEqual([200, anchor('a')]);
    expect(bridge.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });
});

describe('who lost the right before a write is sent', () => {
  it.each(['create', 'update', 'drop', 'sign'])('is refused at the last look before the call: %s', async (action) => {
    const { founder, caller } = await open(action);
    const record = bridge.keep(anchor('a'), caller.key);
    const { store } = server.current.server.service;
    const { findVersion } = store;
    const spy = vi.spyOn(store, 'findVersion');
    spy.mockImplementation(async (query) => {
      if (query.kind === 'bridge') {
        spy.mockRestore();
        await close(founder);
      }
      return findVersion(query);
    });
    const writes: Record<string, () => Promise<TestAnswer>> = {
      create: () => caller.create('/anchors', anchor('b')),
      update: () => caller.update('/anchors/a', record, anchor('a', { target: 'b' })),
      drop: () => caller.drop('/anchors/a', record),
      sign: () => caller.prove('/anchors/a', record, { status: 'seen' }),
    };
    const answer = await writes[action]!();
    expect([answer.status, answer.body.data.reason]).toEqual(
      action === 'sign' ? [401, 'auth.unauthorized'] : [403, 'auth.forbidden'],
    );
    expect(bridge.received).toEqual([]);
  });
});
