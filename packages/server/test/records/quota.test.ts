import { tmpdir } from 'node:os';
import type { Json, JsonObject } from '@countersign/protocol';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addWallet, addWebhook, loadDeliveries } from '../deliveries/scene.js';
import { erasingLedger, erasureOf } from '../erasure/support.js';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { Description } from '../http/description.js';
import { expectRefusal, systemKey } from '../http/refusal.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newLedger, OPEN, signed, type TestClient, updateOf } from '../support/client.js';
import { miscounted } from '../support/counted.js';
import { eventually } from '../support/eventually.js';
import { ledgerId } from '../support/ledger-id.js';
import { ok } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

/** Bytes: a new ledger takes a third of them. */
const QUOTA = 300_000;

const server = withOwnServer({ ledgerQuota: QUOTA, deliveryAllowPrivate: true });
let described: Description;
beforeAll(async () => {
  described = await Description.of(server.current.url);
});

afterEach(async () => {
  expect(await miscounted(server.current.database.url)).toEqual([]);
});

const large = (handle: string) => ({ handle, custom: { text: 'x'.repeat(20_000) } });

/** Creates records until one is refused, and gives that answer. */
async function fill(client: TestClient) {
  for (let made = 0; made < 20; made += 1) {
    const answer = await client.create('/wallets', large(`w-${made}`));
    if (answer.status !== 201) return answer;
  }
  throw new Error('The ledger is never full.');
}

/** Bytes that a ledger stores, as its quota counts them, and those of the texts of all its versions. */
async function stored(client: TestClient): Promise<{ counted: number; texts: number }> {
  const { url } = server.current.database;
  const [row] = await runSql<{ counted: number; texts: number }>(
    url,
    `select (coalesce((select bytes from storage where ledger_id = $1::bigint), 0)
         + coalesce((select sum(bytes) from unsealed where ledger_id = $1::bigint), 0))::int as counted,
       (select sum(octet_length(body)) from change where ledger_id = $1::bigint)::int as texts`,
    [await ledgerId(url, client)],
  );
  return row!;
}

/** The operator allows a ledger so many bytes. */
const allow = ({ ledger }: TestClient, bytes: number) =>
  runSql(
    server.current.database.url,
    `insert into storage (ledger_id, bytes, quota) select id, 0, $2 from ledger where handle = $1
     on conflict (ledger_id) do update set quota = excluded.quota`,
    [ledger, bytes],
  );

