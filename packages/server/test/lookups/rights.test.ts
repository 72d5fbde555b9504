import type { Json } from '@countersign/protocol';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { everythingFor, founded, GATE } from '../access-http/support.js';
import { createIn, divided } from '../domains/scene.js';
import { withBridge } from '../forward/bridge.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, type TestClient } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import {
  answerWith,
  ask,
  expectNoAnswer,
  handlesIn,
  listed,
  lookUp,
  storeBridged,
  traitOf,
  WAYS,
  type Way,
} from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const kindOf = (way: Way) => (traitOf(way) === 'domains' ? 'domain' : 'anchor');

/** What a bridge has is for those alone whom rules of the ledger or of a domain let see it. */
describe('who may see what a bridge has', () => {
  it.each(WAYS)('%s: a bridge is not asked for who may see nothing', async (way) => {
    const client = await founded(server.current.url);
    await storeBridged(client, bridge.url);
    answerWith(bridge, { handle: 'a' });
    const detail = way === 'lookup' ? 'Cannot lookup anchor.' : `Cannot query ${kindOf(way)}.`;
    const stranger = client.as(newKey());
    const answer = await ask(stranger, way, 'acc', bearer(stranger.key));
    expectRefusal(answer, client, 'auth.forbidden', detail);
    if (way !== 'lookup') expect((await ask(stranger, way, 'acc')).status).toBe(401);
    // Nor for who is let in, and may read no more than records say of themselves: a bridge's say nothing.
    const gated = await founded(server.current.url, [GATE, { action: 'read', record: 'wallet' }]);
    await storeBridged(gated, bridge.url);
    const inside = gated.as(newKey());
    const shown = await ask(inside, way, 'acc', bearer(inside.key));
    if (way === 'lookup') expectRefusal(shown, gated, 'auth.forbidden', detail);
    else expect(handlesIn(shown)).toEqual([]);
    expect(bridge.received).toEqual([]);
    expect(handlesIn(await ask(gated, way, 'acc', bearer(gated.key)))).toEqual(['a']);
  });

  it('what an item says of access to itself does not count', async () => {
    const client = await founded(server.current.url, [GATE]);
    await storeBridged(client, bridge.url);
    await stored(client, 'domain', { handle: 'sales', access: [{ action: 'read', record: 'anchor' }] });
    answerWith(bridge, { handle: 'a', access: [{ action: 'any' }] }, { handle: 'b@sales' });
    expect(handlesIn(await client.get('/wallets/acc/anchors', bearer(newKey())))).toEqual(['b@sales']);
  });

  it('is as the domain says that the handle of an item names', async () => {
    const { founder, admin } = await divided(server.current.url);
    await storeBridged(founder, bridge.url);
    ok(await createIn(founder, '/wallets', 'sales', { handle: 'till', bridge: 'bank' }));
    const items = ['a', 'b@sales', 'c@bank', 'd@eu@sales', 'e@ghost'].map((handle) => ({ handle }));
    answerWith(bridge, ...items, { handle: 7 }, {});
    // Of a wallet in the domain as of any other: the wallet says nothing of what the bridge has.
    for (const wallet of ['acc', 'till', 'tel:9@till']) {
      for (const way of ['anchors', 'lookup'] as const) {
        expect(handlesIn(await ask(admin, way, wallet, bearer(admin.key)))).toEqual(['b@sales']);
        expect(handlesIn(await ask(founder, way, wallet, bearer(founder.key)))).toHaveLength(items.length + 2);
      }
    }
  });
});

