import type { Change, RecordEnvelope } from '@countersign/protocol';
import { beforeAll, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient, updateOf } from '../support/client.js';
import { make, ok, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();
let client: TestClient;
let path: string;
const moments: string[] = [];

beforeAll(async () => {
  client = await newLedger(server.current.url);
  let wallet = await stored(client, 'wallet', { handle: 'w', custom: { rank: 1 } });
  moments.push(wallet.meta.moment);
  const keep = (record: RecordEnvelope) => {
    wallet = record;
    moments.push(wallet.meta.moment);
  };
  keep(
    ok(await client.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w', custom: { rank: 2 } }, client.key))).body,
  );
  keep(ok(await client.prove('/wallets/w', wallet, { status: 'active' })).body);
  ok(await client.drop('/wallets/w', wallet));
  path = `/wallets/${encodeURIComponent(wallet.luid)}/changes`;
});

/** The numbers of the versions found, and how many there are in all. */
async function found(query: string): Promise<[number[], number]> {
  const { body } = ok(await client.get(`${path}?${query}`));
  return [body.data.map(({ meta }: Change) => meta.change), body.page.total];
}

it.each([
  ['meta.action=create', [1]],
  ['meta.action.$ne=update', [4, 1]],
  ['meta.action.$in[0]=drop&meta.action.$in[1]=create', [4, 1]],
  ['meta.action.$nin[0]=drop', [3, 2, 1]],
  ['meta.action.$regex=d.o', [4]],
  ['meta.change=2', [2]],
  ['meta.change=2.0', [2]],
  ['meta.change.$gt=2', [4, 3]],
  ['meta.change.$lte=1e0', [1]],
  ['meta.change.$in[0]=1&meta.change.$in[1]=4&meta.change.$in[2]=x', [4, 1]],
  ['meta.change.$gte=x', []],
  ['meta.change.$ne=x', [4, 3, 2, 1]],
  ['meta.change.$regex=2', []],
  ['meta.change.$lt=1e400&meta.action=update', [3, 2]],
])('a list of changes is filtered by what tells versions apart | %s', async (query, numbers) => {
  expect(await found(query)).toEqual([numbers, numbers.length]);
});

it('by moment; page.total counts what matches, on every page', async () => {
  expect(await found(`meta.moment.$lte=${moments[1]}`)).toEqual([[2, 1], 2]);
  expect(await found(`meta.moment.$gt=${moments[1]}&page.limit=1`)).toEqual([[4], 2]);
  expect(await found('meta.change.$gt=1&page.limit=2&page.index=1')).toEqual([[2], 3]);
  const bad = await client.get(`${path}?meta.moment=yesterday`);
  expectRefusal(bad, client, 'api.query-malformed', /^meta\.moment must be compared with an ISO 8601 date/);
});

it.each([
  ...['data.handle=w', 'data.custom.rank=2', 'meta.status=active', 'meta.labels=x', 'meta.domain=x', 'data.access=x'],
  ...['meta.action.$foo=x', 'meta.actions=x', 'action=create', 'change=2', 'status=active', 'luid=x', 'custom.rank=2'],
  ...['handle=w', '$and[0].meta.change=1', '$plainTextQuery=w'],
])('and by nothing else, which is said | %s', async (query) => {
  const answer = await client.get(`${path}?page.limit=1&${query}`);
  expectRefusal(answer, client, 'api.query-malformed', `Unsupported filters: '${query.split('=')[0]}'`);
});

it('other parameters are ignored', async () => {
  expect(await found('unknown=x&include=meta.secret')).toEqual([[4, 3, 2, 1], 4]);
});

it.each(kinds.filter(({ lifecycle: { operations } }) => operations.includes('changes')))(
  'of every kind: $name',
  async ({ name, lifecycle }) => {
    const scene = await setScene(server.current.url, name);
    await make(scene);
    // The ledger itself carries an intent on: to a wallet that is missing, in three steps.
    const updates = lifecycle.isProcessed ? 3 : 0;
    const changes = `${scene.path}/changes`;
    expect(ok(await scene.client.get(`${changes}?meta.action=update`)).body.data).toHaveLength(updates);
    expect(ok(await scene.client.get(`${changes}?meta.change=1`)).body.data).toHaveLength(1);
    const refused = await scene.client.get(`${changes}?data.handle=x&meta.status=y`);
    expectRefusal(refused, scene.client, 'api.query-malformed', "Unsupported filters: 'data.handle', 'meta.status'");
  },
);
