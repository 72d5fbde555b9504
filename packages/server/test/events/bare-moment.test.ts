import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash as hashOf, type JsonObject, type StoredProof, verifyEvent, verifyProof } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger, made, processing } from '../forward/scene.js';
import { answerWith, lookUp, lookupPath, storeBridged } from '../lookups/scene.js';
import { verifiedData, withBridges } from '../money/bridge.js';
import { limit, MoneyScene, transfer } from '../money/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, OPEN, signed, systemKeyOf, type TestClient, updateOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { outgoingOf } from '../support/outgoing.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
const { played } = withBridges('played');
beforeEach(() => {
  bridge.reset();
  played.reset();
});

const sources = join(import.meta.dirname, '../../src');
const EVENT = 'evt_00000000000000000';
const intent = { data: { handle: 'never', amount: 1_000_000 } };

interface Signed {
  readonly data: never;
  readonly hash: string;
  readonly meta: { readonly proofs: readonly StoredProof[] };
}

/** What anyone can make of something signed: its data and hash with one of the ledger's proofs. */
function posed(client: TestClient, { data, hash, meta }: Signed) {
  const own = meta.proofs.filter((proof) => proof.public === systemKeyOf(client));
  expect(own.length).toBeGreaterThan(0);
  return own.map((proof) => {
    expect(hashOf(data, native)).toBe(hash);
    expect(verifyProof(hash, proof, native)).toBe(true);
    const { custom, digest, method, origin, public: key, result, signer } = proof;
    return { data, hash, meta: { proofs: [{ custom, digest, method, origin, public: key, result, signer }] } };
  });
}

function expectNoEvent(client: TestClient, one: unknown, reason = 'malformed: '): void {
  for (const body of posed(client, one as Signed)) {
    expect(() => verifyEvent(body, systemKeyOf(client))).toThrow(reason);
    expect(() => verifyEvent(JSON.stringify(body), systemKeyOf(client))).toThrow(reason);
  }
}

async function bridged(): Promise<TestClient> {
  const client = await newLedger(server.current.url, { access: OPEN });
  await storeBridged(client, bridge.url);
  answerWith(bridge);
  return client;
}

