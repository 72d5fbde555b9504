import type { Json, JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { filterLimits } from '../../src/access/filter-limits.js';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { createIn, divided } from '../domains/scene.js';
import { expectRecord, expectRefusal } from '../support/checks.js';
import { newLedger, signed, updateOf } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { loadQueued, subscribe } from './support.js';

const server = withServer();
const WEBHOOK = { schema: 'webhook', endpoint: 'https://receiver.example/hook' };

const effect = (filter: Json, more: JsonObject = {}): JsonObject => ({
  handle: 'e',
  signal: 'wallet-created',
  filter,
  action: WEBHOOK,
  ...more,
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
const deep = (steps: number) => Array.from({ length: steps }, () => 'a').join('.');
/** Of members that the client chooses. */
const custom = (members: JsonObject) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${CUSTOM}${name}`, value])) as JsonObject;
const CUSTOM = 'wallet.data.custom.';
const ones = (count: number) => Array.from({ length: count }, () => 1);

const TOO_LONG = `must have paths of at most ${filterLimits.characters} characters and ${filterLimits.depth} steps`;
const NOT_MORE = 'must NOT have more than';
const UNEVALUATED = 'must NOT have unevaluated properties';

describe('the filter of an effect', () => {
  it.each<[title: string, filter: JsonObject]>([
    ['without paths', {}],
    ['of a required value', { 'wallet.data.handle': 'ann' }],
    ['of values of every type', custom({ a: 1, b: true, c: null, d: ['x', 1], e: { f: { g: 'h' } } })],
    ['with every operator', custom({ a: { $gt: 1, $gte: 'a', $lt: 9, $lte: 'z', $eq: null, $ne: [1], $regex: 'a%' } })],
    ['with sets', custom({ a: { $in: [1, 'a', true, null] }, b: { $nin: [] } })],
    [`of ${filterLimits.count} paths`, custom(many(filterLimits.count))],
    [
      `of a path of ${filterLimits.characters} characters`,
      custom({ ['a'.repeat(filterLimits.characters - CUSTOM.length)]: 1 }),
    ],
    [`of a path of ${filterLimits.depth} steps`, custom({ [deep(filterLimits.depth - 3)]: 1 })],
    [`with a set of ${filterLimits.elements}`, custom({ a: { $in: ones(filterLimits.elements) } })],
    [
      `with a pattern of ${filterLimits.characters} characters`,
      custom({ a: { $regex: 'a'.repeat(filterLimits.characters) } }),
    ],
  ])('%s is taken and served as sent, on create and on update', async (_, filter) => {
    const client = await newLedger(server.current.url);
    const data = effect(filter);
    const record = expectRecord(await client.create('/effects', data), 201, data);
    expect(record.data.filter).toEqual(filter);
    const { filter: __, ...without } = data;
    const updated = ok(await client.update('/effects/e', record, without)).body;
    ok(await client.update('/effects/e', updated, data));
  });

  it.each<[title: string, filter: Json, path: string, message: string]>([
    ['that is no object', 'x', '', 'must be object'],
    [
      `of ${filterLimits.count + 1} paths`,
      many(filterLimits.count + 1),
      '',
      `${NOT_MORE} ${filterLimits.count} properties`,
    ],
    [
      `of a path of ${filterLimits.characters + 1} characters`,
      { ['a'.repeat(filterLimits.characters + 1)]: 1 },
      '',
      TOO_LONG,
    ],
    [`of a path of ${filterLimits.depth + 1} steps`, { [deep(filterLimits.depth + 1)]: 1 }, '', TOO_LONG],
    ['with an unknown operator', { 'a.b': { $foo: 1 } }, '/a.b', UNEVALUATED],
    ['with a member beside operators', { a: { $gt: 1, b: 1 } }, '/a', UNEVALUATED],
    ['with an inherited name for operator', { a: { $eq: 1, toString: 1 } }, '/a', UNEVALUATED],
    ['with operators further down', { a: { b: { $gt: 1 } } }, '/a/b', UNEVALUATED],
    ['with operators within an operand', { a: { $eq: [{ $gt: 1 }] } }, '/a/$eq/0', UNEVALUATED],
    ['with $gt of a boolean', { a: { $gt: true } }, '/a/$gt', 'must be string,number'],
    ['with $lte of an array', { a: { $lte: [1] } }, '/a/$lte', 'must be string,number'],
    ['with $in of a text', { a: { $in: 'x' } }, '/a/$in', 'must be array'],
    ['with $nin of an object', { a: { $nin: {} } }, '/a/$nin', 'must be array'],
    ['with $in of arrays', { a: { $in: ['x', []] } }, '/a/$in/1', 'must be string,number,boolean,null'],
    [
      `with a set of ${filterLimits.elements + 1}`,
      { a: { $in: ones(filterLimits.elements + 1) } },
      '/a/$in',
      `${NOT_MORE} ${filterLimits.elements} items`,
    ],
    ['with $regex of a number', { a: { $regex: 1 } }, '/a/$regex', 'must be string'],
    [
      `with a pattern of ${filterLimits.characters + 1} characters`,
      { a: { $regex: 'a'.repeat(filterLimits.characters + 1) } },
      '/a/$regex',
      `${NOT_MORE} ${filterLimits.characters} characters`,
    ],
    ['with a path that JSON pointers escape', { 'a/b~c': { $in: 1 } }, '/a~1b~0c/$in', 'must be array'],
  ])('%s is refused, on create and on update', async (_, filter, path, message) => {
    const client = await newLedger(server.current.url);
    const answer = await client.create('/effects', effect(filter));
    const detail = `Schema validation error: request/body/data/filter${path} ${message}`;
    expectRefusal(answer, client, 'record.schema-invalid', detail);
    expect(answer.body.data.custom.errors).toHaveLength(1);
    expect(answer.body.data.custom.errors[0]).toMatchObject({ instancePath: `/data/filter${path}`, message });
    expect((await client.get('/effects/e')).status).toBe(404);
    const record = ok(await client.create('/effects', effect({}))).body;
    expectRefusal(await client.update('/effects/e', record, effect(filter)), client, 'record.schema-invalid', detail);
  });
});

describe('a path that matches no event of the signal', () => {
  it.each<[signal: string, path: string, expected: string]>([
    ['report-created', 'data.schema', 'must have paths that begin with handle, signal or report'],
    ['report-created', 'wallet.data.handle', 'must have paths that begin with handle, signal or report'],
    ['wallet-updated', 'toString', 'must have paths that begin with handle, signal, wallet or parent'],
    ['wallet-dropped', 'wallet.data.handle', 'must have paths that begin with handle, signal or parent'],
    ['intent-proofs-added', 'meta.proofs', 'must have paths that begin with handle, signal, intent or proofs'],
    [
      'wallet-limited',
      'limit.amount',
      'must have paths that begin with handle, signal, amount, intent, symbol, wallet or metric',
    ],
    ['intent-proofs-added', 'intent.data.handle', 'must have no paths below intent'],
    ['balance-received', 'amount.0', 'must have no paths below amount'],
    ['report-created', 'report.schema', 'must have paths that lead from report to data, hash, luid or meta'],
  ])('is refused, on create and on update: of %s, %s', async (signal, path, expected) => {
    const client = await newLedger(server.current.url);
    const detail = `Schema validation error: request/body/data/filter ${expected}: '${path}' matches no event`;
    const silent = effect({ [path]: { $ne: 'x' } }, { signal });
    expectRefusal(await client.create('/effects', silent), client, 'record.schema-invalid', detail);
    const record = ok(await client.create('/effects', effect({}, { signal }))).body;
    expectRefusal(await client.update('/effects/e', record, silent), client, 'record.schema-invalid', detail);
  });

  it('is taken where nothing is known of the events', async () => {
    const client = await newLedger(server.current.url);
    for (const signal of ['bridge-entry-created', 'request-updated']) {
      ok(await client.create('/effects', effect({ 'any.thing': 1 }, { signal, handle: signal })));
    }
  });
});

describe('the action of an effect', () => {
  it.each<[title: string, action: JsonObject]>([
    ['{bridge} without schema', { bridge: 'post' }],
    ['{schema, bridge}', { schema: 'bridge', bridge: 'post' }],
    ['{endpoint} without schema', { endpoint: 'https://receiver.example/hook' }],
    ['{schema, endpoint}', { schema: 'webhook', endpoint: 'https://receiver.example/hook' }],
  ])('%s is taken and served as sent, and deliveries lead there', async (_, action) => {
    const client = await newLedger(server.current.url);
    const record = await subscribe(client, 'e', 'wallet-created', { action });
    expect(record.data.action).toEqual(action);
    expect((await client.get('/effects/e')).body).toEqual(record);
    ok(await client.create('/wallets', { handle: 'w' }));
    const [delivery] = await loadQueued(server.current, client);
    const isBridge = 'bridge' in action;
    expect(delivery?.bridge).toBe(isBridge ? 'post' : null);
    expect(delivery?.target).toBe(isBridge ? 'bridge:post' : 'https://receiver.example');
  });

  it('leads to a webhook or a bridge, not to both', async () => {
    const client = await newLedger(server.current.url);
    for (const action of [{}, { bridge: 'b', endpoint: 'https://a.example' }, { schema: 'bridge', endpoint: 'x' }]) {
      const answer = await client.create('/effects', effect({}, { action }));
      expectRefusal(answer, client, 'record.schema-invalid', /\/action must match exactly one schema in oneOf$/);
    }
  });
});

describe('the effects of a ledger', () => {
  const { count, inDomains } = stateLimits.effects;
  const set = (effects: { count: number; inDomains: number }) => Object.assign(stateLimits.effects, effects);
  afterEach(() => set({ count, inDomains }));

  it('are so many at most, which leaves updates and drops free', async () => {
    set({ count: 3, inDomains: 3 });
    const client = await newLedger(server.current.url);
    const first = await subscribe(client, 'e-1', 'wallet-created');
    await subscribe(client, 'e-2', 'wallet-created');
    await subscribe(client, 'e-3', 'wallet-updated');
    const more = effect({}, { handle: 'e-4' });
    const refused = 'A ledger may have 3 effects';
    expectRefusal(await client.create('/effects', more), client, 'record.invalid', refused);
    const update = updateOf(first, { ...effect({}, { handle: 'e-1' }), signal: 'wallet-updated' }, client.key);
    const updated = ok(await client.call('PUT', '/effects/e-1', update)).body;
    ok(await client.drop('/effects/e-1', updated));
    ok(await client.create('/effects', more));
    expectRefusal(await client.create('/effects', effect({})), client, 'record.invalid', refused);
  });

  it('fill a part of that room only from domains', async () => {
    set({ count: 4, inDomains: 2 });
    const { founder, admin } = await divided(server.current.url);
    const inSales = (handle: string) => createIn(admin, '/effects', 'sales', effect({}, { handle }));
    ok(await inSales('e-1'));
    ok(await inSales('e-2'));
    expectRefusal(await inSales('e-3'), admin, 'record.invalid', 'A ledger may have 2 effects in domains');
    ok(await founder.call('POST', '/effects', signed(effect({}, { handle: 'e-3' }), founder.key)));
    ok(await founder.create('/effects', effect({}, { handle: 'e-4' })));
    expectRefusal(
      await founder.create('/effects', effect({})),
      founder,
      'record.invalid',
      'A ledger may have 4 effects',
    );
  });
});
