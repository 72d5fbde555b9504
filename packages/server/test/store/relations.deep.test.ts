import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { dropOf, newLedger, signed, type TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { atOnce, expectIntact, tally } from './intact.js';

const ROUNDS = 24;

/** Of a kind that may be renamed. */
const effect = (handle: string, more: JsonObject = {}): JsonObject => ({
  handle,
  signal: 'wallet-created',
  action: { endpoint: 'https://example.com' },
  ...more,
});

/** Both orders get their turn: whoever is second starts up to some milliseconds later, in the first rounds much later. */
function laterBy(round: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, round < 4 ? 250 : (round % 8) / 2));
}

async function exists(client: TestClient, path: string): Promise<boolean> {
  return (await client.get(path)).status === 200;
}

describe('what a record names', () => {
  const server = withServer();

  const bridge = (handle: string) => ({
    handle,
    schema: 'rest',
    config: { server: 'https://bridge.example/v2' },
    secure: [],
  });

  it('is there: no wallet is left with a bridge that was dropped at the same time', async () => {
    const client = await newLedger(server.current.url);
    const outcomes = await rounds(client, 'bridge', bridge, (handle, round) =>
      round % 2 === 0
        ? client.create('/wallets', { handle: `w-${handle}`, bridge: handle })
        : nameLater(client, `w-${handle}`, handle),
    );
    expect(outcomes.drops).toMatchObject({ 204: expect.any(Number), '422 record.drop-rejected': expect.any(Number) });
    expect(Object.keys(outcomes.names).sort()).toEqual(['200', '201', '422 record.relation-not-found']);
  });

  it('is there: no anchor is left with a wallet that was dropped at the same time', async () => {
    const client = await newLedger(server.current.url);
    const wallet = (handle: string) => ({ handle });
    const outcomes = await rounds(client, 'wallet', wallet, (handle) =>
      client.create('/anchors', { handle: `a-${handle}`, wallet: handle, target: 'x' }),
    );
    expect(outcomes.drops).toMatchObject({ 204: expect.any(Number), '422 record.drop-rejected': expect.any(Number) });
    expect(Object.keys(outcomes.names).sort()).toEqual(['201', '422 record.relation-not-found']);
  });

  /** Drops a record while another comes to name it, again and again. */
  async function rounds(
    client: TestClient,
    kind: 'bridge' | 'wallet',
    data: (handle: string) => JsonObject,
    name: (handle: string, round: number) => ReturnType<TestClient['create']>,
  ) {
    const drops = [];
    const names = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const handle = `${kind}-${round}`;
      const path = `/${kind}s/${handle}`;
      const drop = dropOf(await stored(client, kind, data(handle)), client.key);
      const [dropped, named] = await Promise.all([
        (round % 3 === 0 ? laterBy(round) : Promise.resolve()).then(() => client.call('DELETE', path, drop)),
        (round % 3 === 1 ? laterBy(round) : Promise.resolve()).then(() => name(handle, round)),
      ]);
      drops.push(dropped);
      names.push(named);
      // One of the two stands, never both and never neither.
      expect([dropped.status === 204, named.status < 300].filter(Boolean)).toHaveLength(1);
      expect(await exists(client, path)).toBe(named.status < 300);
    }
    return { drops: tally(drops), names: tally(names) };
  }

  /** A wallet without a bridge that gets one by an update. */
  async function nameLater(client: TestClient, handle: string, bridge: string) {
    const wallet = await stored(client, 'wallet', { handle });
    return client.call('PUT', `/wallets/${handle}`, updateOf(wallet, { handle, bridge }, client.key));
  }

  it('has one holder: a handle is taken by a rename or by a create, never by both', async () => {
    const client = await newLedger(server.current.url);
    const results = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await stored(client, 'effect', effect(`w-${round}`));
      const handle = `taken-${round}`;
      const rename = updateOf(first, effect(handle), client.key);
      const create = signed(effect(handle), client.key);
      const [renamed, created] = await Promise.all([
        client.call('PUT', `/effects/w-${round}`, rename),
        client.call('POST', '/effects', create),
      ]);
      results.push(renamed, created);
      const winner = renamed.status === 200 ? renamed : created;
      expect([renamed.status, created.status]).toEqual(renamed.status === 200 ? [200, 409] : [409, 201]);
      expect((await client.get(`/effects/${handle}`)).text).toBe(winner.text);
      expect(await exists(client, `/effects/w-${round}`)).toBe(renamed.status !== 200);
      expect(await expectIntact(client, '/effects', first.luid)).toHaveLength(renamed.status === 200 ? 2 : 1);
    }
    expect(tally(results)['409 record.duplicated']).toBe(ROUNDS);
  });

  it('comes to rest when handles are swapped, created and updated in batches', async () => {
    const client = await newLedger(server.current.url);
    const effects = await atOnce(30, (index) => stored(client, 'effect', effect(`w-${index}`)));
    const answers = await atOnce(90, (index) => {
      const before = effects[index % 30]!;
      const own = `w-${index % 30}`;
      const next = `n-${(index * 7) % 30}`;
      if (index < 30) return client.update(`/effects/${own}`, before, effect(next));
      if (index < 60) return client.create('/effects', effect(next));
      return client.update(`/effects/${own}`, before, effect(own, { custom: { index } }));
    });
    const outcomes = ['200', '201', '404 record.not-found', '409 record.duplicated', '422 crypto.parent-hash-invalid'];
    for (const outcome of Object.keys(tally(answers))) expect(outcomes).toContain(outcome);
    for (let index = 0; index < 30; index += 1) expect(await exists(client, `/effects/n-${index}`)).toBe(true);
    const made = ok(await client.get('/effects?page.limit=1000')).body.data;
    for (const { luid } of made) await expectIntact(client, '/effects', luid);
  });
});
