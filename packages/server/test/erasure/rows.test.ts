import { describe, expect, it } from 'vitest';
import { limit, MoneyScene } from '../money/scene.js';
import { ON, schedulePolicy } from '../schedules/scene.js';
import { newKey, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dump, erasingLedger, erasureOf, MAY_ERASE, tablesWith } from './support.js';

const server = withOwnServer();

/** Drops the record at a path, and erases it. */
async function forget(client: TestClient, collection: string, handle: string): Promise<string> {
  const record = ok(await client.get(`${collection}/${handle}`)).body;
  ok(await client.drop(`${collection}/${handle}`, record));
  const { total } = ok(await client.get(`${collection}/${record.luid}/changes`)).body.page;
  ok(await client.call('POST', `${collection}/${record.luid}/erase`, erasureOf(record.luid, total, client.key)));
  return record.luid;
}

const count = async (text: string, luid: string) =>
  (await runSql<{ count: string }>(server.current.database.url, `select count(*) from ${text}`, [luid]))[0]?.count;

describe('what other tables have of an erased record', () => {
  it('goes with a factor: its key', async () => {
    const client = await erasingLedger(server.current.url);
    await stored(client, 'signer', { handle: 'ann', public: newKey().public, format: 'ed25519-raw' });
    const { public: key } = newKey();
    const data = { handle: 'phone', signer: 'ann', schema: 'key-pair', format: 'ed25519-raw', public: key };
    await stored(client, 'signer-factor', data);
    await forget(client, '/signers/ann/factors', 'phone');
    expect(tablesWith(await dump(server.current.database.url), [key])).toEqual([]);
    // The key is free, and counts for its new record.
    await stored(client, 'signer-factor', data);
  });

  it('stays with a factor whose key another record has', async () => {
    const client = await erasingLedger(server.current.url);
    const { public: key } = newKey();
    await stored(client, 'signer', { handle: 'ann', public: key, format: 'ed25519-raw' });
    await stored(client, 'signer-factor', {
      ...{ handle: 'phone', signer: 'ann', schema: 'key-pair', format: 'ed25519-raw', public: key },
    });
    await forget(client, '/signers/ann/factors', 'phone');
    expect(await count('taken_key where public = $1', key)).toBe('1');
  });

  it('goes with a wallet: its limits, which name it', async () => {
    const scene = await MoneyScene.make(server.current.url, ['bob', 'carol'], { access: MAY_ERASE });
    const { client } = scene;
    await scene.done([limit('carol', 'minBalance', 0)]);
    const { luid } = ok(await client.get('/wallets/carol')).body;
    expect(await count('wallet_limit where wallet = $1', luid)).toBe('1');
    expect(await forget(client, '/wallets', 'carol')).toBe(luid);
    expect(await count('wallet_limit where wallet = $1', luid)).toBe('0');
  });

  it('goes with a symbol: the limits that have ended with it, which name it', async () => {
    const scene = await MoneyScene.make(server.current.url, ['bob'], { access: MAY_ERASE });
    await scene.done([limit('bob', 'minBalance', 0)]);
    const { luid } = ok(await scene.client.get('/symbols/usd')).body;
    expect(await count('wallet_limit where symbol_luid = $1', luid)).toBe('1');
    expect(await forget(scene.client, '/symbols', 'usd')).toBe(luid);
    expect(await count('wallet_limit where symbol_luid = $1', luid)).toBe('0');
  });

  it('goes with a schedule: the hash of its data', async () => {
    const client = await erasingLedger(server.current.url, ON);
    await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
    await stored(client, 'policy', schedulePolicy(['0 0 1 1 *']));
    const { luid } = ok(await client.get('/policies/schedule')).body;
    await eventually(async () =>
      expect(await count('schedule where policy = $1 and hash is not null', luid)).toBe('1'),
    );
    await forget(client, '/policies', 'schedule');
    expect(await count('schedule where policy = $1', luid)).toBe('0');
  });
});
