import type { Postgres } from '@countersign/embedded-postgres';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenToChannel } from '../../src/store/listener.js';
import { createPool } from '../../src/store/pool.js';
import { isUnavailable } from '../../src/store/unavailable.js';
import { asked, Clusters, type Standby, startStandby, until } from '../failover/cluster.js';
import { newLedger } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { stored } from '../support/scene.js';
import { startServer } from '../support/server.js';

const PATIENCE = 120_000;
const clusters = new Clusters();
const pools: pg.Pool[] = [];
let dataDir: string;
let primary: Postgres;
let standby: Standby;

beforeAll(async () => {
  dataDir = await clusters.folder();
  makeDataDir(dataDir);
  primary = await clusters.start(dataDir);
  standby = await startStandby(clusters, primary, dataDir);
  await standby.caughtUp();
}, PATIENCE);

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await standby.cable.close();
  await clusters.end();
}, PATIENCE);

/** The connection string of several servers: user, password and database are those of the primary. */
async function severalOf(urls: string[], attrs: string): Promise<string> {
  const url = new URL(primary.url);
  const each = (name: 'host' | 'port') => urls.map((one) => new URL(one).searchParams.get(name)).join(',');
  url.searchParams.set('host', each('host'));
  url.searchParams.set('port', each('port'));
  url.searchParams.set('target_session_attrs', attrs);
  return url.href;
}

function poolOf(url: string, more: pg.PoolConfig = {}): pg.Pool {
  const pool = createPool({ connectionString: url, max: 2, ...more }, () => {});
  pools.push(pool);
  return pool;
}

const isStandby = async (pool: pg.Pool) => (await pool.query('select pg_is_in_recovery() as is')).rows[0].is;
const nowhere = async () => `postgresql://x/?host=127.0.0.1&port=${await freePort()}`;

describe('of several servers', () => {
  it('the first that answers is used, or the one that takes writes', { timeout: PATIENCE }, async () => {
    const urls = [await nowhere(), await standby.url(), primary.url];
    const any = poolOf(await severalOf(urls, 'any'));
    expect(await isStandby(any)).toBe(true);
    for (const attrs of ['read-write', 'primary']) {
      const pool = poolOf(await severalOf(urls, attrs));
      // Both ways in which connections are taken, and more than one at a time.
      expect(await Promise.all([isStandby(pool), isStandby(pool)])).toEqual([false, false]);
      const client = await pool.connect();
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      client.release();
    }
    const heard: string[] = [];
    let listening = false;
    const listener = listenToChannel({
      database: { connectionString: await severalOf(urls, 'read-write') },
      channel: 'drill',
      heard: (text) => heard.push(text),
      listening: (is) => {
        listening = is;
      },
      failed: () => {},
      reconnect: { first: 100, greatest: 100 },
      random: () => 0,
    });
    await until(async () => listening);
    await asked(primary.url, `select pg_notify('drill', 'heard')`);
    await until(async () => heard.includes('heard'));
    await listener.close();
  });

  it('each is told of where none can be used, and a password that is wrong is told at once', async () => {
    const [port, url] = [await nowhere(), await standby.url()];
    const none = poolOf(await severalOf([port, url], 'read-write'));
    const failed = await none.query('select 1').catch((error) => error);
    expect(failed.message).toMatch(
      /^None of the hosts of the database can be used\. 127\.0\.0\.1:\d+: connect ECONNREFUSED \S+; \S+: The database is a standby, which takes no writes\.$/,
    );
    expect(isUnavailable(failed)).toBe(true);
    const wrong = new URL(await severalOf([primary.url, url], 'read-write'));
    wrong.password = 'wrong';
    const refused = await poolOf(wrong.href)
      .query('select 1')
      .catch((error) => error);
    expect(refused).toMatchObject({ code: '28P01' });
  });

  it('one that onConnect refuses is left for the next', async () => {
    const urls = [await standby.url(), primary.url];
    const onConnect = async (client: pg.ClientBase) => {
      const { rows } = await client.query('select pg_is_in_recovery() as is');
      if (rows[0].is) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    expect(await isStandby(poolOf(await severalOf(urls, 'any'), { onConnect }))).toBe(false);
  });
});

it('a server that takes no more writes is left, and found again', { timeout: PATIENCE }, async () => {
  const url = await severalOf([await nowhere(), primary.url], 'primary');
  const server = await startServer({ database: { url, drop: async () => {} } });
  const client = await newLedger(server.url);
  await stored(client, 'wallet', { handle: 'before' });
  const readOnly = async (is: 'on' | 'off') => {
    await asked(primary.url, `alter system set default_transaction_read_only = ${is}`);
    await asked(primary.url, 'select pg_reload_conf()');
  };
  const pool = poolOf(primary.url);
  const { rows } = await pool.query('select pg_backend_pid() as pid');
  await readOnly('on');
  try {
    await until(async () => (await client.create('/wallets', { handle: 'refused' })).status === 503);
    const refused = await client.create('/wallets', { handle: 'refused' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await client.get('/wallets/before')).status).toBe(200);
    const strict = poolOf(await severalOf([primary.url], 'read-write'));
    await expect(strict.query('select 1')).rejects.toThrow('The database is read-only');
    await expect(pool.query('create table nothing ()')).rejects.toMatchObject({ code: '25006' });
    await until(async () => pool.totalCount === 0);
    expect((await pool.query('select pg_backend_pid() as pid')).rows).not.toEqual(rows);
  } finally {
    await readOnly('off');
  }
  await until(async () => (await client.create('/wallets', { handle: 'after' })).status === 201);
  await server.stop();
});
