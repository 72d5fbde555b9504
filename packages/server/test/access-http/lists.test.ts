import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { activated, everythingFor, founded, GATE, listedFor, registered, underPolicies } from './support.js';

const server = withServer();

/** More than one stride of the walk through a list that leaves records out. */
const MANY = 240;

/** Stores many wallets, of which only some are for everyone; gives the handles of these. */
async function mixed(founder: TestClient, readable: (index: number) => boolean): Promise<Set<string>> {
  const indexes = [...Array(MANY).keys()];
  for (let at = 0; at < MANY; at += 40) {
    await Promise.all(
      indexes.slice(at, at + 40).map((index) => {
        const access: JsonObject[] = readable(index) ? [{ action: 'read' }] : [];
        return stored(founder, 'wallet', { handle: `w-${index}`, custom: { even: index % 2 === 0 }, access });
      }),
    );
  }
  return new Set(indexes.filter(readable).map((index) => `w-${index}`));
}

/** Every page of a list, each asked to be full but the last. */
async function pages(client: TestClient, key: TestKey, limit: number, query = ''): Promise<string[][]> {
  const found: string[][] = [];
  for (let index = 0; ; index += 1) {
    const path = `/wallets?page.limit=${limit}&page.index=${index}${query}`;
    const answer = ok(await client.get(path, bearer(key)));
    expect(answer.body.page).toEqual({ index, limit });
    const page = answer.body.data.map((record: RecordEnvelope) => String(record.data.handle));
    if (page.length === 0) return found;
    found.push(page);
  }
}

/** The visible ones of the list that the founder, who sees everything, is shown. */
async function expected(founder: TestClient, visible: ReadonlySet<string>): Promise<string[]> {
  const all = await listedFor(founder, founder.key, `/wallets?page.limit=1000`);
  expect(all).toHaveLength(MANY);
  return all.filter((handle) => visible.has(handle));
}

describe('a list (interface/access#lists)', () => {
  it.each<[title: string, readable: (index: number) => boolean]>([
    ['every third', (index) => index % 3 === 0],
    ['the oldest few', (index) => index < 30],
  ])('leaves out what the caller may not read, without short pages and in one order: %s', async (_, readable) => {
    const founder = await founded(server.current.url, [GATE]);
    const visible = await mixed(founder, readable);
    const whole = await expected(founder, visible);
    expect(whole.length).toBe(visible.size);
    for (const limit of [7, 100]) {
      const shown = await pages(founder, newKey(), limit);
      expect(shown.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(shown.flat()).toEqual(whole);
    }
    const even = await pages(founder, newKey(), 10, '&data.custom.even=true');
    expect(even.slice(0, -1).every((page) => page.length === 10)).toBe(true);
    expect(even.flat()).toEqual(whole.filter((handle) => Number(handle.slice(2)) % 2 === 0));
  });

  it('past its end is empty, also where records are left out', async () => {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'read' }] });
    await stored(founder, 'wallet', { handle: 'hidden' });
    expect(await listedFor(founder, newKey(), '/wallets?page.limit=1')).toEqual(['w']);
    expect(await listedFor(founder, newKey(), '/wallets?page.limit=1&page.index=1')).toEqual([]);
    expect(await listedFor(founder, newKey(), '/wallets?page.index=999999999')).toEqual([]);
  });

  it('tells nothing of what it leaves out: neither by filters nor by handle', async () => {
    const founder = await founded(server.current.url, [GATE]);
    await stored(founder, 'wallet', { handle: 'hidden', custom: { canary: 'c4n4ry' } });
    const found = ok(await founder.get('/wallets?data.custom.canary=c4n4ry', bearer(newKey())));
    const none = ok(await founder.get('/wallets?data.custom.canary=other', bearer(newKey())));
    expect(found.body.data).toEqual([]);
    expect(Object.keys(found.body)).toEqual(Object.keys(none.body));
    expect(found.body.hash).toBe(none.body.hash);
  });

  it('of factors is filtered as well', async () => {
    const founder = await founded(server.current.url, [GATE]);
    await registered(founder, 'alice');
    const factor = (handle: string, access: JsonObject[]) =>
      stored(founder, 'signer-factor', { handle, signer: 'alice', schema: 'otp', access });
    await factor('open', [{ action: 'read' }]);
    await factor('closed', []);
    expect(await listedFor(founder, newKey(), '/signers/alice/factors')).toEqual(['open']);
    expect(await listedFor(founder, founder.key, '/signers/alice/factors')).toEqual(['closed', 'open']);
  });

  it("of a circle's signers asks for read on the circle", async () => {
    const founder = await founded(server.current.url, [GATE]);
    await registered(founder, 'alice');
    await stored(founder, 'circle', { handle: 'open', access: [{ action: 'read' }] });
    await stored(founder, 'circle', { handle: 'closed', access: [{ action: 'read', bearer: { role: 'clerk' } }] });
    for (const circle of ['open', 'closed']) await stored(founder, 'circle-signer', { circle, signer: 'alice' });
    const shown = ok(await founder.get('/circles/open/signers', bearer(newKey())));
    expect(shown.body.data).toHaveLength(1);
    const refused = await founder.get('/circles/closed/signers', bearer(newKey()));
    expect([refused.status, refused.body.data.detail]).toEqual([403, 'Cannot read circle.']);
  });
});