describe('a right that is taken away while a bridge is asked', () => {
  it.each(WAYS)('%s: counts no more when the answer comes', async (way) => {
    const key = newKey();
    const rights: Json[] = [
      { action: { $in: ['read', 'query'] }, record: 'any', bearer: { $signer: { public: key.public } } },
      { action: 'lookup', record: 'anchor', signer: { public: key.public } },
      GATE,
    ];
    const client = await founded(server.current.url, rights);
    await storeBridged(client, bridge.url);
    const reader = client.as(key);
    answerWith(bridge, { handle: 'a' });
    expect(handlesIn(await ask(reader, way, 'acc', bearer(key)))).toEqual(['a']);
    const { body } = ok(await client.get('/ledger', bearer(client.key)));
    bridge.received.length = 0;
    bridge.instead = async () => {
      ok(await client.update('/ledger', body, { ...body.data, access: everythingFor(client.key) }));
      return { status: 200, body: listed(bridge, [{ handle: 'a' }]) };
    };
    const answer = await ask(reader, way, 'acc', bearer(key));
    const action = way === 'lookup' ? 'lookup' : 'query';
    expectRefusal(answer, client, 'auth.forbidden', `Cannot ${action} ${kindOf(way)}.`);
    expect(bridge.received).toHaveLength(1);
  });
});

describe('the token of a client', () => {
  it.each(WAYS)('%s: does not go to a bridge in a domain, whoever leads there', async (way) => {
    const { founder, admin } = await divided(server.current.url);
    const data = { schema: 'rest', config: { server: bridge.url, 'token.forward': true }, secure: [] };
    ok(await createIn(founder, '/bridges', 'sales', { handle: 'moved', ...data }));
    ok(await admin.create('/bridges', { handle: 'theirs@sales', ...data }));
    ok(await founder.create('/bridges', { handle: 'bank', ...data }));
    for (const name of ['moved', 'theirs@sales', 'bank']) {
      await stored(founder, 'wallet', { handle: `at-${name.replace('@', '-')}`, bridge: name });
    }
    ok(await createIn(admin, '/wallets', 'sales', { handle: 'till', bridge: 'bank' }));
    answerWith(bridge);
    const passed = async (wallet: string) => {
      bridge.received.length = 0;
      const { authorization } = bearer(founder.key);
      ok(await ask(founder, way, wallet, { authorization: authorization! }));
      return bridge.only.headers.authorization === authorization;
    };
    expect(await passed('at-moved')).toBe(false);
    expect(await passed('at-theirs-sales')).toBe(false);
    expect(await passed('at-bank')).toBe(true);
    // The bridge is the ledger's, though the wallet is not.
    expect(await passed('till')).toBe(true);
  });
});

describe('what is secret of a lookup', () => {
  it('is neither in an answer nor in the log, where the bridge fails', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const watched = await startServer({ deliveryAllowPrivate: true, logger });
    const answers: string[] = [];
    let client: TestClient;
    try {
      client = await founded(watched.url);
      const secure = [{ schema: 'header', key: 'x-api-key', value: '{{ secret.apiKey }}' }];
      await storeBridged(client, `http://127.0.0.1:${await freePort()}`, { secure, secret: { apiKey: 'k-e-y-1' } });
      for (const way of WAYS) {
        const answer = await ask(client, way, 'acc', bearer(client.key));
        expectNoAnswer(answer, client, way);
        answers.push(answer.text);
      }
    } finally {
      await watched.stop();
    }
    const failed = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'outbound call failed');
    expect(failed).toHaveLength(WAYS.length);
    expect(failed[0]).toMatchObject({ level: 40, kind: 'unreachable', code: 'ECONNREFUSED' });
    for (const secret of ['k-e-y-1', bearer(client.key).authorization!.split('.')[0]!.slice('Bearer '.length)]) {
      expect(`${lines.join()} ${answers.join()}`).not.toContain(secret);
    }
  });
});

describe('without DELIVERY_ALLOW_PRIVATE', () => {
  it('no lookup leads to this machine', async () => {
    const closed = await startServer();
    try {
      const client = await founded(closed.url, [{ action: 'any', record: 'any' }]);
      await storeBridged(client, bridge.url);
      for (const way of WAYS) expectNoAnswer(await ask(client, way, 'acc'), client, way);
      expect((await lookUp(client, 'ghost')).status).toBe(200);
      expect(bridge.received).toEqual([]);
    } finally {
      await closed.stop();
    }
  });
});
