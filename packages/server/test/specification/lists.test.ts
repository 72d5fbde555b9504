import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listLimits } from '../../src/lists/list-limits.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer, withServer } from '../support/server.js';

const server = withServer();

async function withWallets(count: number): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  for (let index = 0; index < count; index += 1) {
    const { meta } = await stored(client, 'wallet', { handle: `w-${index}` });
    // Lists order by moment: two of the same millisecond stand in the order in which they were stored.
    while (Date.now() <= Date.parse(String(meta.moment))) await nextTurn();
  }
  return client;
}

const handles = (records: RecordEnvelope[]) => records.map(({ data }) => data.handle);

const numbered = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => `w-${from - index}`);

describe('Query parameters on lists: page (object with index and limit)', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await withWallets(listLimits.page.default + 1);
  });

  const page = async (query: string, told: { index: number; limit: number }) =>
    handles(expectList(await client.get(`/wallets?${query}`), client, told));

  it(`List response: { hash, data: [record], page: { index, limit }, meta: { proofs } }; ${listLimits.page.default} at first`, async () => {
    const last = listLimits.page.default;
    expect(await page('', { index: 0, limit: last })).toEqual(numbered(last, 1));
    expect(await page('page.index=1', { index: 1, limit: last })).toEqual(['w-0']);
    expect(await page('page.index=2', { index: 2, limit: last })).toEqual([]);
  });

  it.each([
    'page.index=3&page.limit=5',
    'page[index]=3&page[limit]=5',
    'page%5Bindex%5D=3&page%5Blimit%5D=5',
    'page.limit=5&other=1&page.index=3',
    'page%2Eindex=3&page%2Elimit=5',
  ])('page: %s', async (query) => {
    expect(await page(query, { index: 3, limit: 5 })).toEqual(numbered(5, 1));
  });

  it('page: every record is on exactly one page', async () => {
    const pages = await Promise.all(
      [0, 1, 2, 3].map((index) => page(`page.index=${index}&page.limit=6`, { index, limit: 6 })),
    );
    expect(pages.flat()).toEqual(numbered(listLimits.page.default, 0));
  });

  it(`page: limit is at most ${listLimits.page.greatest}; a greater one is served as that`, async () => {
    const { greatest } = listLimits.page;
    for (const asked of [greatest - 1, greatest, greatest + 1, 999_999_999]) {
      const limit = Math.min(asked, greatest);
      expect(await page(`page.limit=${asked}`, { index: 0, limit })).toHaveLength(listLimits.page.default + 1);
    }
    expect(await page('page.index=999999999', { index: 999_999_999, limit: listLimits.page.default })).toEqual([]);
  });

  it.each([
    ...['-1', 'x', '1.5', '', ' 1', '1e2', '0x1', '9999999999'].map((value) => ['index', value, 0] as const),
    ...['0', '-1', 'x', '1.5', '', '9999999999'].map((value) => ['limit', value, 1] as const),
  ])('page: %s=%j is refused', async (member, value, least) => {
    const detail = `page.${member} must be an integer of at least ${least}`;
    for (const name of [`page.${member}`, `page[${member}]`]) {
      const answer = await client.get(`/wallets?${name}=${encodeURIComponent(value)}`);
      expectRefusal(answer, client, 'api.query-malformed', detail);
    }
  });

  it('page: a history is cut the same way, and says how long it is', async () => {
    const record = (await client.get('/wallets/w-0')).body;
    for (const note of [2, 3, 4, 5]) ok(await client.prove('/wallets/w-0', record, { note }));
    const changes = await client.get('/wallets/w-0/changes?page[index]=1&page.limit=2');
    const items = expectList(changes, client, { index: 1, limit: 2, total: 5 });
    expect(items.map(({ meta }) => (meta as unknown as { change: number }).change)).toEqual([3, 2]);
    const answer = await client.get('/wallets/w-0/changes?page.limit=0');
    expectRefusal(answer, client, 'api.query-malformed', 'page.limit must be an integer of at least 1');
  });

  it.each(['%', '%zz', 'data.handle=%E0%A4%A', 'data.handle=%ff', 'data.handle=a%00b'])(
    'a query that is no text is refused: %s',
    async (query) => {
      const answer = await client.get(`/wallets?${query}`);
      expectRefusal(answer, client, 'api.query-malformed', /./);
    },
  );
});

describe('The order of lists (interface/lists#order)', () => {
  it('newest change first: an update or a proof brings a record to the top', async () => {
    const client = await withWallets(3);
    const listed = async () => handles((await client.get('/wallets')).body.data);
    const [w0, w1] = await Promise.all(['w-0', 'w-1'].map(async (id) => (await client.get(`/wallets/${id}`)).body));
    ok(await client.update('/wallets/w-0', w0, { handle: 'w-0', custom: {} }));
    expect(await listed()).toEqual(['w-0', 'w-2', 'w-1']);
    ok(await client.prove('/wallets/w-1', w1, { note: 'seen' }));
    expect(await listed()).toEqual(['w-1', 'w-0', 'w-2']);
  });

  describe('where all moments are one', () => {
    let still: RunningServer;

    beforeAll(async () => {
      const now = Date.now();
      still = await startServer({ runtime: { now: () => now, random: (bytes) => randomBytes(bytes) } });
    });

    afterAll(async () => {
      await still.stop();
    });

    it('creation order breaks the tie, on every page', async () => {
      const client = await newLedger(still.url);
      const made: RecordEnvelope[] = [];
      for (const handle of ['c', 'a', 'b', 'd', 'e']) made.push(await stored(client, 'wallet', { handle }));
      expect(new Set(made.map(({ meta }) => meta.moment)).size).toBe(1);
      ok(await client.prove('/wallets/b', made[2]!, { status: 'active' }));
      const order = ['c', 'a', 'b', 'd', 'e'];
      expect(handles((await client.get('/wallets')).body.data)).toEqual(order);
      const pages = await Promise.all(
        [0, 1, 2].map((index) => client.get(`/wallets?page.limit=2&page.index=${index}`)),
      );
      expect(pages.flatMap(({ body }) => handles(body.data))).toEqual(order);
    });
  });
});
