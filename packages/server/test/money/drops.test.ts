import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { divided } from '../domains/scene.js';
import { aspect, processing } from '../forward/scene.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { Books, planOf } from './books.js';

const server = withOwnServer();

const bridgeData = (handle: string) => ({
  handle,
  schema: 'rest',
  config: { server: 'https://bridge.example/v2' },
  secure: [],
});
const toBridge = (handle: string, bridge: string) => ({ handle, signal: 'wallet-created', action: { bridge } });

let client: TestClient;
let books: Books;
beforeEach(async () => {
  client = await newLedger(server.current.url);
  books = await Books.of(server.current, client);
});
afterEach(() => books.close());

/** The answer is the refusal of a drop, of a kind of record with money in it. */
function expectHeld(answer: TestAnswer, kind: 'wallet' | 'symbol', handle: string, custom?: JsonObject): void {
  const detail = `Cannot drop ${kind} '${handle}' with balance different from zero`;
  expectRefusal(answer, client, 'record.drop-rejected', detail, custom);
}

function expectUsed(answer: TestAnswer, by: string, advice: string): void {
  expectRefusal(answer, client, 'record.drop-rejected', `Bridge b is in use by ${by}. ${advice}`);
}

describe('the drop of a wallet (interface/wallets#drop)', () => {
  let wallet: RecordEnvelope;
  beforeEach(async () => {
    wallet = await stored(client, 'wallet', { handle: 'w' });
  });
  const drop = () => client.drop('/wallets/w', wallet);

  it.each([
    ['available', { available: 1 }],
    ['overdrawn', { available: -1 }],
    ['reserved', { available: 0, reserved: 1 }],
  ])('is refused while a balance is not zero: %s', async (_, balance) => {
    await books.set(wallet, 'eur', { available: 0, reserved: 0 });
    await books.set(wallet, 'usd', balance);
    expectHeld(await drop(), 'wallet', 'w', { symbols: ['usd'] });
    expectHeld(await client.drop(`/wallets/${wallet.luid}`, wallet), 'wallet', 'w', { symbols: ['usd'] });
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(1);
    await books.set(wallet, 'usd', { available: 0, reserved: 0 });
    expect((await drop()).status).toBe(204);
  });

  it('names the symbols in order', async () => {
    for (const symbol of ['usd', 'eur', 'ZAR']) await books.set(wallet, symbol, { available: 1 });
    expectHeld(await drop(), 'wallet', 'w', { symbols: ['ZAR', 'eur', 'usd'] });
  });

  it('is refused while an intent under way moves money by it, or sets a limit on it', async () => {
    const other = await stored(client, 'wallet', { handle: 'other' });
    await books.underWay(planOf({ entries: [[other, 'usd']] }));
    const credit = await books.underWay(planOf({ entries: [[wallet, 'usd']] }));
    const limit = await books.underWay(planOf({ limits: [[wallet, 'eur']] }));
    await books.set(wallet, 'usd', { available: 5 });
    expectHeld(await drop(), 'wallet', 'w', { symbols: ['eur', 'usd'] });
    await books.set(wallet, 'usd', { available: 0 });
    expectHeld(await drop(), 'wallet', 'w', { symbols: ['eur', 'usd'] });
    await books.ended(credit);
    expectHeld(await drop(), 'wallet', 'w', { symbols: ['eur'] });
    await books.ended(limit);
    expect((await drop()).status).toBe(204);
  });

  it('leaves a wallet made anew under the handle with nothing', async () => {
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    await books.set(wallet, 'usd', { available: 0, reserved: 0 });
    await books.limit(wallet, 'usd', 'minBalance', -1);
    expect((await drop()).status).toBe(204);
    await stored(client, 'wallet', { handle: 'w' });
    for (const way of ['balances', 'limits']) {
      expectList(await client.get(`/wallets/w/${way}`), client, { index: 0, limit: 20, total: 0 });
      const dropped = await client.get(`/wallets/${wallet.luid}/${way}`);
      expectRefusal(dropped, client, 'record.not-found', 'Wallet not found');
    }
  });

  it('is not refused for what wallets of the same luid, or name, hold in another ledger', async () => {
    const there = await newLedger(server.current.url);
    const theirs = await Books.of(server.current, there);
    await theirs.set(wallet, 'usd', { available: 1 });
    await theirs.underWay(planOf({ entries: [[wallet, 'usd']] }));
    await theirs.close();
    expect((await drop()).status).toBe(204);
  });
});

describe('the drop of a symbol (interface/wallets#symbols)', () => {
  it('is refused while any wallet holds it, or an intent under way moves it', async () => {
    const symbol = await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    await books.set(wallet, 'eur', { available: 1 });
    await books.underWay(planOf({ entries: [[wallet, 'eur']] }));
    const drop = () => client.drop('/symbols/usd', symbol);
    for (const balance of [{ available: 1 }, { available: -1 }, { available: 0, reserved: 1 }]) {
      await books.set(wallet, 'usd', balance);
      expectHeld(await drop(), 'symbol', 'usd');
    }
    await books.set(wallet, 'usd', { available: 0, reserved: 0 });
    const credit = await books.underWay(planOf({ entries: [[wallet, 'usd']] }));
    expectHeld(await drop(), 'symbol', 'usd');
    await books.ended(credit);
    expect((await drop()).status).toBe(204);
  });

  it('is not refused for what another ledger holds', async () => {
    const symbol = await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    const there = await newLedger(server.current.url);
    const theirs = await Books.of(server.current, there);
    await theirs.set(await stored(there, 'wallet', { handle: 'w' }), 'usd', { available: 1 });
    await theirs.close();
    expect((await client.drop('/symbols/usd', symbol)).status).toBe(204);
  });
});