/** For each row of the table in `keys/bare-moment.ts`: the message as near to an event as those can make it who choose its data. */
const cases: Record<string, () => Promise<void>> = {
  async event() {
    const client = await newLedger(server.current.url, { access: OPEN });
    await stored(client, 'effect', {
      handle: 'e',
      signal: 'wallet-created',
      action: { endpoint: 'https://receiver.invalid/' },
    });
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const [one] = await outgoingOf(server.current, client);
    expect(verifyEvent(one?.body, systemKeyOf(client)).data.wallet).toEqual(wallet);
  },

  async lookup() {
    const client = await bridged();
    const proofs = [signed({ handle: 'x' }, client.key).meta.proofs[0]] as unknown as JsonObject[];
    for (const near of [
      { handle: 'evt-0000000000000000', proofs },
      { custom: { handle: EVENT, signal: 'wallet-proofs-added' }, proofs },
      { handle: { evt_: EVENT }, Signal: 'intent-created', intent },
      { handle: [EVENT], intent },
    ] as JsonObject[]) {
      bridge.received.length = 0;
      ok(await lookUp(client, 'acc', near));
      expect(bridge.only.body.data).toEqual({ wallet: 'acc', ...near });
      expectNoEvent(client, bridge.only.body);
    }
  },

  async 'forwarded update'() {
    const client = await forwardingLedger(server.current.url, bridge.url, []);
    const record = await made(client, '/anchors', anchor(EVENT));
    bridge.records.set(EVENT, bridge.sealed(record as unknown as JsonObject));
    await made(client, '/policies', processing('forwarding', [aspect('update', 'validate')]));
    const data = anchor(EVENT, { target: 'account:2', custom: { signal: 'anchor-dropped' } });
    for (const more of [{ signal: 'anchor-updated' }, { action: 'commit' }, { intent }, { proofs: [] }]) {
      const update = updateOf(record, { ...data, ...more } as JsonObject, client.key);
      expect((await client.call('PUT', `/anchors/${EVENT}`, update)).status).toBe(422);
    }
    expect(bridge.received).toEqual([]);
    ok(await client.call('PUT', `/anchors/${EVENT}`, updateOf(record, data, client.key)));
    expect(Object.keys(bridge.only.body.meta.proofs.at(-1).custom)).toEqual(['moment']);
    expectNoEvent(client, bridge.only.body);
  },

  async list() {
    const client = await bridged();
    const item = { handle: EVENT, signal: 'anchor-created', anchor: { data: {}, meta: {} } };
    answerWith(bridge, item);
    const { body } = ok(await lookUp(client, 'acc'));
    expect(body.data[0].data).toMatchObject(item);
    expectNoEvent(client, body);
  },

  async error() {
    const client = await newLedger(server.current.url, { access: OPEN });
    for (const answer of [
      await client.get(`/effects/${EVENT}`),
      await client.create('/effects', { handle: EVENT, signal: 'wallet-created', wallet: { data: {} } }),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(answer.body.data).filter((name) => name !== 'custom')).toEqual(['reason', 'detail']);
      expectNoEvent(client, answer.body);
    }
    const forwarding = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    const wallet = ok(await forwarding.get('/wallets')).body.data[0];
    const event = { handle: EVENT, signal: 'wallet-created', wallet };
    bridge.instead = () => bridge.refusal(409, { reason: 'record.duplicated', detail: 'x', ...event });
    const relayed = await forwarding.create('/anchors', anchor('a'));
    expect(relayed.body.data).toMatchObject(event);
    expectNoEvent(forwarding, relayed.body, 'proof: ');
  },

  async call() {
    const money = await MoneyScene.make(server.current.url, []);
    await played.join(money.client, 'bank');
    await money.add(['alice', { handle: 'acc', bridge: 'bank' }]);
    await money.issue('alice', 10);
    const near = { handle: EVENT, signal: 'wallet-created', metric: 'minBalance', action: 'commit' };
    const claim = { ...transfer('alice', 'acc', 1), target: { handle: 'acc', custom: near }, custom: near };
    const handle = await money.intend([claim], { custom: near });
    await money.ends(handle, 'completed');
    const calls = ['prepare credits', 'commit credits'].map((verb) => played.only(verb));
    for (const call of calls) {
      expect(verifiedData(money.client, call).handle).toMatch(/^cre_/);
      expectNoEvent(money.client, call.body);
    }
    expect(calls.map(({ body }) => Object.keys(body.data).filter((name) => name in near))).toEqual([
      ['handle'],
      ['handle', 'action'],
    ]);
  },

  async limit() {
    const money = await MoneyScene.make(server.current.url);
    const claim = limit('alice', 'minBalance', -1);
    await money.done([{ ...claim, custom: { handle: EVENT, signal: 'wallet-created' } }]);
    const { body } = ok(await money.client.get('/wallets/alice/limits'));
    expect(Object.keys(body.data[0].data).sort()).toEqual(['amount', 'metric', 'symbol', 'wallet']);
    expectNoEvent(money.client, body.data[0]);
  },

  async 'granted rule'() {
    const client = await newLedger(server.current.url, { access: OPEN });
    const values = [{ action: 'commit', record: 'intent', filter: { handle: EVENT, 'custom.signal': 'x' } }];
    await stored(client, 'policy', { handle: EVENT, schema: 'access', values });
    await stored(client, 'wallet', { handle: 'w', access: [{ action: 'any' }] });
    for (const extra of [{ signal: 'wallet-created' }, { handle: EVENT }, { intent }]) {
      const access = [{ action: 'commit', ...extra }];
      expect((await client.create('/wallets', { handle: 'x', access } as JsonObject)).status).toBe(422);
    }
    const check = signed({ action: 'commit', record: 'intent' }, client.key);
    const { body } = ok(await client.call('POST', '/wallets/w/access/!check', check));
    expect(body.data.length).toBeGreaterThan(0);
    for (const item of body.data) expectNoEvent(client, item);
  },

  async log() {
    const client = await newLedger(server.current.url, { access: OPEN });
    await stored(client, 'wallet', { handle: EVENT, custom: { signal: 'wallet-created', intent } });
    for (const path of [`/wallets/${EVENT}/changes/1/inclusion`, '/ledger/log', '/ledger/log/consistency?from=1']) {
      const { body } = await eventually(async () => ok(await client.get(path)));
      expect(body.data).toHaveProperty('origin');
      expect(body.data).not.toHaveProperty('handle');
      expectNoEvent(client, body);
    }
  },

  async 'journal entry'() {
    const client = await newLedger(server.current.url, { access: OPEN, config: { 'request.journalingEnabled': true } });
    await stored(client, 'wallet', { handle: EVENT, custom: { signal: 'wallet-created', intent } });
    const [entry] = await eventually(async () => {
      const { data } = ok(await client.get('/system/requests')).body;
      expect(data).toHaveLength(1);
      return data;
    });
    expect(entry.data.handle).toMatch(/^-/);
    expectNoEvent(client, entry);
  },
};

