import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordLimits } from '../../src/records/record-limits.js';
import { allSealed } from '../log/reading.js';
import { newKey, newLedger, type TestClient, type TestKey, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withOwnServer();

/** What goes to the database and comes back, as long as it is watched. */
interface Traffic {
  readonly statements: string[];
  bodies: number;
}

const query = pg.Pool.prototype.query;

/** Set in all that a request causes, and in nothing that the server does by itself. */
const requested = new AsyncLocalStorage<true>();
const CHANNEL = 'http.server.request.start';
const mark = () => requested.enterWith(true);

beforeEach(() => subscribe(CHANNEL, mark));

afterEach(() => {
  unsubscribe(CHANNEL, mark);
  pg.Pool.prototype.query = query;
});

/** Watches the statements on records that a request has sent, and the bodies that come of them. */
async function traffic(request: () => Promise<unknown>): Promise<Traffic> {
  const seen: Traffic = { statements: [], bodies: 0 };
  pg.Pool.prototype.query = async function watched(this: pg.Pool, statement: pg.QueryConfig, ...others: never[]) {
    const isRequested = requested.getStore();
    const result = await (query as (...parameters: unknown[]) => Promise<pg.QueryResult>).call(
      this,
      statement,
      ...others,
    );
    if (isRequested && /\b(record|change)\b/.test(statement.text ?? '')) {
      seen.statements.push(String(statement.text));
      seen.bodies += result.rows.filter(({ body }) => typeof body === 'string').length;
    }
    return result;
  } as unknown as typeof query;
  await request();
  pg.Pool.prototype.query = query;
  return seen;
}

const SECRET = 'data.custom.salary=4711';
const NONE = 'data.custom.salary=1';

/** A ledger in which `reader` may list wallets, and see only what says so; with wallets it may not see. */
async function scene(options: { access?: JsonObject[]; config?: JsonObject } = {}): Promise<[TestClient, TestKey]> {
  const owner = newKey();
  const reader = newKey();
  const access = options.access ?? [
    { action: 'any', record: 'ledger' },
    { action: 'create', record: 'any' },
  ];
  const client = await newLedger(server.current.url, { key: owner, access, ...options });
  for (let index = 0; index < 30; index += 1) {
    await stored(client, 'wallet', {
      handle: `hidden-${index}`,
      custom: { salary: 4711, text: 'x'.repeat(20_000) },
      access: [{ action: 'any', signer: { public: owner.public } }],
    });
  }
  await allSealed(client);
  return [client.as(reader), reader];
}

describe('a filter that meets what the caller may not see', () => {
  it('asks the database for as much as one that meets nothing, and for no record', async () => {
    const [client, key] = await scene();
    const list = async (filter: string) => {
      const { body } = ok(await client.get(`/wallets?${filter}`, bearer(key)));
      expect(body.data).toEqual([]);
    };
    await list(NONE);
    const missed = await traffic(() => list(NONE));
    const met = await traffic(() => list(SECRET));
    expect(missed.statements.length).toBeGreaterThan(0);
    expect(met.statements).toEqual(missed.statements);
    expect([met.bodies, missed.bodies]).toEqual([0, 0]);
  });

  it('fetches only what is shown, where some of it is', async () => {
    const [client, key] = await scene();
    const access = [{ action: 'read', bearer: { $signer: { public: key.public } } }];
    await stored(client, 'wallet', { handle: 'shown', custom: { salary: 4711 }, access });
    await allSealed(client);
    const list = async () => {
      const { body } = ok(await client.get(`/wallets?${SECRET}`, bearer(key)));
      expect(body.data).toHaveLength(1);
    };
    expect((await traffic(list)).bodies).toBe(1);
  });

  it('is judged by the record as it is now: after an update, a proof, and where its rules are too long to be kept', async () => {
    const [client, key] = await scene();
    const own = await newLedger(server.current.url, {
      key: client.key,
      access: [
        { action: 'any', record: 'ledger' },
        { action: 'any', record: 'any', signer: { public: client.key.public } },
      ],
    });
    const shown = async () => ok(await own.get('/wallets', bearer(reader))).body.data.length;
    const reader = newKey();
    expect(key.public).not.toBe(reader.public);
    const granted = { action: 'read', bearer: { $signer: { public: reader.public } } };
    let wallet = await stored(own, 'wallet', { handle: 'w', access: [granted] });
    expect(await shown()).toBe(1);
    wallet = ok(await own.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w', access: [] }, own.key))).body;
    expect(await shown()).toBe(0);
    // As many rules as take one character less and one more than is kept.
    for (const characters of [recordLimits.judged - 600, recordLimits.judged + 1]) {
      const filler = { action: 'read', bearer: { iss: 'x'.repeat(characters) } };
      wallet = ok(
        await own.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w', access: [filler, granted] }, own.key)),
      ).body;
      expect(await shown()).toBe(1);
      wallet = ok(
        await own.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w', access: [filler] }, own.key)),
      ).body;
      expect(await shown()).toBe(0);
    }
    // An older release would leave what it is judged by as it was: it says which version it is of.
    wallet = ok(
      await own.call('PUT', '/wallets/w', updateOf(wallet, { handle: 'w', access: [granted] }, own.key)),
    ).body;
    const database = new pg.Client({ connectionString: server.current.database.url });
    await database.connect();
    await database.query(
      `update record set judged = '{"change":1,"access":[],"owners":[],"labels":[]}' where luid = $1`,
      [wallet.luid],
    );
    expect(await shown()).toBe(1);
    await database.query('update record set judged = null where luid = $1', [wallet.luid]);
    expect(await shown()).toBe(1);
    await database.end();
  });

  it('is judged by policies: filters on what the index holds need no record, others do', async () => {
    const config = { 'access.strategy': 'policy-based' };
    const owner = newKey();
    const client = await newLedger(server.current.url, { key: owner });
    const reader = newKey();
    const value = (filter: JsonObject) => ({
      action: 'query',
      record: 'wallet',
      bearer: { $signer: { public: reader.public } },
      filter,
    });
    const any = { action: 'any', record: 'any', bearer: { $signer: { public: owner.public } } };
    const own = { action: 'any', record: 'any', signer: { public: owner.public } };
    const entry = { action: 'access', record: 'any' };
    const values = [entry, any, own, value({ 'meta.labels': 'open' }), value({ 'custom.team': 'blue' })];
    const policy = await stored(client, 'policy', { handle: 'p', schema: 'access', record: 'any', values });
    ok(await client.prove('/policies/p', policy, { status: 'active' }));
    const { body: ledger } = await client.get('/ledger');
    const data = { handle: ledger.data.handle, signer: 'system', access: ledger.data.access, config };
    ok(await client.call('PUT', '/ledger', updateOf(ledger, data, owner)));
    for (const [handle, team] of [
      ['blue', 'blue'],
      ['red', 'red'],
      ['labelled', 'red'],
    ] as const) {
      const wallet = await stored(client, 'wallet', { handle, custom: { team } });
      if (handle === 'labelled') ok(await client.prove(`/wallets/${handle}`, wallet, { labels: ['open'] }));
    }
    const { body } = ok(await client.get('/wallets', bearer(reader)));
    expect(body.data.map(({ data: { handle } }: { data: JsonObject }) => handle)).toEqual(['labelled', 'blue']);
  });
});
