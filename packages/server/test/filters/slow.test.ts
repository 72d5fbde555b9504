import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseLimits } from '../../src/store/database-limits.js';
import { createPool } from '../../src/store/pool.js';
import { createStore } from '../../src/store/store.js';
import { UNCHECKED } from '../store/unchecked.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

describe('lists that take long to find', () => {
  const everything = { ledger: 1, kind: 'wallet', filters: [], limit: 20, offset: 0 } as const;
  let database: TestDatabase;
  let lists: pg.Pool;
  let others: pg.Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    lists = createPool({ connectionString: database.url, max: 2, statement_timeout: 200 }, () => {});
    others = createPool({ connectionString: database.url, max: 2 }, () => {});
  });

  afterAll(async () => {
    await lists.end();
    await others.end();
    await database.drop();
  });

  it('are given up, and told so', async () => {
    const holder = await others.connect();
    await holder.query('begin; lock table record');
    const list = createStore({ lists, others }, UNCHECKED).lists.page(everything);
    await expect(list).rejects.toMatchObject({
      reason: 'api.request-timeout',
      detail: `The list was not found within ${databaseLimits.listing / 1000} seconds. Filters for equality are found faster.`,
      status: 408,
    });
    await holder.query('rollback');
    holder.release();
  });

  it('keep nothing but other lists waiting', async () => {
    const store = createStore({ lists, others }, UNCHECKED);
    const holders = [await lists.connect(), await lists.connect()];
    let isListed = false;
    const list = store.lists.page(everything).then(() => {
      isListed = true;
    });
    expect(await store.ledgers.find('none')).toBeUndefined();
    expect(await store.findVersion({ ledger: 1, kind: 'wallet', id: 'none', by: 'handle' })).toEqual({ version: 0 });
    expect(await store.linked.keys({ ledger: 1, kind: 'wallet', link: 'none', limit: 1 })).toEqual([]);
    expect(isListed).toBe(false);
    for (const holder of holders) holder.release();
    await list;
  });
});
