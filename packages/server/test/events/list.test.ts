import { hash as hashOf, type JsonObject, luidId, verifyProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { type ReceivedEvent, withReceiver } from '../deliveries/receiver.js';
import { createIn, divided } from '../domains/scene.js';
import { Description } from '../http/description.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer, withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { holdDeliveries, loadRows, query, setDelivery, subscribe } from './support.js';

const live = withServer({ deliveryAllowPrivate: true });
const held = withOwnServer();
const receiver = withReceiver();
beforeAll(() => holdDeliveries(held.current));

// biome-ignore lint/suspicious/noExplicitAny: tests reach into deliveries of every shape
type Delivery = any;

/** Waits until the list of an effect has so many deliveries of the status. */
function deliveriesOf(client: TestClient, path: string, status: string, count = 1): Promise<Delivery[]> {
  return eventually(async () => {
    const found = ok(await client.get(`${path}/events?meta.status=${status}`)).body.data;
    expect(found).toHaveLength(count);
    return found;
  });
}

/** Checks the form of a delivery, its hash, and each of its proofs (interface/effects#deliveries). */
function expectDelivery(delivery: Delivery, system: string): void {
  expect(Object.keys(delivery)).toEqual(['luid', 'hash', 'meta', 'data']);
  const { luid, hash, meta, data } = delivery;
  expect(Object.keys(meta)).toEqual(['proofs', 'moment', 'status', 'replay', 'output']);
  expect(Object.keys(data)).toEqual(['handle', 'bridge', 'effect', 'record', 'linked']);
  expect(luid).toBe(`$evd.${data.handle}`);
  expect(data.handle).toMatch(/^[0-9A-Za-z_-]{17}$/);
  const said = Object.fromEntries(Object.entries(data as JsonObject).filter(([, value]) => value !== null));
  expect(hash).toBe(hashOf(said, native));
  for (const proof of meta.proofs) {
    expect(proof).toMatchObject({ public: system, signer: 'system', origin: 'key-pair' });
    expect(verifyProof(hash, proof, native)).toBe(true);
  }
  if (meta.proofs.length > 0) expect(meta.moment).toBe(meta.proofs.at(-1).custom.moment);
}

const systemOf = async (client: TestClient) => (await client.get('/signers/system')).body.data.public;

describe('a delivery', () => {
  it('is served with its proofs and the body that was sent, byte for byte', async () => {
    const client = await newLedger(live.current.url);
    const action = { endpoint: `${receiver.url}/hook` };
    await subscribe(client, 'hook', 'wallet-created', { action });
    await stored(client, 'wallet', { handle: 'bob', custom: { note: 'café', '10': 1, nested: [{ b: null }] } });
    const [delivery] = await deliveriesOf(client, '/effects/hook', 'delivered');
    expectDelivery(delivery, await systemOf(client));
    const { handle } = delivery.data;
    expect(delivery.data).toEqual({ handle, bridge: null, effect: 'hook', record: 'wallet', linked: 'bob' });
    expect(delivery.meta).toMatchObject({ status: 'delivered', replay: 1 });
    expect(delivery.meta.proofs).toHaveLength(1);
    expect(delivery.meta.proofs[0].custom).toMatchObject({ detail: { httpStatus: 202 }, status: 'delivered' });
    expect(JSON.stringify(delivery.meta.output)).toBe((receiver.received[0] as ReceivedEvent).text);
    expect(delivery.meta.output.data.handle).not.toBe(handle);

    const described = await Description.of(live.current.url);
    for (const path of ['/effects/hook/events', `/effects/hook/events/${handle}`]) {
      const { status, body } = await client.get(path);
      expect(described.answerErrors('GET', path, status, body)).toBeUndefined();
      const more = JSON.parse(JSON.stringify(body).replace('"replay":', '"more":1,"replay":'));
      expect(described.answerErrors('GET', path, status, more)).toBeDefined();
    }
  });

  it('of a drop has no linked record; its event holds the record as it was', async () => {
    const client = await newLedger(live.current.url);
    await subscribe(client, 'hook', 'wallet-dropped', { action: { endpoint: receiver.url } });
    const wallet = await stored(client, 'wallet', { handle: 'bob' });
    ok(await client.drop('/wallets/bob', wallet));
    const [delivery] = await deliveriesOf(client, '/effects/hook', 'delivered');
    expectDelivery(delivery, await systemOf(client));
    expect(delivery.data).toMatchObject({ record: 'wallet', linked: null });
    expect(delivery.meta.output.data).toEqual({
      handle: delivery.meta.output.data.handle,
      parent: wallet,
      signal: 'wallet-dropped',
    });
  });

  it('has no proof and no output before the first attempt', async () => {
    const client = await newLedger(held.current.url);
    await subscribe(client, 'hook', 'wallet-created');
    await stored(client, 'wallet', { handle: 'bob' });
    const [delivery] = await deliveriesOf(client, '/effects/hook', 'pending');
    expectDelivery(delivery, await systemOf(client));
    const [row] = await loadRows(held.current, client);
    const moment = row!.moment.toISOString();
    expect(delivery.meta).toEqual({ proofs: [], moment, status: 'pending', replay: 0, output: null });
  });

  it('to a bridge that is missing shows no output, and the same record as at any other attempt', async () => {
    const client = await newLedger(live.current.url);
    await subscribe(client, 'hook', 'wallet-created', { action: { bridge: 'nope' } });
    await stored(client, 'wallet', { handle: 'bob' });
    const [delivery] = await deliveriesOf(client, '/effects/hook', 'failed');
    expectDelivery(delivery, await systemOf(client));
    const { handle } = delivery.data;
    expect(delivery.data).toEqual({ handle, bridge: 'nope', effect: 'hook', record: 'wallet', linked: 'bob' });
    expect(delivery.meta).toMatchObject({ status: 'failed', output: null });
    expect(delivery.meta.replay).toBe(delivery.meta.proofs.length);
    expect(delivery.meta.proofs[0].custom).toMatchObject({
      detail: { reason: 'core.unexpected-error', message: 'Bridge nope not found' },
      reason: 'delivery.unexpected-error',
      status: 'failed',
    });
  });

  it('to a bridge that has come shows the output, from the next attempt on', async () => {
    const client = await newLedger(live.current.url);
    await subscribe(client, 'hook', 'wallet-created', { action: { bridge: 'post' } });
    await stored(client, 'wallet', { handle: 'bob' });
    await deliveriesOf(client, '/effects/hook', 'failed');
    await stored(client, 'bridge', { handle: 'post', schema: 'rest', config: { server: receiver.url }, secure: [] });
    const body = signed({ maxAge: 0 }, client.key, {});
    ok(await client.call('POST', '/effects/hook/events/retry', body));
    const [delivery] = await deliveriesOf(client, '/bridges/post', 'delivered');
    expect(delivery.data).toMatchObject({ bridge: 'post', effect: 'hook', record: 'wallet', linked: 'bob' });
    expect(JSON.stringify(delivery.meta.output)).toBe(receiver.received[0]!.text);
    expect(receiver.received[0]!.path).toBe('/effects/hook');
    expectDelivery(delivery, await systemOf(client));
  });
});

describe('GET /effects/{id}/events', () => {
  let client: TestClient;
  let handles: string[];

  beforeAll(async () => {
    client = await newLedger(held.current.url);
    await subscribe(client, 'hook', 'wallet-created');
    await subscribe(client, 'other', 'wallet-created');
    await subscribe(client, 'drops', 'wallet-dropped');
    for (const handle of ['a', 'b', 'c', 'd', 'e']) await stored(client, 'wallet', { handle });
    const rows = (await loadRows(held.current, client)).filter((_, index) => index % 2 === 0);
    handles = rows.map(({ handle }) => handle);
    for (const [index, status] of ['delivered', 'failed', 'cancelled', 'failed'].entries()) {
      await setDelivery(held.current, handles[index]!, { status });
    }
  });

  const list = (search = '', path = '/effects/hook') => client.get(`${path}/events${search}`);
  const linked = (answer: TestAnswer) =>
    ok(answer)
      .body.data.map(({ data }: Delivery) => data.linked)
      .join('');

  it('answers a signed page of deliveries, newest creation first, without a total', async () => {
    const page = expectList(await list(), client, { index: 0, limit: 20 });
    expect(page.map(({ data }) => data.linked)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(page.map(({ data }) => data.handle)).toEqual(handles.toReversed());
  });

  it('is cut into pages like every list', async () => {
    expect(linked(await list('?page.limit=2'))).toBe('ed');
    expect(linked(await list('?page.limit=2&page.index=1'))).toBe('cb');
    expectList(await list('?page[limit]=2&page[index]=2'), client, { index: 2, limit: 2 });
    expect(linked(await list('?page.limit=2&page.index=2'))).toBe('a');
    expect(linked(await list('?page.index=9'))).toBe('');
    expectList(await list('?page.limit=5000'), client, { index: 0, limit: 1_000 });
    expect((await list('?page.limit=0')).status).toBe(400);
  });

  it.each([
    ['?meta.status=failed', 'db'],
    ['?meta.status.$eq=delivered', 'a'],
    ['?meta.status.$ne=failed', 'eca'],
    ['?meta.status.$in[0]=delivered&meta.status.$in[1]=cancelled', 'ca'],
    ['?meta.status.$nin[]=failed&meta.status.$nin[]=pending', 'ca'],
    ['?data.linked=b', 'b'],
    ['?data.linked.$in[]=b&data.linked.$in[]=e', 'eb'],
    ['?data.record=wallet', 'edcba'],
    ['?data.record=symbol', ''],
    ['?data.linked=b&meta.status=failed', 'b'],
    ['?data.linked=b&meta.status=delivered', ''],
    ['?unknown=1', 'edcba'],
  ])('is filtered by meta.status, data.linked and data.record: %s', async (search, found) => {
    expect(linked(await list(search))).toBe(found);
  });

  it.each(['data.handle', 'data.effect', 'meta.moment', 'data.custom.x', 'meta.replay', 'status', 'linked', '$or'])(
    'refuses a filter of %s, by its name',
    async (name) => {
      const refused = `Unsupported filters: '${name}'`;
      expectRefusal(await list(`?${name}=x&meta.status=failed`), client, 'api.query-malformed', refused);
    },
  );

  it('of an effect that was never told of anything is empty; of an unknown one it is 404', async () => {
    expectList(await list('', '/effects/drops'), client, { index: 0, limit: 20 });
    expectRefusal(await list('', '/effects/none'), client, 'record.not-found', 'Effect not found');
    expectRefusal(await list('', '/bridges/none'), client, 'record.not-found', 'Bridge not found');
    for (const path of ['/wallets/a', '/policies/a', '/ledger']) {
      expectRefusal(await list('', path), client, 'api.route-not-found', 'Route not found');
    }
  });

  it('finds one by its handle or luid, by the name or luid of the effect', async () => {
    const [, ...others] = ok(await list()).body.data;
    const [delivery] = others;
    const { luid } = ok(await client.get('/effects/hook')).body;
    for (const effect of ['hook', luid]) {
      for (const id of [delivery.data.handle, delivery.luid]) {
        const answer = ok(await client.get(`/effects/${effect}/events/${encodeURIComponent(id)}`));
        expect(answer.body).toEqual(delivery);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    }
  });

  it.each([
    ['that is unknown', '0123456789abcdefg', '0123456789abcdefg'],
    ['that is none', 'x', 'x'],
    ['that is long', 'é'.repeat(300), 'é'.repeat(255)],
    ['with a NUL', '%00', '\0'],
    ['of another kind', '$wlt.0123456789abcdefg', '$wlt.0123456789abcdefg'],
  ])('is 404 for a handle %s', async (_, id, shown) => {
    const answer = await client.get(`/effects/hook/events/${id}`);
    const refused = `Event delivery '${shown}' not found on ledger '${client.ledger}'`;
    expectRefusal(answer, client, 'record.not-found', refused);
  });

  it('is 404 for a delivery of another effect, and of another ledger', async () => {
    const [handle = ''] = handles;
    const refused = (ledger?: string) => `Event delivery '${handle}' not found on ledger '${ledger}'`;
    const answer = await client.get(`/effects/other/events/${handle}`);
    expectRefusal(answer, client, 'record.not-found', refused(client.ledger));
    const elsewhere = await newLedger(held.current.url);
    await subscribe(elsewhere, 'hook', 'wallet-created');
    const strange = await elsewhere.get(`/effects/hook/events/${handle}`);
    expectRefusal(strange, elsewhere, 'record.not-found', refused(elsewhere.ledger));
    expect(ok(await elsewhere.get('/effects/hook/events')).body.data).toEqual([]);
  });

  it('is gone with the effect, also by its luid', async () => {
    const effect = await subscribe(client, 'gone', 'wallet-updated');
    ok(await client.drop('/effects/gone', effect));
    for (const id of ['gone', effect.luid]) {
      for (const end of ['events', `events/${handles[0]}`]) {
        const answer = await client.get(`/effects/${id}/${end}`);
        expectRefusal(answer, client, 'record.not-found', 'Effect not found');
      }
    }
  });

  it('still has them after a new name of the effect, and names it as it was', async () => {
    const renamed = await newLedger(held.current.url);
    const effect = await subscribe(renamed, 'old', 'wallet-created');
    await stored(renamed, 'wallet', { handle: 'w' });
    const { parent: _, ...data } = effect.data;
    ok(await renamed.update('/effects/old', effect, { ...data, handle: 'new' }));
    const [delivery] = ok(await renamed.get('/effects/new/events')).body.data;
    expect(delivery.data).toMatchObject({ effect: 'old', linked: 'w' });
  });
});

describe('GET /bridges/{id}/events', () => {
  const bridge = (handle: string) => ({
    handle,
    schema: 'rest',
    config: { server: 'https://bridge.example' },
    secure: [],
  });

  it('answers the deliveries of all effects that lead to the bridge', async () => {
    const client = await newLedger(held.current.url);
    await stored(client, 'bridge', bridge('post'));
    await subscribe(client, 'one', 'wallet-created', { action: { bridge: 'post' } });
    await subscribe(client, 'two', 'symbol-created', { action: { schema: 'bridge', bridge: 'post' } });
    await subscribe(client, 'hook', 'wallet-created');
    await stored(client, 'wallet', { handle: 'w' });
    await stored(client, 'symbol', { handle: 'usd', factor: 1 });
    const page = expectList(await client.get('/bridges/post/events'), client, { index: 0, limit: 20 });
    const told = page.map(({ data }) => [data.effect, data.bridge, data.record, data.linked]);
    expect(told).toEqual([
      ['two', 'post', 'symbol', 'usd'],
      ['one', 'post', 'wallet', 'w'],
    ]);
    const one = await client.get(`/bridges/post/events/${page[0]!.data.handle}`);
    expect(ok(one).body).toEqual(page[0]);
    expect(ok(await client.get('/bridges/post/events?data.record=wallet')).body.data).toHaveLength(1);
    expect(ok(await client.get('/effects/one/events')).body.data).toHaveLength(1);
  });

  it('leaves out effects for which the bridge counts as missing: those of a domain beside its own', async () => {
    const { founder, boss } = await divided(held.current.url);
    await stored(founder, 'bridge', bridge('post@bank'));
    const action = { action: { bridge: 'post@bank' } };
    const subscribeIn = (domain: string, handle: string) =>
      createIn(founder, '/effects', domain, { handle, signal: 'wallet-created', ...action });
    ok(await subscribeIn('sales', 'of-sales'));
    ok(await subscribeIn('bank', 'of-bank'));
    await subscribe(founder, 'at-large', 'wallet-created', action);
    for (const handle of ['w@sales', 'w@bank']) await stored(founder, 'wallet', { handle });
    const as = founder.as(boss);
    const seen = ok(await as.get('/bridges/post@bank/events', bearer(boss))).body.data;
    expect(seen.map(({ data }: Delivery) => [data.effect, data.linked])).toEqual([
      ['at-large', 'w@bank'],
      ['of-bank', 'w@bank'],
      ['at-large', 'w@sales'],
    ]);
    const [row] = await query<{ handle: string }>(
      held.current,
      `select handle from delivery where effect_handle = 'of-sales'`,
    );
    expect((await as.get(`/bridges/post@bank/events/${row!.handle}`, bearer(boss))).status).toBe(404);
    expect((await as.get(`/effects/of-sales/events/${row!.handle}`, bearer(boss))).status).toBe(200);
  });

  it('is empty for a bridge that nothing leads to', async () => {
    const client = await newLedger(held.current.url);
    const { luid } = await stored(client, 'bridge', bridge('post'));
    expect(expectList(await client.get(`/bridges/${luid}/events`), client, { index: 0, limit: 20 })).toEqual([]);
    expect(luidId(luid)).toHaveLength(17);
  });
});
