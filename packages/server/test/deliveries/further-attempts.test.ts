import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { ATTEMPTS } from '../../src/deliveries/retry-delays.js';
import { furtherLimits } from '../../src/store/outbox/outbox-limits.js';
import { dropOf, signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ledgerId } from '../support/ledger-id.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { withReceiver } from './receiver.js';
import {
  addWallet,
  customsOf,
  type DeliveryRow,
  loadDeliveries,
  MovedClock,
  subscribedLedger,
  untilDeliveries,
} from './scene.js';

const { first, greatest, rests } = furtherLimits;
const { rejected } = ATTEMPTS;
const HOUR = 3_600_000;

const clock = new MovedClock();
const running = withOwnServer({ deliveryAllowPrivate: true, runtime: clock.runtime, deliveries: { every: 100 } });
const receiver = withReceiver();

beforeEach(() => {
  receiver.instead = (_, response) => response.writeHead(500).end();
});

const url = () => running.current.database.url;
const query = <T>(text: string, values: unknown[] = []) => runSql<T>(url(), text, values);
const load = (client: TestClient) => loadDeliveries(url(), client);

/** How the backlog of a ledger's only receiver stands. */
async function backlogOf({ ledger }: TestClient) {
  const [row] = await query<{ failures: number; step: number; due: Date | null }>(
    'select q.* from delivery_backlog q join ledger l on l.id = q.ledger_id where l.handle = $1',
    [ledger],
  );
  return row!;
}

/** Moves the clock on to a moment; it never goes back. */
function moveTo(moment: Date): void {
  clock.ahead = Math.max(clock.ahead, moment.getTime() - Date.now());
}

/** Has the only delivery of a ledger fail as often as its schedule says. */
async function exhausted(client: TestClient): Promise<void> {
  await eventually(async () => {
    const [row] = await load(client);
    if (row?.due && row.status === 'failed') moveTo(row.due);
    expect(row).toMatchObject({ attempts: rejected, status: 'failed', due: null });
  });
}

async function aLedger(): Promise<TestClient> {
  const client = await subscribedLedger(running.current.url, receiver.url);
  await addWallet(client, 'ann');
  return client;
}

/** Takes up what is to be taken up next. */
async function takeUp(client: TestClient): Promise<void> {
  moveTo((await backlogOf(client)).due!);
}

const retry = (client: TestClient, data: JsonObject) =>
  client.call('POST', '/effects/hook/events/retry', signed(data, client.key, {}));