describe('the quota of a ledger (interface/limits#stored-bytes)', () => {
  it('refuses writes of that ledger, and tells what it stores and what it may', async () => {
    const client = await newLedger(server.current.url);
    const system = await systemKey(client);
    const refused = await fill(client);
    expectRefusal(refused, {
      reason: 'api.rate-limit-exceeded',
      detail: new RegExp(`^The ledger stores \\d+ bytes, and may store ${QUOTA}\\. Erase dropped records, or ask`),
      signedBy: system,
    });
    expect(refused.status).toBe(429);
    expect(described.answerErrors('POST', '/wallets', 429, refused.body)).toBeUndefined();
    const { counted, texts } = await stored(client);
    expect(counted).toBeGreaterThan(texts);
    expect(counted).toBeLessThanOrEqual(QUOTA);
    // Reads, drops and other ledgers go on.
    const { body } = ok(await client.get('/wallets/w-0'));
    expect((await client.update('/wallets/w-0', body, large('w-0'))).status).toBe(429);
    expect((await client.drop('/wallets/w-0', body)).status).toBe(204);
    expect((await (await newLedger(server.current.url)).create('/wallets', large('w'))).status).toBe(201);
  });

  it('counts what other processes have stored, and what was stored before the start', async () => {
    const client = await newLedger(server.current.url);
    await fill(client);
    const { database } = server.current;
    const other = await startServer({ database, ledgerQuota: QUOTA });
    try {
      const there = client.at(other.url);
      expect((await there.create('/wallets', large('there'))).status).toBe(429);
    } finally {
      await other.stop();
    }
  });

  it('gives back what was erased', async () => {
    const client = await erasingLedger(server.current.url);
    const { body: gone } = await client.create('/wallets', { handle: 'gone', custom: { text: 'x'.repeat(50_000) } });
    ok(await client.drop('/wallets/gone', gone));
    await fill(client);
    const before = await stored(client);
    const path = `/wallets/${gone.luid}/erase`;
    await eventually(async () => ok(await client.call('POST', path, erasureOf(gone.luid, 2, client.key))));
    const after = await stored(client);
    expect(before.counted - after.counted).toBeGreaterThan(40_000);
    await eventually(async () => expect((await client.create('/wallets', large('after'))).status).toBe(201));
  });

  it('takes a drop that is about as long as what it ends, and counts a longer one', async () => {
    const client = await newLedger(server.current.url);
    const { body: record } = await client.create('/wallets', large('ends'));
    await fill(client);
    const drop = (said: string) =>
      client.call(
        'DELETE',
        '/wallets/ends',
        signed({ parent: record.hash }, client.key, { status: 'dropped', reason: said }, { luid: record.luid }),
      );
    expect((await drop('x'.repeat(2_100))).status).toBe(429);
    expect((await drop('x'.repeat(500))).status).toBe(204);
  });

  it('counts what is said of an intent, and takes what carries it on', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    const handle = await money.intend([transfer('alice', 'bob', 5)], { config: { commit: 'manual' } });
    const record = await money.ends(handle, 'prepared');
    await allow(money.client, 0);
    const prove = (custom: JsonObject) => money.client.prove(`/intents/${handle}`, record, custom);
    await eventually(async () => expect((await prove({ note: performance.now() })).status).toBe(429));
    expect((await prove({ action: 'commit', note: 'x'.repeat(20_000) })).status).toBe(429);
    expect((await prove({ handle: 'none', status: 'prepared' })).status).toBe(429);
    ok(await prove({ action: 'commit' }));
    await money.ends(handle, 'completed');
    expect((await prove({ action: 'abort' })).status).toBe(429);
  });

  it('counts secrets, and gives back those that were replaced or dropped', async () => {
    const client = await newLedger(server.current.url);
    const bridge = {
      handle: 'bank',
      schema: 'rest',
      config: { server: 'http://127.0.0.1:9/v2' },
      secure: [{ schema: 'header', key: 'x-a', value: '{{ secret.a }}' }],
    };
    const sent = (body: JsonObject, length: number) => ({
      ...body,
      meta: { ...(body.meta as JsonObject), secret: { a: 'x'.repeat(length) } },
    });
    const before = await stored(client);
    const { body: first } = ok(await client.call('POST', '/bridges', sent(signed(bridge, client.key), 50_000)));
    const long = await stored(client);
    expect(long.counted - before.counted).toBeGreaterThan(50_000);
    const changed = sent(updateOf(first, { ...bridge, custom: { a: 1 } }, client.key), 1_000);
    const { body: second } = ok(await client.call('PUT', '/bridges/bank', changed));
    expect((await stored(client)).counted - before.counted).toBeLessThan(20_000);
    expect(await miscounted(server.current.database.url)).toEqual([]);
    ok(await client.drop('/bridges/bank', second));
    const other = { ...bridge, handle: 'other' };
    expect((await client.call('POST', '/bridges', sent(signed(other, client.key), QUOTA))).status).toBe(429);
  });

  it('counts what attempts add to deliveries', async () => {
    const client = await newLedger(server.current.url);
    const { url } = server.current.database;
    // Nobody answers there.
    await addWebhook(client, 'hook', 'http://127.0.0.1:9/');
    await addWallet(client, 'told');
    await eventually(async () => expect((await loadDeliveries(url, client))[0]?.attempts).toBeGreaterThan(1));
  });

  it('counts what lists filter by, where that is longer than the text', async () => {
    const client = await erasingLedger(server.current.url);
    const before = await stored(client);
    const leaves = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, at]));
    const { body: record } = await client.create('/wallets', {
      handle: 'wide',
      custom: { ['x'.repeat(200)]: leaves },
    });
    const after = await stored(client);
    expect(after.counted - before.counted).toBeGreaterThan(90_000);
    ok(await client.drop('/wallets/wide', record));
    const path = `/wallets/${record.luid}/erase`;
    await eventually(async () => ok(await client.call('POST', path, erasureOf(record.luid, 2, client.key))));
    expect((await stored(client)).counted - before.counted).toBeLessThan(10_000);
  });

  it('is what an operator allows that ledger', async () => {
    const client = await newLedger(server.current.url);
    await fill(client);
    await allow(client, 2 * QUOTA);
    await eventually(async () => expect((await client.create('/wallets', large('more'))).status).toBe(201));
    await allow(client, 0);
    await eventually(async () => {
      const { status, body } = await client.create('/wallets', large(`none-${performance.now()}`));
      expect([status, body.data.detail]).toEqual([429, expect.stringContaining('and may store 0.')]);
    });
  });
});

describe('a disk that is nearly full', () => {
  it('takes no new records and ledgers, and what ends or changes those that are there', async () => {
    const client = await newLedger(server.current.url);
    const { body: record } = ok(await client.create('/wallets', { handle: 'there' }));
    const other = await startServer({
      database: server.current.database,
      databaseFolder: tmpdir(),
      // More than there can be.
      freeDisk: { write: 0, create: 2 },
    });
    try {
      const there = client.at(other.url);
      const refused = await there.create('/wallets', { handle: 'more' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      const ledger = { handle: 'one-more', signer: 'system', access: [] };
      expect((await there.in(undefined).create('/ledgers', ledger)).status).toBe(503);
      const { body: changed } = ok(await there.update('/wallets/there', record, { handle: 'there', custom: { a: 1 } }));
      expect((await there.drop('/wallets/there', changed)).status).toBe(204);
    } finally {
      await other.stop();
    }
  });
});

describe('a write that a bridge stores too', () => {
  const bridge = withBridge();
  const synchronized = () =>
    forwardingLedger(server.current.url, bridge.url, [aspect('create', 'synchronize')], { access: OPEN as Json[] });

  it('is refused before the bridge is asked', async () => {
    const client = await synchronized();
    expect((await client.create('/anchors', anchor('fits'))).status).toBe(201);
    await fill(client);
    await allow(client, 1_000);
    await eventually(async () => expect((await client.create('/wallets', { handle: 'w' })).status).toBe(429));
    bridge.received.length = 0;
    expect((await client.create('/anchors', anchor('late'))).status).toBe(429);
    expect(bridge.received).toEqual([]);
  });

  it('is stored when the room is taken while the bridge is asked', async () => {
    const client = await synchronized();
    bridge.instead = async (received) => {
      await fill(client);
      return bridge.behave(received);
    };
    const long = anchor('long', { custom: { text: 'x'.repeat(20_000) } });
    expect((await client.create('/anchors', long)).status).toBe(201);
    expect((await client.get('/anchors/long')).body.data).toEqual(long);
  });
});
