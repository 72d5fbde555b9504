import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEpochGuard, type EpochGuard, VERSIONS_PER_EPOCH } from '../../src/store/epoch-guard.js';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ connectionString: database.url, max: 4 }, () => {});
  await migrate(pool);
  await pool.query(
    `insert into ledger (handle, luid, owners) select 'l-' || n, '$lgr.' || n, '{}' from generate_series(1, 100) n`,
  );
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A process with a guard, and the epochs it was told of. */
async function follower(url = database.url) {
  const own = createPool({ connectionString: url, max: 1 }, () => {});
  const told: number[] = [];
  const guard = await createEpochGuard(own, { epochBegan: (epoch) => void told.push(epoch) });
  await own.end();
  return { guard, told, connect: () => connect(guard, url) };
}

/** A new connection, as the pools make them. */
async function connect(guard: EpochGuard, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await guard.verify(client);
  return client;
}

async function versions(): Promise<number[]> {
  const { rows } = await pool.query<{ version: number }>('select distinct version from ledger order by version');
  return rows.map(({ version }) => version);
}

describe('the epoch guard of a database', () => {
  it('of many processes that find a loss at once, one moves the ledgers on', async () => {
    const followers = await Promise.all(Array.from({ length: 8 }, () => follower()));
    const clients = await Promise.all(followers.map(({ connect }) => connect()));
    expect(await versions()).toEqual([1]);
    for (const { guard } of followers) guard.saw(1, Number.MAX_SAFE_INTEGER);
    clients.push(...(await Promise.all(followers.flatMap(({ connect }) => [connect(), connect()]))));
    expect(await versions()).toEqual([VERSIONS_PER_EPOCH]);
    expect(followers.map(({ told }) => told)).toEqual(followers.map(() => [1]));
    for (const client of clients) await client.end();
  });

  it('cuts the connections from before the loss, and leaves the others alone', async () => {
    const { guard, connect } = await follower();
    const before = await connect();
    const ended = new Promise((resolve) => before.once('end', resolve));
    guard.saw(VERSIONS_PER_EPOCH, Number.MAX_SAFE_INTEGER);
    const after = await connect();
    await ended;
    expect((await after.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await after.end();
  });

  it('goes on in an epoch beyond every version that was read', async () => {
    const { guard, connect } = await follower();
    const before = await connect();
    guard.saw(41 * VERSIONS_PER_EPOCH + 7, Number.MAX_SAFE_INTEGER);
    const after = await connect();
    expect(await versions()).toEqual([42 * VERSIONS_PER_EPOCH]);
    await before.end();
    await after.end();
  });

  it('finds a loss when it comes late, by the position that was stored after a start', async () => {
    const { guard, told, connect } = await follower();
    const before = await connect();
    guard.saw(42 * VERSIONS_PER_EPOCH, 1_000);
    // The database is beyond that by far, but has begun below it at some time since.
    await pool.query(`insert into deployment (name, value) values ('start/1', '999'), ('start/2', '1000')`);
    const after = await connect();
    expect(told).toEqual([43]);
    const again = await connect();
    expect(told).toEqual([43]);
    for (const client of [before, after, again]) await client.end();
  });

  it('finds a loss where another database is stored, as after a dump was restored elsewhere', async () => {
    await pool.query(`update deployment set value = 'elsewhere/1' where name = 'identity'`);
    const { told, connect } = await follower();
    const client = await connect();
    expect(told).toEqual([44]);
    expect(await versions()).toEqual([44 * VERSIONS_PER_EPOCH]);
    await client.end();
  });

  it('goes by the start of the server alone, where a role may ask nothing more', async () => {
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    const functions = ['pg_current_wal_flush_lsn()', 'pg_current_wal_insert_lsn()', 'pg_control_system()'];
    for (const name of functions) await pool.query(`revoke execute on function ${name} from public`);
    await pool.query(
      `create role ${role} login password 'secret'; grant all on all tables in schema public to ${role}`,
    );
    const url = new URL(database.url);
    url.username = role;
    url.password = 'secret';
    url.searchParams.delete('options');
    const { guard, told, connect } = await follower(url.href);
    expect(guard.walPosition).toBe('null::bigint');
    const clients = [await connect(), await connect()];
    guard.saw(44 * VERSIONS_PER_EPOCH, null);
    clients.push(await connect());
    // It was recorded by another name; since then nothing was lost.
    expect(told).toEqual([45]);
    for (const client of clients) await client.end();
    await pool.query(`drop owned by ${role}`);
    await pool.query(`drop role ${role}`);
  });
});
