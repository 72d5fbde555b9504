import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dump, erasingLedger, erasureOf, tablesWith } from './support.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const server = withOwnServer();

/** A record that is dropped and sealed, with more versions before its first one than requests could make in the time of a test. */
async function longRecord(client: TestClient, path: string, record: RecordEnvelope, versions: number, more: string) {
  const { url } = server.current.database;
  ok(await client.drop(path, record));
  await eventually(async () =>
    expect(await runSql(url, 'select from unsealed where $1 = any(luids)', [record.luid])).toEqual([]),
  );
  // Their numbers lie below those of the record's own.
  await runSql(url, 'alter table change drop constraint if exists change_change_check');
  await runSql(
    url,
    `insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac)
     select ledger_id, luid, -n, kind, 'update', moment, hash, replace(body, '"data":{', '"data":{' || ${more}), mac
     from change, generate_series(1, $2::int) n where luid = $1 and change = 1`,
    [record.luid, versions],
  );
}

describe('a record of very many versions', () => {
  it('is erased in the time that a statement has: the work grows with their number alone', async () => {
    const client = await erasingLedger(server.current.url);
    const record = await stored(client, 'wallet', { handle: 'busy', custom: { text: 'x'.repeat(1_000) } });
    await longRecord(client, '/wallets/busy', record, 20_000, `''`);
    const path = `/wallets/${record.luid}`;
    ok(await client.call('POST', `${path}/erase`, erasureOf(record.luid, 2, client.key)));
    expect(tablesWith(await dump(server.current.database.url), [record.hash])).toEqual([]);
  });

  it.each(['signer-factor', 'wallet'] as const)('is erased without all of its texts in memory: %s', async (kind) => {
    const client = await erasingLedger(server.current.url);
    const { public: key } = newKey();
    await stored(client, 'signer', { handle: 'ann', public: newKey().public, format: 'ed25519-raw' });
    const [collection, data] =
      kind === 'wallet'
        ? ['/wallets', { handle: 'gone' }]
        : [
            '/signers/ann/factors',
            { handle: 'gone', signer: 'ann', schema: 'key-pair', format: 'ed25519-raw', public: key },
          ];
    const record = await stored(client, kind, data);
    // The database compresses them.
    await longRecord(client, `${collection}/gone`, record, 200, `'"pad":"' || repeat('x', 1000000) || '",'`);
    const grown = await memoryOf(async () =>
      ok(await client.call('POST', `${collection}/${record.luid}/erase`, erasureOf(record.luid, 2, client.key))),
    );
    expect(grown).toBeLessThan(100 * 1024 * 1024);
    expect(tablesWith(await dump(server.current.database.url), [key])).toEqual([]);
  });

  it('has no more deliveries in memory than some at a time', async () => {
    const { url } = server.current.database;
    const client = await erasingLedger(server.current.url);
    const action = { schema: 'webhook', endpoint: 'http://127.0.0.1:9/' };
    const record = await stored(client, 'effect', { handle: 'gone', signal: 'wallet-created', action });
    ok(await client.drop('/effects/gone', record));
    await runSql(
      url,
      `insert into delivery (ledger_id, handle, effect, target, record, event, mac, moment, status)
       select (select ledger_id from change where luid = $1 limit 1), 'd' || n, $1, 'http://127.0.0.1:9', 'wallet',
         '{"handle":"e","signal":"wallet-created","members":"' || repeat('x', 40000) || '"}', '', now(), 'delivered'
       from generate_series(1, 5000) n`,
      [record.luid],
    );
    const grown = await memoryOf(async () =>
      ok(await client.call('POST', `/effects/${record.luid}/erase`, erasureOf(record.luid, 2, client.key))),
    );
    expect(grown).toBeLessThan(100 * 1024 * 1024);
    const kept = `select from delivery where effect = $1 and (status <> 'erased' or length(event) > 100)`;
    expect(await runSql(url, kept, [record.luid])).toEqual([]);
    const emptied = `select count(*)::int as n from delivery where effect = $1 and status = 'erased'`;
    expect(await runSql(url, emptied, [record.luid])).toEqual([{ n: 5_000 }]);
  });
});

/** Bytes in use by which the memory of this process grows meanwhile; what only waits to be collected is left out. */
async function memoryOf(run: () => Promise<unknown>): Promise<number> {
  const inUse = () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = inUse();
  let most = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const since = performance.now();
      most = Math.max(most, inUse() - before);
      // What files before this one have left is looked through each time: most of the time is for the erasure.
      await setTimeout(100 + 4 * (performance.now() - since));
    }
  };
  const watching = watch();
  await run();
  isOver = true;
  await watching;
  return most;
}
