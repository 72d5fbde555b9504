import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logLimits } from '../../src/log/log-limits.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { dropOf, newLedger, proofOver, signed, type TestAnswer, type TestClient, updateOf } from '../support/client.js';
import { ledgerId } from '../support/ledger-id.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { allSealed, inclusionOf } from './reading.js';

const WAIT = { prefer: 'wait=10' };

function placeIn({ headers }: TestAnswer): { index: number; size: number; applied: string | null } {
  const number = (name: string) => Number(headers.get(`countersign-log-${name}`) ?? Number.NaN);
  return { index: number('index'), size: number('size'), applied: headers.get('preference-applied') };
}

const NOTHING = { index: Number.NaN, size: Number.NaN, applied: null };

describe('a write that waits until it is sealed', () => {
  const server = withOwnServer();

  /** Sends a write that waits. @returns the answer, once its headers were seen to name the leaf of that change */
  async function placed(
    client: TestClient,
    [method, path, body]: [string, string, unknown],
    at: string,
    change: number,
  ) {
    const answer = await client.call(method, path, body, WAIT);
    expect(answer.status, answer.text).toBeLessThan(300);
    const { index, size, applied } = placeIn(answer);
    expect(applied).toBe('wait=10');
    expect(size).toBeGreaterThan(index);
    const { data } = await inclusionOf(client, at, change);
    expect(data).toMatchObject({ index });
    return answer;
  }

  it('is told where its leaf is, and told again when it is repeated', async () => {
    const client = await newLedger(server.current.url);
    const create = signed({ handle: 'w' }, client.key);
    const { body: record } = await placed(client, ['POST', '/wallets', create], '/wallets/w', 1);
    await placed(client, ['POST', '/wallets', create], '/wallets/w', 1);
    const update = updateOf(record, { handle: 'w', custom: { note: 'x' } }, client.key);
    const { body: updated } = await placed(client, ['PUT', '/wallets/w', update], '/wallets/w', 2);
    await placed(client, ['PUT', '/wallets/w', update], '/wallets/w', 2);
    const proof = proofOver(updated.hash, client.key, { status: 'active' });
    const { body: proved } = await placed(client, ['POST', '/wallets/w/proofs', proof], '/wallets/w', 3);
    await placed(client, ['POST', '/wallets/w/proofs', proof], '/wallets/w', 3);
    const drop = dropOf(proved, client.key);
    const dropped = await placed(client, ['DELETE', '/wallets/w', drop], `/wallets/${record.luid}`, 4);
    expect([dropped.status, dropped.text]).toEqual([204, '']);
    await placed(client, ['DELETE', '/wallets/w', drop], `/wallets/${record.luid}`, 4);
  });

  it('may be an intent, whose answer is the same', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    const body = signed({ handle: 'i', claims: [transfer('alice', 'bob', 1)] }, money.client.key);
    const answer = await placed(money.client, ['POST', '/intents', body], '/intents/i', 1);
    const again = await placed(money.client, ['POST', '/intents', body], '/intents/i', await latest(money.client, 'i'));
    expect(again.body.luid).toBe(answer.body.luid);
  });

  const latest = async (client: TestClient, handle: string) =>
    (await client.get(`/intents/${handle}/changes`)).body.page.total;

  it('waits only where that is asked for, and well', async () => {
    const client = await newLedger(server.current.url);
    const send = (handle: string, headers?: Record<string, string>) =>
      client.call('POST', '/wallets', signed({ handle }, client.key), headers);
    expect(placeIn(await send('a'))).toEqual(NOTHING);
    for (const [at, prefer] of [
      'wait',
      'wait=0',
      'wait=x',
      'wait=-1',
      'respond-async',
      'wait=1x',
      'x-wait=1',
    ].entries())
      expect(placeIn(await send(`b${at}`, { prefer })), prefer).toEqual(NOTHING);
    for (const [at, [prefer, applied]] of [
      ['respond-async, wait=3', 'wait=3'],
      ['WAIT="7"; x=y', 'wait=7'],
      ['wait=999', 'wait=10'],
    ].entries())
      expect(placeIn(await send(`c${at}`, { prefer: prefer! })).applied, prefer).toBe(applied);
    expect(placeIn(await client.get('/wallets/a', WAIT))).toEqual(NOTHING);
    const refused = await client.call('POST', '/wallets', signed({ handle: 'a' }, client.key), WAIT);
    expect([refused.status, placeIn(refused)]).toEqual([409, NOTHING]);
  });

  it('is answered when the time is over', async () => {
    const client = await newLedger(server.current.url);
    await allSealed(client);
    await hinder(client);
    const began = performance.now();
    const answer = await client.call('POST', '/wallets', signed({ handle: 'w' }, client.key), { prefer: 'wait=1' });
    expect(performance.now() - began).toBeGreaterThan(990);
    expect([answer.status, placeIn(answer)]).toEqual([201, { ...NOTHING, applied: 'wait=1' }]);
  });

  it('is answered at once where the log is stopped, or behind', async () => {
    const [stopped, behind] = [await newLedger(server.current.url), await newLedger(server.current.url)];
    for (const client of [stopped, behind]) await allSealed(client);
    await stop(stopped);
    await hinder(behind);
    await sql(`insert into log_backfill (ledger_id, luid, change) select id, '', 0 from ledger where handle = $1`, [
      behind.ledger,
    ]);
    for (const client of [stopped, behind]) {
      const began = performance.now();
      for (const handle of ['a', 'b']) {
        const answer = await client.call('POST', '/wallets', signed({ handle }, client.key), WAIT);
        expect([answer.status, placeIn(answer)]).toEqual([201, NOTHING]);
      }
      expect(performance.now() - began).toBeLessThan(9_000);
    }
  });

  it('finds room where no other of its ledger waits', async () => {
    const { logs } = server.current.server.service;
    const { count, each, spare } = logLimits.waiting;
    const left = new AbortController();
    // Ledgers that are not there: nothing of them is ever sealed.
    const wait = (ledger: number, patience = 60_000) =>
      logs.whenSealed({ ledger: 1_000_000 + ledger, luid: '$wlt.x', change: 1 }, patience, left.signal);
    const waiting = Array.from({ length: count - spare }, (_, at) => wait(Math.floor(at / each)));
    const other = (count - spare) / each;
    waiting.push(wait(other));
    expect(await wait(other)).toBe('full');
    expect(await wait(other + 1, 10)).toBeUndefined();
    for (let at = 1; at < spare; at += 1) waiting.push(wait(other + at));
    expect(await wait(other + spare)).toBe('full');
    left.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
  });

  it('is answered at once where too many of the ledger wait, and leaves with its client', async () => {
    const client = await newLedger(server.current.url);
    await client.create('/wallets', { handle: 'w' });
    await allSealed(client);
    await hinder(client);
    const { logs } = server.current.server.service;
    const { rows } = await sql(`select id from ledger where handle = $1`, [client.ledger]);
    const of = { ledger: Number(rows[0]!.id), luid: '$wlt.x', change: 1 };
    // All but two wait as long as it takes: so many writes would not be made in the time that one of them may wait.
    const others = new AbortController();
    setMaxListeners(0, others.signal);
    onTestFinished(() => others.abort());
    for (let at = 0; at < logLimits.waiting.each - 2; at += 1) void logs.whenSealed(of, 120_000, others.signal);
    const sockets = await Promise.all([hung(client, 'w0'), hung(client, 'w1')]);
    // One that has left takes no place, which the sockets' writes could find taken.
    const isFull = () => logs.whenSealed(of, 1, AbortSignal.abort());
    await expect.poll(isFull, { timeout: 60_000 }).toBe('full');
    const over = await client.call('POST', '/wallets', signed({ handle: 'over' }, client.key), WAIT);
    expect([over.status, placeIn(over)]).toEqual([201, NOTHING]);
    const other = await newLedger(server.current.url);
    const sealed = await other.call('POST', '/wallets', signed({ handle: 'w' }, other.key), WAIT);
    expect(placeIn(sealed).index).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await expect.poll(isFull, { timeout: 5_000 }).toBeUndefined();
  });

  /** A write that waits, on a connection of its own. */
  async function hung(client: TestClient, handle: string) {
    const body = JSON.stringify(signed({ handle }, client.key));
    const { hostname, port } = new URL(client.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const head = [
      'POST /v2/wallets HTTP/1.1',
      'host: x',
      `x-ledger: ${client.ledger}`,
      'content-type: application/json',
      'prefer: wait=10',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve()));
    return socket;
  }

  /** Keeps the log of the client's ledger from being sealed, until the test ends. */
  async function hinder(client: TestClient): Promise<void> {
    const connection = new pg.Client({ connectionString: server.current.database.url });
    await connection.connect();
    await connection.query('begin');
    const id = await ledgerId(server.current.database.url, client);
    await connection.query('select from log where ledger_id = $1 for update', [id]);
    onTestFinished(() => connection.end());
  }

  /** Stops the log of the client's ledger, so that nothing is sealed. */
  async function stop(client: TestClient): Promise<void> {
    await sql(`update log set stopped = 'by the test' where ledger_id = (select id from ledger where handle = $1)`, [
      client.ledger,
    ]);
  }

  async function sql(text: string, values: unknown[]) {
    return { rows: await runSql<pg.QueryResultRow>(server.current.database.url, text, values) };
  }
});