describe('a delivery that failed as often as its schedule says', () => {
  it('is attempted further, with growing delays, and delivered by the first that is taken', async () => {
    const client = await aLedger();
    await exhausted(client);
    const delays: number[] = [];
    for (let further = 1; further <= 4; further += 1) {
      const { due } = await backlogOf(client);
      delays.push(due!.getTime() - (Date.now() + clock.ahead));
      await takeUp(client);
      await eventually(async () => expect((await backlogOf(client)).step).toBe(further));
    }
    for (const [at, delay] of delays.entries()) {
      // The clock has gone on since.
      expect(delay).toBeLessThanOrEqual(Math.min(greatest, first * 2 ** at));
      if (at > 0) expect(delay).toBeGreaterThan(Math.min(greatest, first * 2 ** at) * 0.7 - 5_000);
    }
    // While it waits it is listed as one that will be attempted again, without a proof that it was given up.
    const listed = ok(await client.get('/effects/hook/events?meta.status=failed')).body.data;
    expect(listed).toMatchObject([{ meta: { status: 'failed', replay: rejected + 4 } }]);
    expect(listed[0].meta.proofs.map((proof: JsonObject) => (proof.custom as JsonObject).status)).toEqual(
      Array(rejected + 4).fill('failed'),
    );
    receiver.instead = undefined;
    await takeUp(client);
    const [row] = await untilDeliveries(url(), client, ['delivered']);
    expect(customsOf(row!).at(-1)).toEqual({ status: 'delivered', detail: { httpStatus: 202 } });
    await eventually(async () => expect(await backlogOf(client)).toMatchObject({ failures: 0, due: null }));
  });

  it('ends when the time for further attempts is over, without another one', async () => {
    const client = await aLedger();
    await exhausted(client);
    const seen = receiver.received.length;
    moveTo(new Date(Date.now() + clock.ahead + 72 * HOUR));
    const [row] = await untilDeliveries(url(), client, ['cancelled']);
    expect(customsOf(row!).at(-1)).toEqual({ status: 'cancelled', reason: 'delivery.retry-cap-exhausted' });
    expect(row!.attempts).toBe(rejected);
    expect(receiver.received).toHaveLength(seen);
  });

  it('is attempted at once when a retry is asked for, with a fresh schedule', async () => {
    const client = await aLedger();
    await exhausted(client);
    const [before] = await load(client);
    expect((await retry(client, { handle: before!.handle })).status).toBe(202);
    await eventually(async () => expect((await load(client))[0]!.attempts).toBe(rejected + 1));
    await eventually(async () =>
      expect((await load(client))[0]).toMatchObject({ status: 'failed', tries: 1, aside: null }),
    );
    expect((await load(client))[0]!.due).not.toBeNull();
    // The same by age.
    await exhaustedAgain(client);
    expect((await retry(client, { maxAge: 0 })).status).toBe(202);
    receiver.instead = undefined;
    await untilDeliveries(url(), client, ['delivered']);
  });

  it.each([
    ['is dropped', drop],
    ['is out of use', putOutOfUse],
  ])('is cancelled when its effect %s', async (_, end) => {
    const client = await aLedger();
    await exhausted(client);
    await query('update delivery_backlog set due = $1 where due is not null', [
      new Date(Date.now() + clock.ahead + HOUR),
    ]);
    await end(client);
    const [row] = await untilDeliveries(url(), client, ['cancelled']);
    expect(customsOf(row!).at(-1)).toEqual({ status: 'cancelled', reason: 'delivery.permanent-failure' });
  });

  it('is attempted further though another transaction had it locked when it was to be taken up', async () => {
    const client = await aLedger();
    await exhausted(client);
    const [{ handle }] = (await load(client)) as [DeliveryRow];
    const other = new pg.Client({ connectionString: url() });
    await other.connect();
    await other.query('begin');
    await other.query('select from delivery where ledger_id = $1 and handle = $2 for update', [
      await ledgerId(url(), client),
      handle,
    ]);
    const { due } = await backlogOf(client);
    moveTo(due!);
    await eventually(async () => expect((await backlogOf(client)).due).not.toEqual(due));
    await other.query('rollback');
    await other.end();
    receiver.instead = undefined;
    await takeUp(client);
    await untilDeliveries(url(), client, ['delivered']);
  });

  it('is left alone where an earlier release has ended it', async () => {
    const client = await aLedger();
    await exhausted(client);
    const [first] = await load(client);
    await query(`update delivery set status = 'delivered' where handle = $1`, [first!.handle]);
    await addWallet(client, 'bob');
    await eventually(async () => {
      const [, row] = await load(client);
      if (row?.due && row.status === 'failed') moveTo(row.due);
      expect(row).toMatchObject({ attempts: rejected, status: 'failed', due: null });
    });
    receiver.instead = undefined;
    await takeUp(client);
    const [left] = await untilDeliveries(url(), client, ['delivered', 'delivered']);
    expect(left!.attempts).toBe(first!.attempts);
    await eventually(async () => expect((await backlogOf(client)).due).toBeNull());
  });

  it('leaves others of its receiver alone', async () => {
    const client = await aLedger();
    await exhausted(client);
    receiver.instead = undefined;
    await addWallet(client, 'bob');
    await untilDeliveries(url(), client, ['failed', 'delivered']);
  });
});

async function drop(client: TestClient): Promise<void> {
  const { hash, luid } = (await client.call('GET', '/effects/hook')).body;
  ok(await client.call('DELETE', '/effects/hook', dropOf({ hash, luid } as never, client.key)));
}

async function putOutOfUse(client: TestClient): Promise<void> {
  const effect = ok(await client.get('/effects/hook')).body;
  ok(await client.prove('/effects/hook', effect, { status: 'inactive' }));
}

/** The same as `exhausted`, for one whose schedule began anew. */
async function exhaustedAgain(client: TestClient): Promise<void> {
  await eventually(async () => {
    const [row] = await load(client);
    if (row?.due && row.status === 'failed') moveTo(row.due);
    expect(row).toMatchObject({ attempts: 2 * rejected, status: 'failed', due: null });
  });
}

describe('a receiver whose attempts all fail', () => {
  it('is one that gives another answer than 501', async () => {
    receiver.instead = (_, response) => response.writeHead(501).end();
    const client = await aLedger();
    await untilDeliveries(url(), client, ['cancelled']);
    expect(await backlogOf(client)).toBeUndefined();
  });

  it('leaves other effects of its origin alone', async () => {
    receiver.instead = ({ path }, response) => response.writeHead(path === '/bad' ? 500 : 202).end();
    const client = await subscribedLedger(running.current.url, `${receiver.url}/bad`);
    const action = { schema: 'webhook', endpoint: `${receiver.url}/good` };
    await stored(client, 'effect', { handle: 'other', signal: 'symbol-created', action });
    await addWallet(client, 'ann');
    await exhausted(client);
    await query('update delivery_backlog set failures = $1 where due is not null', [rests]);
    await addWallet(client, 'bob');
    await stored(client, 'symbol', { handle: 'coin', factor: 100 });
    const [, rested] = await untilDeliveries(url(), client, ['failed', 'pending', 'delivered']);
    expect(rested!.attempts).toBe(0);
    await eventually(async () => expect((await load(client))[1]!.aside).not.toBeNull());
  });

  it('is called at once for a retry', async () => {
    const client = await aLedger();
    await exhausted(client);
    await query('update delivery_backlog set failures = $1 where due is not null', [rests]);
    const seen = receiver.received.length;
    expect((await retry(client, { maxAge: 0 })).status).toBe(202);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(seen));
  });
});