/** Files that have the ledger's key sign a proof. */
function signingFiles(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return files.filter((path) =>
    /\bsystem\s*\.(fresh|stored|sign|vouch)\(/.test(readFileSync(join(sources, path), 'utf8')),
  );
}

/** Those whose proofs always say more than a moment. */
const SAY_MORE = [
  'deliveries/settle.ts',
  'forwarding/drop.ts',
  'money/thread.ts',
  'operations/create-ledger/birth.ts',
  'operations/create/new-record.ts',
  'operations/drop.ts',
  'operations/erase.ts',
  'operations/update.ts',
  'schedules/report.ts',
];

describe('what the ledger signs with a bare moment', () => {
  const text = readFileSync(join(sources, 'keys/bare-moment.ts'), 'utf8');
  const rows = [...text.matchAll(/^ \* \| ([a-z ]+) \| `([\w/-]+\.ts)` \|/gm)];

  it('is listed in one place, and each message has a case here', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(cases).sort());
    expect([...rows.map(([, , file]) => file), ...SAY_MORE].sort()).toEqual(signingFiles().sort());
  });

  it.each(Object.keys(cases))('%s: is what it is', async (name) => {
    await cases[name]?.();
  });
});

describe('a lookup', () => {
  const NOT = 'must NOT be valid';
  const PATTERN = 'must match pattern "^(?!(evt|deb|cre)_)"';

  it.each<[string, JsonObject, string, string]>([
    ['an event', { handle: EVENT, signal: 'intent-created', intent }, 'signal', NOT],
    ['an event without a handle', { signal: 'intent-created', intent }, 'signal', NOT],
    ['a signal of null', { signal: null }, 'signal', NOT],
    ['a commit', { handle: 'deb_00000000000000000', action: 'commit', intent }, 'action', NOT],
    ['an abort', { handle: 'x', action: 'abort', intent }, 'action', NOT],
    ['an update of an anchor', { handle: 'a', target: 't', parent: '0'.repeat(64) }, 'parent', NOT],
    ['a limit', { symbol: 'usd', metric: 'minBalance', amount: -1 }, 'metric', NOT],
    ['the handle of an event', { handle: EVENT }, 'handle', PATTERN],
    ['the handle of a debit', { handle: 'deb_00000000000000000', intent }, 'handle', PATTERN],
    ['the handle of a credit', { handle: 'cre_', schema: 'credit', intent }, 'handle', PATTERN],
  ])('with the data of %s is refused before anything is signed or sent', async (_, data, member, message) => {
    const client = await bridged();
    const answer = await lookUp(client, 'acc', data);
    const detail = `Schema validation error: request/body/data/${member} ${message}`;
    expectRefusal(answer, client, 'record.schema-invalid', detail);
    const unsigned = { hash: '0'.repeat(64), data: { wallet: 'acc', ...data } };
    expectRefusal(await client.call('POST', lookupPath('acc'), unsigned), client, 'record.schema-invalid', detail);
    expect(bridge.received).toEqual([]);
  });

  it('is refused by receivers for want of its members, or of a handle', async () => {
    const client = await bridged();
    for (const handle of ['evt', 'EVT_00000000000000000', 'deb', 'x:evt_0', 'credit']) {
      bridge.received.length = 0;
      ok(await lookUp(client, 'acc', { handle }));
      expectNoEvent(client, bridge.only.body);
    }
  });
});

describe('a proof that says more than a moment', () => {
  it('is none of an event: of a delivery, and of an effect that is called like one', async () => {
    const client = await newLedger(server.current.url, { access: OPEN });
    const data = { handle: EVENT, signal: 'effect-updated', action: { endpoint: bridge.url } };
    const effect = await stored(client, 'effect', data);
    const update = updateOf(effect, { ...data, custom: { effect: 1 } }, client.key);
    const updated = ok(await client.call('PUT', `/effects/${EVENT}`, update)).body;
    expect(updated.meta.proofs.at(-1).custom).not.toHaveProperty('status');
    expectNoEvent(client, updated);
    await eventually(async () => {
      const [delivery] = ok(await client.get(`/effects/${EVENT}/events`)).body.data;
      expect(delivery.meta.proofs.length).toBeGreaterThan(0);
      const { bridge: _, ...without } = delivery.data;
      expectNoEvent(client, { ...delivery, data: without });
    });
  });
});