describe('a list under policies (interface/access#lists, interface/policies#access-policies)', () => {
  const gate = { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] };

  it('shows what a query or any value covers, for the key of the token; a read value shows nothing', async () => {
    const [queries, reads, bears, everything] = [newKey(), newKey(), newKey(), newKey()];
    const founder = await underPolicies(server.current.url, [
      gate,
      {
        handle: 'wallets',
        record: 'wallet',
        values: [
          { action: 'query', signer: { public: queries.public }, filter: { 'custom.tier': 'gold' } },
          { action: 'query', bearer: { $signer: { public: bears.public } }, filter: { handle: { $in: ['w-1'] } } },
          { action: 'read', signer: { public: reads.public } },
          { action: 'read', bearer: { $signer: { public: reads.public } } },
          { action: 'any', signer: { public: everything.public } },
        ],
      },
    ]);
    for (const [index, tier] of ['gold', 'silver', 'gold'].entries()) {
      await stored(founder, 'wallet', { handle: `w-${index}`, custom: { tier }, access: [{ action: 'any' }] });
    }
    expect(await listedFor(founder, queries, '/wallets')).toEqual(['w-2', 'w-0']);
    expect(await listedFor(founder, bears, '/wallets')).toEqual(['w-1']);
    expect(await listedFor(founder, reads, '/wallets')).toEqual([]);
    expect(await listedFor(founder, everything, '/wallets')).toEqual(['w-2', 'w-1', 'w-0']);
    expect(await listedFor(founder, newKey(), '/wallets')).toEqual([]);
    expect(await listedFor(founder, queries, '/symbols')).toEqual([]);
    // What may be read one by one is another matter.
    const one = (key: TestKey) => founder.get('/wallets/w-1', bearer(key)).then(({ status }) => status);
    expect([await one(reads), await one(queries), await one(everything)]).toEqual([200, 403, 403]);
  });

  it('without principal, query is for all; without the gate it is for nobody', async () => {
    const open = { handle: 'wallets', record: 'wallet', values: [{ action: 'query' }] };
    const entered = await underPolicies(server.current.url, [gate, open]);
    await stored(entered, 'wallet', { handle: 'w' });
    expect(await listedFor(entered, undefined, '/wallets')).toEqual(['w']);
    const shut = await underPolicies(server.current.url, [open]);
    const refused = await shut.get('/wallets', bearer(newKey()));
    expect([refused.status, refused.body.data.detail]).toEqual([403, 'Cannot query wallet.']);
  });

  it('has full pages too', async () => {
    const founder = await founded(server.current.url);
    const visible = await mixed(founder, (index) => index % 2 === 0);
    const operator = { handle: 'operator', record: 'any', values: everythingFor(founder.key) };
    const some = { handle: 'some', record: 'wallet', values: [{ action: 'query', filter: { 'custom.even': true } }] };
    for (const policy of [operator, gate, some]) await activated(founder, policy);
    const whole = await expected(founder, visible);
    const ledger = (await founder.get('/ledger')).body;
    const { parent: _, ...data } = ledger.data;
    ok(await founder.update('/ledger', ledger, { ...data, config: { 'access.strategy': 'policy-based' } }));
    const shown = await pages(founder, newKey(), 50);
    expect(shown.slice(0, -1).every((page) => page.length === 50)).toBe(true);
    expect(shown.flat()).toEqual(whole);
  });
});