describe('the drop of a bridge (interface/bridges#drop)', () => {
  let bridge: RecordEnvelope;
  beforeEach(async () => {
    bridge = await stored(client, 'bridge', bridgeData('b'));
    await stored(client, 'bridge', bridgeData('other'));
  });
  const drop = () => client.drop('/bridges/b', bridge);

  it('is refused while an effect leads there', async () => {
    await stored(client, 'effect', toBridge('e', 'other'));
    const effect = await stored(client, 'effect', toBridge('f', 'b'));
    expectUsed(await drop(), 'effects', 'Please remove it from the effects first.');
    ok(await client.update('/effects/f', effect, toBridge('f', 'other')));
    expect((await drop()).status).toBe(204);
  });

  it('is refused while a policy hands anything to it', async () => {
    await stored(
      client,
      'policy',
      processing('others', [aspect('create', 'validate', { invoke: { bridge: 'other' } })]),
    );
    const policy = await stored(
      client,
      'policy',
      processing('p', [
        aspect('create', 'validate', { invoke: { bridge: 'other' } }),
        aspect('update', 'validate', { invoke: { bridge: 'b' } }),
      ]),
    );
    expectUsed(await drop(), 'policies', 'Please remove it from the policies first.');
    expect((await client.drop('/policies/p', policy)).status).toBe(204);
    expect((await drop()).status).toBe(204);
  });

  it('is refused while an intent under way has it to prepare, commit or abort', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    await books.underWay(planOf({ entries: [[wallet, 'b']], parts: ['other'] }));
    const calling = await books.underWay(planOf({ entries: [[wallet, 'usd']], parts: ['other', 'b'] }));
    expectUsed(await drop(), 'intents', 'Please wait until the intents have ended.');
    await books.ended(calling);
    expect((await drop()).status).toBe(204);
  });

  it('is refused for wallets first, as it was', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w', bridge: 'b' });
    await stored(client, 'effect', toBridge('f', 'b'));
    expectUsed(await drop(), 'wallets', 'Please remove it from the wallets first.');
    ok(await client.update('/wallets/w', wallet, { handle: 'w' }));
    expectUsed(await drop(), 'effects', 'Please remove it from the effects first.');
  });

  it('is not refused for an effect of a domain for which it counts as missing', async () => {
    const { founder, admin } = await divided(server.current.url);
    const there = await stored(founder, 'bridge', bridgeData('b@bank'));
    ok(await admin.create('/effects', toBridge('e@sales', 'b@bank')));
    expect((await founder.drop('/bridges/b@bank', there)).status).toBe(204);
  });
});

describe('a drop that meets money on its way', () => {
  let watcher: pg.Client;
  beforeEach(async () => {
    watcher = new pg.Client({ connectionString: server.current.database.url });
    await watcher.connect();
  });
  afterEach(() => watcher.end());

  /** Begins a drop while the record is kept for a transaction that has moved money; ends that once the drop waits for it. */
  async function during(
    { luid }: RecordEnvelope,
    move: () => Promise<unknown>,
    drop: () => Promise<TestAnswer>,
    end: 'commit' | 'rollback',
  ): Promise<TestAnswer> {
    await books.connection.query('begin');
    await books.connection.query('select from record where ledger_id = $1 and luid = $2 for key share', [
      books.ledger,
      luid,
    ]);
    await move();
    const answer = drop();
    await eventually(async () => {
      const { rows } = await watcher.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(rows).not.toEqual([]);
    });
    await books.connection.query(end);
    return answer;
  }

  it('sees a balance that came before it', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const credit = () => books.set(wallet, 'usd', { available: 1 });
    const drop = () => client.drop('/wallets/w', wallet);
    expectHeld(await during(wallet, credit, drop, 'commit'), 'wallet', 'w', { symbols: ['usd'] });
    await books.set(wallet, 'usd', { available: 0 });
    expect((await during(wallet, credit, drop, 'rollback')).status).toBe(204);
  });

  it('sees an intent that was taken on before it', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const accept = () => books.underWay(planOf({ entries: [[wallet, 'usd']] }));
    const answer = await during(wallet, accept, () => client.drop('/wallets/w', wallet), 'commit');
    expectHeld(answer, 'wallet', 'w', { symbols: ['usd'] });
  });

  it('sees the first balance of a symbol', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const symbol = await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    const issue = () => books.set(wallet, 'usd', { available: 1 });
    const answer = await during(symbol, issue, () => client.drop('/symbols/usd', symbol), 'commit');
    expectHeld(answer, 'symbol', 'usd');
  });

  it('sees an intent that is to call the bridge', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const bridge = await stored(client, 'bridge', bridgeData('b'));
    const accept = () => books.underWay(planOf({ entries: [[wallet, 'usd']], parts: ['b'] }));
    const answer = await during(bridge, accept, () => client.drop('/bridges/b', bridge), 'commit');
    expectUsed(answer, 'intents', 'Please wait until the intents have ended.');
  });
});
