import { Writable } from 'node:stream';
import type { RecordEnvelope } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Intruder } from '../integrity/altered-rows.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { TestReceiver, withReceiver } from './receiver.js';
import { addWallet, addWebhook, customsOf, loadDeliveries } from './scene.js';

const log: string[] = [];
const sink = new Writable({
  write(chunk, _, done) {
    log.push(String(chunk));
    done();
  },
});
const running = withOwnServer({ deliveryAllowPrivate: true, logger: pino({ level: 'error' }, sink) });
const receiver = withReceiver();

let intruder: Intruder;
beforeAll(async () => {
  intruder = await Intruder.at(running.current.database.url);
});
afterAll(() => intruder.leave());
beforeEach(() => {
  log.length = 0;
});

async function alarms(): Promise<number> {
  const { metrics } = running.current.server;
  return (await metrics.registry.getSingleMetric('countersign_corrupt_versions_total')!.get()).values[0]!.value;
}

const load = (client: TestClient) => loadDeliveries(running.current.database.url, client);
const receivedHandles = () => receiver.received.map(({ body }) => body.data.wallet.data.handle);

/**
 * A ledger with deliveries of the wallets `bad` and `good`, in this order and queued while nothing was delivered. `alter` is
 * called before they are let go.
 */
async function held(
  alter: (bad: RecordEnvelope, delivery: string, effect: { luid: string; ledger: TestClient }) => Promise<unknown>,
): Promise<TestClient> {
  const client = await newLedger(running.current.url, { access: OPEN });
  const { luid } = await addWebhook(client, 'hook', receiver.url);
  // Whatever is queued is due in a hundred years until the test says otherwise.
  await intruder.run(HOLD);
  const bad = await addWallet(client, 'bad');
  await addWallet(client, 'good');
  const rows = await load(client);
  await alter(bad, rows.find(({ linked }) => linked === 'bad')!.handle, { luid, ledger: client });
  await intruder.run(`drop trigger hold on delivery; update delivery set due = due - interval '100 years'
    where due > now() + interval '50 years'`);
  return client;
}

const HOLD = `
  create or replace function hold() returns trigger language plpgsql as $$
    begin new.due = new.due + interval '100 years'; return new; end $$;
  create trigger hold before insert on delivery for each row execute function hold();
  alter table delivery enable always trigger hold`;

const FAILED = { status: 'failed', reason: 'delivery.unexpected-error' };

describe('a delivery that cannot be made', () => {
  it.each<[string, proofs: unknown[], (bad: RecordEnvelope, handle: string) => Promise<unknown>]>([
    [
      'whose row was altered',
      [],
      (_, handle) => intruder.run(`update delivery set linked = 'x' where handle = $1`, handle),
    ],
    [
      'whose code was taken away',
      [],
      (_, handle) => intruder.run('update delivery set mac = null where handle = $1', handle),
    ],
    [
      'whose event was altered',
      [],
      (_, handle) =>
        intruder.run(`update delivery set event = replace(event, 'created', 'dropped') where handle = $1`, handle),
    ],
    [
      'whose event is no JSON',
      [],
      (_, handle) => intruder.run(`update delivery set event = 'nonsense' where handle = $1`, handle),
    ],
    [
      'whose event is empty',
      [],
      (_, handle) => intruder.run(`update delivery set event = '{}' where handle = $1`, handle),
    ],
    [
      'whose record was altered',
      [FAILED],
      ({ luid }) => intruder.alter(luid, (data) => ({ ...data, custom: { altered: true } })),
    ],
  ])('%s is not signed, raises the alarm, and delays no other one', async (_, proofs, alter) => {
    const before = await alarms();
    const client = await held(alter);
    await eventually(() => expect(receivedHandles()).toEqual(['good']));
    const row = await eventually(async () => {
      const [bad] = (await load(client)).filter(({ linked }) => linked !== 'good');
      expect(bad!.attempts).toBeGreaterThan(0);
      return bad!;
    });
    expect(customsOf(row)).toEqual(proofs);
    expect(await alarms()).toBeGreaterThan(before);
    expect(log.join()).toContain('a stored version is not what its ledger stored');
    expect(receivedHandles()).toEqual(['good']);
  });

  it('since the version of its effect was altered is not sent to where that leads', async () => {
    const other = new TestReceiver();
    await other.start();
    const client = await held(async (_, __, { luid, ledger }) => {
      const effect = (await ledger.get('/effects/hook')).body;
      ok(await ledger.update('/effects/hook', effect, { ...effect.data, custom: {} }));
      const elsewhere = { schema: 'webhook', endpoint: other.url };
      await intruder.alter(luid, (data) => ({ ...data, action: elsewhere }));
    });
    await eventually(async () => {
      const rows = await load(client);
      expect(rows.map((row) => customsOf(row)[0])).toEqual([FAILED, FAILED]);
    });
    expect([...receiver.received, ...other.received]).toEqual([]);
    await other.stop();
  });
});
