import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { Service } from '../../src/ledgers/service.js';
import { useOf } from '../../src/records/proofs.js';
import { resendPiece } from '../../src/store/outbox/delivery-retries.js';
import { retryLimits } from '../../src/store/outbox/outbox-limits.js';
import { createPool } from '../../src/store/pool.js';
import { expectRefusal } from '../support/checks.js';
import { signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import {
  countWaiting,
  expectTaken,
  FAILED,
  holdRetries,
  isAgain,
  listAgain,
  makeDeliveries,
  retry,
  untilWorkedOff,
} from './retry-scene.js';
import { holdDeliveries, loadRows, query, setDelivery, subscribe } from './support.js';

const server = withOwnServer();
beforeAll(() => holdDeliveries(server.current));

const { waiting: MOST, piece: PIECE, attempts: ATTEMPTS } = retryLimits;

describe('requests to retry', () => {
  it(`wait ${MOST} for one effect, and one more is told to come again`, async () => {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'other', 'wallet-created');
    const release = await holdRetries(server.current, client);
    const answers = await Promise.all(Array.from({ length: MOST }, (_, n) => retryWith(client, { n })));
    for (const answer of answers) expectTaken(answer);
    expect(await countWaiting(server.current, client)).toBe(MOST);
    const body = signed({}, client.key, { n: MOST });
    const full = await client.call('POST', '/effects/hook/events/retry', body);
    expectRefusal({ ...full, status: 500 }, client, 'api.unexpected-error', /./);
    expect([full.status, Number(full.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expectTaken(await retry(client, {}, '/effects/other/events/retry'));
    const [row] = await loadRows(server.current, client);
    expectTaken(await retry(client, { handle: row!.handle }));
    await release();
    expect(await listAgain(server.current, client)).toEqual(['d-0']);
    // What was refused was not used up.
    await setDelivery(server.current, row!.handle, { status: 'cancelled', due: null });
    expectTaken(await client.call('POST', '/effects/hook/events/retry', body));
    expect(await listAgain(server.current, client)).toEqual(['d-0']);
  });

  it('are never more, however many come at once', async () => {
    const client = await makeDeliveries(server.current);
    const release = await holdRetries(server.current, client);
    const answers = await Promise.all(Array.from({ length: 3 * MOST }, (_, n) => retryWith(client, { n })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(await countWaiting(server.current, client));
    expect(await countWaiting(server.current, client)).toBeLessThanOrEqual(MOST);
    expect(new Set(statuses)).toEqual(new Set([202, 503]));
    await release();
  });

  const retryWith = (client: TestClient, custom: JsonObject) =>
    client.call('POST', '/effects/hook/events/retry', signed({}, client.key, custom));
});

describe('two requests with one proof at the same moment', () => {
  it.each([
    ['for the same effect count once', 'hook', 202],
    ['for different effects: the second is 422', 'other', 422],
  ])('%s', async (_, effect, status) => {
    const client = await makeDeliveries(server.current, FAILED);
    const other = await subscribe(client, 'other', 'wallet-created');
    const { luid } = effect === 'hook' ? (await client.get('/effects/hook')).body : other;
    const body = signed({}, client.key, {});
    const use = useOf({ suite: native } as Service, body.meta.proofs[0]!);
    // The first one has used the proof, and is not committed yet.
    const first = new pg.Client({ connectionString: server.current.database.url });
    await first.connect();
    await first.query('begin');
    await first.query(
      'insert into used_proof (ledger_id, digest, luid) select id, $2, $3 from ledger where handle = $1',
      [client.ledger, use, luid],
    );
    const second = client.call('POST', '/effects/hook/events/retry', body);
    await eventually(async () => {
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`;
      expect(await query(server.current, waits)).not.toEqual([]);
    });
    await first.query('commit');
    await first.end();
    expect((await second).status).toBe(status);
    expect(await countWaiting(server.current, client)).toBe(0);
    expect(await listAgain(server.current, client)).toEqual([]);
  });
});

describe('a delivery', () => {
  it(`is sent again until it was attempted ${ATTEMPTS} times, and then no more`, async () => {
    const client = await makeDeliveries(
      server.current,
      { ...FAILED, attempts: ATTEMPTS - 1 },
      { ...FAILED, attempts: ATTEMPTS },
    );
    const [, row] = await loadRows(server.current, client);
    expectTaken(await retry(client, { maxAge: 0 }));
    expectTaken(await retry(client, { handle: row!.handle }));
    expect(await listAgain(server.current, client)).toEqual(['d-0']);
  });
});

describe('a retry of many deliveries', () => {
  const pool = () => createPool({ connectionString: server.current.database.url, max: 4 }, () => {});
  let current: ReturnType<typeof pool>;
  beforeEach(() => {
    current = pool();
  });
  afterEach(() => current.end());

  /** Deliveries of the effect as many as pieces and some more, all failed. */
  async function ledgerWithMany(count: number, effect = 'hook'): Promise<{ client: TestClient; id: number }> {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'small', 'wallet-created');
    const [{ id } = { id: 0 }] = await query<{ id: number }>(
      server.current,
      `insert into delivery (ledger_id, handle, effect, effect_handle, effect_change, target, record, linked, event, mac,
         moment, status, attempts)
       select d.ledger_id, d.handle || n, d.effect, d.effect_handle, d.effect_change, d.target, d.record, 'many', d.event,
         d.mac, d.moment, 'cancelled', 1
       from delivery d join ledger l on l.id = d.ledger_id cross join generate_series(2, $2) n
       where l.handle = $1 and d.effect_handle = $3
       returning ledger_id::int as id`,
      [client.ledger, count, effect],
    );
    return { client, id };
  }

  const next = (id: number) => resendPiece(current, id, new Date(), new AbortController().signal);

  it('is worked off in pieces, each stored whole with how far it has come', async () => {
    const { client, id } = await ledgerWithMany(2 * PIECE + 1);
    const release = await holdRetries(server.current, client);
    expectTaken(await retry(client, { maxAge: 0 }));
    expect(await next(id)).toBe(PIECE);
    expect(await next(id)).toBe(PIECE);
    expect(await countWaiting(server.current, client)).toBe(1);
    expect(await next(id)).toBe(1);
    expect(await countWaiting(server.current, client)).toBe(0);
    expect(await next(id)).toBeUndefined();
    expect((await loadRows(server.current, client)).every(isAgain)).toBe(true);
    await release();
  });

  it('of a whole number of pieces ends, and so does one of none', async () => {
    const { client, id } = await ledgerWithMany(PIECE);
    const release = await holdRetries(server.current, client);
    expectTaken(await retry(client));
    expect(await next(id)).toBe(PIECE);
    expect(await next(id)).toBe(0);
    expectTaken(await retry(client, {}, '/effects/small/events/retry'));
    expect(await next(id)).toBe(0);
    expect(await countWaiting(server.current, client)).toBe(0);
    await release();
  });

  it('that two processes work off at once is done once', async () => {
    const { client, id } = await ledgerWithMany(3 * PIECE);
    const release = await holdRetries(server.current, client);
    expectTaken(await retry(client, { maxAge: 0 }));
    let reached = 0;
    while ((await countWaiting(server.current, client)) > 0) {
      const counts = await Promise.all([next(id), next(id), next(id)]);
      reached += counts.reduce<number>((sum, count = 0) => sum + count, 0);
    }
    expect(reached).toBe(3 * PIECE);
    await release();
  });

  it('that is cut off goes on where it was', async () => {
    const { client, id } = await ledgerWithMany(2 * PIECE);
    const release = await holdRetries(server.current, client);
    expectTaken(await retry(client, { maxAge: 0 }));
    expect(await next(id)).toBe(PIECE);
    const cut = new AbortController();
    const lost = resendPiece(current, id, new Date(), cut.signal);
    cut.abort(new Error('killed'));
    await expect(lost).rejects.toThrow('killed');
    await release();
    await untilWorkedOff(server.current, client);
    expect((await loadRows(server.current, client)).every(isAgain)).toBe(true);
  });

  it('takes turns with the others of the ledger', async () => {
    const { client, id } = await ledgerWithMany(4 * PIECE);
    const release = await holdRetries(server.current, client);
    await stored(client, 'wallet', { handle: 'w' });
    await query(server.current, `update delivery set status = 'failed', due = null where linked = 'w'`);
    expectTaken(await retry(client, { maxAge: 0 }));
    expectTaken(await retry(client, { maxAge: 0 }, '/effects/small/events/retry'));
    expect(await next(id)).toBe(PIECE);
    expect(await next(id)).toBe(1);
    expect(await countWaiting(server.current, client)).toBe(1);
    await release();
    await untilWorkedOff(server.current, client);
  });

  it('leaves those alone that are made meanwhile', async () => {
    const { client, id } = await ledgerWithMany(PIECE);
    const release = await holdRetries(server.current, client);
    expectTaken(await retry(client, { maxAge: 0 }));
    await stored(client, 'wallet', { handle: 'later' });
    await query(server.current, `update delivery set status = 'failed', due = null where linked = 'later'`);
    while ((await next(id)) !== undefined);
    const later = (await loadRows(server.current, client)).filter(({ linked }) => linked === 'later');
    expect(later.map(isAgain)).toEqual([false, false]);
    await release();
  });
});
