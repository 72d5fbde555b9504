import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../support/client.js';
import { blockOf } from '../support/page.js';
import { withOwnServer } from '../support/server.js';
import { MoneyScene, transfer } from './scene.js';

const server = withOwnServer();
let database: pg.Client;

beforeAll(async () => {
  database = new pg.Client({ connectionString: server.current.database.url });
  await database.connect();
});

afterAll(() => database.end());

const [underWay = '', leads = ''] = blockOf('intents', 'select l.handle as ledger, r.handle as intent').split(/;\n/);
const check = blockOf('database', 'select ledger_id, wallet, symbol');

describe('the SQL of docs/operations', () => {
  it('shows intents that are stuck, and the leaders of ledgers', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'access' },
      { action: 'create', record: 'intent' },
      { action: 'read', record: 'any' },
    ];
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], { key, access: access as JsonObject[] });
    await money.issue('alice', 10);
    const claims = [transfer('alice', 'bob', 1)];
    const answer = await money.client.as(newKey()).create('/intents', { handle: 'stuck', claims });
    expect(answer.status, answer.text).toBe(201);
    const { rows } = await database.query(underWay);
    const mine = rows.filter(({ ledger }) => ledger === money.client.ledger);
    expect(mine).toMatchObject([{ intent: 'stuck', stage: 'waiting', created: new Date(answer.body.meta.moment) }]);
    const leaders = await database.query(leads);
    expect(leaders.rows.map(({ ledger }) => ledger)).toContain(money.client.ledger);
  });

  it.each([
    ['raised', 'update balance set available = available + 1'],
    ['with a row less', 'delete from balance'],
    ['with an older version', 'update balance set version = version - 1'],
  ])('finds a balance that was altered: %s', async (_, alter) => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    await money.done([transfer('alice', 'bob', 4)]);
    await database.query('begin');
    try {
      expect((await database.query(check)).rows).toEqual([]);
      await database.query(`${alter} where symbol = 'usd' and wallet = (
        select luid from record where kind = 'wallet' and handle = 'alice' order by seq desc limit 1)`);
      expect((await database.query(check)).rows).toHaveLength(1);
    } finally {
      await database.query('rollback');
    }
  });
});
