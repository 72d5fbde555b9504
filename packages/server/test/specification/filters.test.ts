import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { filterLimits } from '../../src/access/filter-limits.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kinds } from '../../src/kinds/registry.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { make, ok, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();
let client: TestClient;

const CUSTOM: Readonly<Record<string, JsonObject>> = {
  w1: { rank: 5, tier: 'gold', on: true, tags: ['a', 'b'], city: { name: 'X' }, list: [{ n: 5 }, { n: 15 }] },
  w2: { rank: 10, tier: 'silver', on: false, tags: ['b', 'c'], city: { name: 'Y' }, list: [{ n: 20 }] },
  w3: { rank: '7', tier: 'bronze_1', on: 'true', none: null, tags: [], city: 'X', minus: -2.5 },
};

beforeAll(async () => {
  client = await newLedger(server.current.url);
  for (const [handle, custom] of Object.entries(CUSTOM)) await stored(client, 'wallet', { handle, custom });
  await stored(client, 'wallet', { handle: 'w4' });
});

/** The handles found, oldest first. */
async function found(query: string, path = '/wallets'): Promise<unknown[]> {
  const records = expectList(await client.get(`${path}?${query}`), client, { index: 0, limit: 20 });
  return records.map(({ data }) => data.handle).toReversed();
}

async function expectUnsupported(query: string, named: string, path = '/wallets'): Promise<void> {
  expectRefusal(await client.get(`${path}?${query}`), client, 'api.query-malformed', `Unsupported filters: ${named}`);
}

describe('Filtering', () => {
  it.each([
    ['data.handle=w1', ['w1']],
    ['data.handle.$eq=w1', ['w1']],
    ['data.handle.%24eq=w1', ['w1']],
    ['data[handle][$eq]=w1', ['w1']],
    ['data.custom.tier=gold', ['w1']],
    ['data.custom.tier=Gold', []],
    ['data.custom.rank=5', ['w1']],
    ['data.custom.rank=5.0', ['w1']],
    ['data.custom.rank=7', ['w3']],
    ['data.custom.minus=-2.5', ['w3']],
    ['data.custom.on=true', ['w1', 'w3']],
    ['data.custom.on=false', ['w2']],
    ['data.custom.none=null', []],
    ['data.custom.ghost=', []],
  ])('$eq | equal (default when no operator is given) | %s', async (query, handles) => {
    expect(await found(query)).toEqual(handles);
  });

  it.each([
    ['data.custom.rank.$gt=5', ['w2', 'w3']],
    ['data.custom.rank.$gt=4.99', ['w1', 'w2', 'w3']],
    ['data.custom.rank.$gte=5', ['w1', 'w2', 'w3']],
    ['data.custom.rank.$gte=10', ['w2', 'w3']],
    ['data.custom.rank.$lt=10', ['w1']],
    ['data.custom.rank.$lt=5', []],
    ['data.custom.rank.$lte=10', ['w1', 'w2']],
    ['data.custom.rank.$lte=5', ['w1']],
    ['data.custom.rank.$gt=abc', []],
    ['data.custom.minus.$lt=-2', ['w3']],
    ['data.custom.minus.$gte=-2', []],
    ['data.custom.tier.$gt=gold', ['w2']],
    ['data.custom.tier.$lte=gold', ['w1', 'w3']],
    ['data.handle.$gte=w2', ['w2', 'w3', 'w4']],
    ['data.custom.ghost.$gt=0', []],
  ])('$gt, $gte, $lt, $lte | greater, greater or equal, less, less or equal | %s', async (query, handles) => {
    expect(await found(query)).toEqual(handles);
  });

  it.each([
    ['data.handle.$in[0]=w1&data.handle.$in[1]=w3', ['w1', 'w3']],
    ['data.handle.%24in%5B0%5D=w1&data.handle.%24in%5B1%5D=w3', ['w1', 'w3']],
    ['data.handle.$in=w1&data.handle.$in=w3', ['w1', 'w3']],
    ['data.handle.$in[]=w1', ['w1']],
    ['data.handle.$in=w1,w3', ['w1', 'w3']],
    ['data[handle][%24in]=w1,w3&data.handle.$in=w4', ['w1', 'w3', 'w4']],
    ['data.handle.$in=["w1","w3"]', ['w1', 'w3']],
    ['data.custom.rank.$in=5,10', ['w1', 'w2']],
    ['data.custom.rank.$in=[5,"7"]', ['w1', 'w3']],
    ['data.custom.on.$in=[false]', ['w2']],
    ['data.custom.tags.$in=[["a"]]', []],
    ['data.custom.tags.$in[0]=a,b', []],
    ['data.custom.tags.$in[]=a,b', []],
    ['data.custom.rank.$in[0]=5&data.custom.rank.$in[1]=7&data.custom.rank.$in[2]=x', ['w1', 'w3']],
    ['data.custom.tags.$in[0]=c&data.custom.tags.$in[1]=z', ['w2']],
    ['data.handle.$in[0]=ghost', []],
    ['meta.status.$in[0]=created&meta.status.$in[1]=x&data.handle=w1', ['w1']],
  ])('$in | value in array | %s', async (query, handles) => {
    expect(await found(query)).toEqual(handles);
  });

  it.each([
    ['data.custom.tier.$ne=gold', ['w2', 'w3', 'w4']],
    ['data.custom.rank.$ne=5', ['w2', 'w3', 'w4']],
    ['data.custom.tags.$ne=b', ['w3', 'w4']],
    ['data.custom.ghost.$ne=x', ['w1', 'w2', 'w3', 'w4']],
    ['meta.status.$ne=created', []],
    ['meta.domain.$ne=shop', ['w1', 'w2', 'w3', 'w4']],
    ['data.handle.$nin[0]=w1&data.handle.$nin[1]=w4', ['w2', 'w3']],
    ['data.handle.$nin=w1,w4', ['w2', 'w3']],
    ['data.handle.$nin=["w1"]', ['w2', 'w3', 'w4']],
  ])('$ne | not equal | %s', async (query, handles) => {
    expect(await found(query)).toEqual(handles);
  });

  it.each([
    ['ol', ['w1']],
    ['OL', []],
    ['^g', []],
    ['g$', []],
    ['[gs]', []],
    ['s.l', ['w2']],
    ['s_l', ['w2']],
    ['s.*r', ['w2']],
    ['b%e', ['w3']],
    ['e\\_1', ['w3']],
    ['l\\_e', []],
    ['', ['w1', 'w2', 'w3']],
  ])('The factor filter parameter additionally mentions $regex: a part of the text | %j', async (pattern, handles) => {
    expect(await found(`data.custom.tier.$regex=${encodeURIComponent(pattern)}`)).toEqual(handles);
  });

  it('1. The field path is the path in the response record, for example data.handle, meta.status, meta.moment', async () => {
    const { meta } = (await client.get('/wallets/w2')).body as RecordEnvelope;
    expect(await found(`meta.moment=${meta.moment}`)).toEqual(['w2']);
    expect(await found(`meta.moment.$lt=${meta.moment}`)).toEqual(['w1']);
    expect(await found(`meta.moment.$lte=${meta.moment}`)).toEqual(['w1', 'w2']);
    expect(await found(`meta.moment.$gt=${meta.moment}`)).toEqual(['w3', 'w4']);
    const elsewhere = new Date(Date.parse(meta.moment) + 7_200_000).toISOString().replace('Z', '%2B02:00');
    expect(await found(`meta.moment=${elsewhere}`)).toEqual(['w2']);
    expect(await found('meta.moment.$gte=2020-01-01&meta.status=created')).toHaveLength(4);
    expect(await found('meta.status=active')).toEqual([]);
    for (const bad of ['yesterday', '', '2020-13-01', '2020-01-01T25:00:00Z', '12']) {
      const answer = await client.get(`/wallets?meta.moment.$gt=${bad}`);
      expectRefusal(answer, client, 'api.query-malformed', /^meta\.moment must be compared with an ISO 8601 date/);
    }
  });

  it('2. Several filters must all match (implicit AND)', async () => {
    expect(await found('data.custom.rank.$gte=5&data.custom.tier=gold')).toEqual(['w1']);
    expect(await found('data.custom.rank.$gt=5&data.custom.rank.$lt=7&data.custom.tier.$ne=x')).toEqual([]);
    expect(await found('data.custom.rank.$gte=5&data.custom.rank.$lte=9')).toEqual(['w1', 'w3']);
    expect(await found('data.custom.tags=a&data.custom.tags=b')).toEqual(['w1']);
    expect(await found('data.custom.tags=a&data.custom.tags=c')).toEqual([]);
  });

  it.each([
    '$and[0].data.handle=w1',
    '$or[0].data.handle=w1',
    'data.$or[0].handle=w1',
    'data.$and=w1',
    'data.handle.$or=w1',
  ])('2. $and and $or are unsupported | %s', async (query) => {
    await expectUnsupported(query, `'${query.split('=')[0]}'`);
  });

  it('3. Array fields: a numeric index segment tests that element; no index matches when any element matches', async () => {
    expect(await found('data.custom.tags=b')).toEqual(['w1', 'w2']);
    expect(await found('data.custom.tags.0=b')).toEqual(['w2']);
    expect(await found('data.custom.tags.1=b')).toEqual(['w1']);
    expect(await found('data.custom.list.n.$gt=10')).toEqual(['w1', 'w2']);
    expect(await found('data.custom.list.0.n.$gt=10')).toEqual(['w2']);
    expect(await found('data.custom.list.1.n=15')).toEqual(['w1']);
    expect(await found('data.custom.list.2.n.$gt=0')).toEqual([]);
    expect(await found('data.custom.city.name=X')).toEqual(['w1']);
    expect(await found('data.custom.city=X')).toEqual(['w3']);
  });

  it('3. data.claims.0.amount.$gt tests that element; data.claims.amount.$gt matches when any element matches', async () => {
    const claim = (amount: number, target: string, symbol = 'usd') => ({
      action: 'issue',
      target: { handle: target },
      symbol: { handle: symbol },
      amount,
    });
    await stored(client, 'intent', { handle: 'i1', claims: [claim(5, 'alice'), claim(15, 'bob', 'eur')] });
    await stored(client, 'intent', { handle: 'i2', claims: [claim(20, 'bob')] });
    expect(await found('data.claims.0.amount.$gt=5', '/intents')).toEqual(['i2']);
    expect(await found('data.claims.amount.$gt=5', '/intents')).toEqual(['i1', 'i2']);
    expect(await found('data.claims.amount.$gt=15', '/intents')).toEqual(['i2']);
    expect(await found('data.claims.target.handle=bob', '/intents')).toEqual(['i1', 'i2']);
    expect(await found('data.claims.0.target.handle=bob', '/intents')).toEqual(['i2']);
    expect(await found('data.claims.symbol.handle=eur&data.claims.action=issue', '/intents')).toEqual(['i1']);
    await expectUnsupported('data.claims.custom=usd', "'data.claims.custom'", '/intents');
  });

  it('claims are found by their addresses in either form: "source": "alice" and "source": {"handle": "alice"}', async () => {
    const claims = [
      { action: 'issue', target: 'carol', symbol: 'gbp', amount: 30 },
      { action: 'transfer', source: 'carol', target: { handle: 'dave' }, symbol: { handle: 'gbp' }, amount: 31 },
    ];
    await stored(client, 'intent', { handle: 'i3', claims });
    await stored(client, 'intent', { handle: 'i4', claims: [{ ...claims[1], source: { handle: 'carol' } }] });
    for (const query of ['data.claims.source.handle=carol', 'data.claims.symbol.handle.$in[0]=gbp']) {
      expect(await found(query, '/intents'), query).toEqual(['i3', 'i4']);
    }
    expect(await found('data.claims.target.handle=carol', '/intents')).toEqual(['i3']);
    expect(await found('data.claims.0.symbol.handle=gbp&data.claims.amount.$lt=31', '/intents')).toEqual(['i3']);
    expect(await found('data.claims.1.source.handle.$regex=aro', '/intents')).toEqual(['i3']);
    expect(await found('data.claims.source=carol', '/intents')).toEqual(['i3', 'i4']);
    expect(await found('data.claims.1.target=dave&data.claims.symbol.$in=gbp,eur', '/intents')).toEqual(['i3']);
    expect(await found('data.claims.symbol.$ne=gbp', '/intents')).toEqual(['i1', 'i2']);
    expect(await found('data.claims.source.handle.$ne=carol&data.claims.amount.$gt=29', '/intents')).toEqual([]);
  });

  it('4. Non-filterable fields yield an error that names the unsupported fields', async () => {
    await expectUnsupported('data.secret=x', "'data.secret'");
    await expectUnsupported(
      'meta.owners.%24in%5B0%5D=x&data.handle=w1&data.handle.$foo=y&data.access=z&luid=1',
      "'meta.owners.$in[0]', 'data.handle.$foo', 'data.access', 'luid'",
    );
    for (const key of ['data.', 'data..handle', 'data.handle[', 'data.handle.$eq.$ne', 'meta.status.$in[x]']) {
      await expectUnsupported(`${encodeURIComponent(key)}=x`, `'${key}'`);
    }
  });

  it.each([
    ...['luid=x', 'hash=x', 'data=x', 'meta=x', 'handle=w1', 'handle.$regex=x', 'handle[$in][0]=x', 'status=active'],
    ...[
      'owners=x',
      'schema=x',
      'moment=x',
      'labels=x',
      'domain=x',
      'custom=x',
      'custom.tier=gold',
      'custom[tier]=gold',
      'bridge=x',
    ],
    '$plainTextQuery=gold',
  ])('what is meant as a filter and names no field of a record is refused, not ignored | %s', async (query) => {
    await expectUnsupported(query, `'${query.split('=')[0]}'`);
  });

  it('4. names all of them, in the order they came', async () => {
    await expectUnsupported('status=x&data.access=y&custom.a=z', "'status', 'data.access', 'custom.a'");
    await expectUnsupported('claims.amount=5&$plainTextQuery=x', "'claims.amount', '$plainTextQuery'", '/intents');
    await expectUnsupported('signer=x', "'signer'", '/circles/none-yet/signers');
  });

  it('other parameters are ignored', async () => {
    const others = [
      'unknown=x',
      'database=x',
      'metadata.a=x',
      'handles=x',
      'claims=x',
      'paged=1',
      'filtered=x',
      'include=x',
    ];
    for (const query of [...others, 'sort.data.handle=x', '_=1']) {
      expect(await found(query)).toEqual(['w1', 'w2', 'w3', 'w4']);
    }
  });
});

/** Fields beside data.handle, data.schema, data.custom.*, meta.status, meta.labels, meta.domain and meta.moment. */
const OWN: Readonly<Record<KindName, readonly string[]>> = {
  ledger: [],
  signer: ['data.public', 'data.format'],
  'signer-factor': ['data.public'],
  domain: [],
  report: [],
  policy: ['data.record'],
  schema: ['data.record'],
  effect: [],
  circle: [],
  'circle-signer': ['data.signer', 'data.circle'],
  anchor: ['data.wallet', 'data.target', 'data.symbol', 'data.record', 'data.source'],
  wallet: ['data.bridge'],
  intent: [
    'meta.domains',
    ...['action', 'amount', 'source.handle', 'target.handle', 'symbol.handle'].map((field) => `data.claims.${field}`),
  ],
  symbol: [],
  bridge: [],
};

const COMMON = [
  'data.handle',
  'data.schema',
  'data.custom.a.b',
  'meta.status',
  'meta.labels',
  'meta.domain',
  'meta.moment',
];

/** Refused on every kind [interface/lists#filterable-members], and fields of other kinds. */
const NEVER = [
  ...['access', 'origin', 'signal', 'parent', 'claims.symbol', 'unknown', 'custom', 'secret'].map(
    (field) => `data.${field}`,
  ),
  ...['owners', 'thread', 'unknown', 'proofs'].map((field) => `meta.${field}`),
];

describe('5. Documented filter fields', () => {
  it.each(kinds.filter(({ name }) => name !== 'ledger'))('$name', async ({ name, links: { under } }) => {
    const scene = await setScene(server.current.url, name, { shape: 'full' });
    await make(scene);
    const missing = name === 'domain' ? 'meta.domain' : name === 'schema' ? 'data.schema' : '';
    const fields = [...COMMON.filter((field) => field !== missing), ...OWN[name]];
    const others = [...new Set(Object.values(OWN).flat()), missing].filter((field) => field && !fields.includes(field));
    const ask = async (field: string) => {
      const query = `${field}=${field === 'meta.moment' ? '2020-01-01' : 'x'}`;
      return scene.client.get(`${scene.collection}?${query}`);
    };
    for (const field of fields) expect((await ask(field)).status, field).toBe(200);
    for (const field of [...NEVER, ...others].filter((one) => name !== 'intent' || one !== 'data.claims.symbol')) {
      expectRefusal(await ask(field), scene.client, 'api.query-malformed', `Unsupported filters: '${field}'`);
    }
    // A nested list is of one parent already; those of circles are asked for by it all the same.
    const named = under && `data.${under.member}`;
    if (named && !fields.includes(named)) expect((await ask(named)).status).toBe(400);
  });

  it('a circle signer is found by its signer and its circle', async () => {
    await stored(client, 'circle', { handle: 'desk' });
    for (const handle of ['ann', 'ben']) {
      await stored(client, 'signer', { handle, format: 'ed25519-raw', public: newKey().public });
      await stored(client, 'circle-signer', { circle: 'desk', signer: handle });
    }
    const signers = async (query: string) =>
      ok(await client.get(`/circles/desk/signers?${query}`)).body.data.map(({ data }: RecordEnvelope) => data.signer);
    expect(await signers('data.signer=ann')).toEqual(['ann']);
    expect(await signers('data.signer.$ne=ann&data.circle=desk')).toEqual(['ben']);
    expect(await signers('data.circle=other')).toEqual([]);
  });

  it('labels and status are found as they are now', async () => {
    const { body: wallet } = await client.get('/wallets/w4');
    const proved = ok(await client.prove('/wallets/w4', wallet, { labels: ['vip', 'eu'], status: 'active' })).body;
    expect(await found('meta.labels=vip')).toEqual(['w4']);
    expect(await found('meta.labels.$in[0]=eu&meta.labels.$in[1]=x&meta.status=active')).toEqual(['w4']);
    expect(await found('meta.labels.$ne=vip')).toEqual(['w1', 'w2', 'w3']);
    ok(await client.prove('/wallets/w4', proved, { labels: { $pull: 'vip' }, status: 'created' }));
    expect(await found('meta.labels=vip')).toEqual([]);
    expect(await found('meta.labels=eu')).toEqual(['w4']);
    expect(await found('meta.status=active')).toEqual([]);
  });
});

describe('The limits of filters', () => {
  const repeated = (count: number, filter: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => filter(index)).join('&');

  const expectOver = async (query: string, detail: string) =>
    expectRefusal(await client.get(`/wallets?${query}`), client, 'api.query-malformed', detail);

  it(`${filterLimits.count} in one query, and not one more`, async () => {
    const query = (count: number) => repeated(count, (index) => `data.custom.f${index}.$ne=x`);
    expect(await found(query(filterLimits.count))).toHaveLength(4);
    await expectOver(query(filterLimits.count + 1), `A query takes at most ${filterLimits.count} filters`);
  });

  it(`${filterLimits.elements} elements of one $in, and not one more`, async () => {
    const query = (count: number) => repeated(count, (index) => `data.handle.$in[${index}]=w${index}`);
    expect(await found(query(filterLimits.elements))).toHaveLength(4);
    await expectOver(query(filterLimits.elements + 1), `$in takes at most ${filterLimits.elements} values`);
  });

  it(`${filterLimits.characters} characters of a key or a value, and not one more`, async () => {
    const key = (length: number) => `data.custom.${'x'.repeat(length - 'data.custom.'.length)}`;
    const detail = `A filter takes at most ${filterLimits.characters} characters`;
    expect(await found(`${key(filterLimits.characters)}=1`)).toEqual([]);
    await expectOver(`${key(filterLimits.characters + 1)}=1`, detail);
    expect(await found(`data.handle=${'x'.repeat(filterLimits.characters)}`)).toEqual([]);
    await expectOver(`data.handle=${'x'.repeat(filterLimits.characters + 1)}`, detail);
  });

  it(`${filterLimits.depth} segments of a path, and not one more`, async () => {
    const path = (segments: number) => `data.custom${'.x'.repeat(segments - 2)}`;
    expect(await found(`${path(filterLimits.depth)}=1`)).toEqual([]);
    const deeper = path(filterLimits.depth + 1);
    await expectUnsupported(`${deeper}=1`, `'${deeper}'`);
  });
});
