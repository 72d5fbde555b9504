import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { eventually } from '../support/eventually.js';
import { ledgerId } from '../support/ledger-id.js';
import { withOwnServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, copyDelivery, loadDeliveries, subscribedLedger } from './scene.js';

/** Calls that a queue makes at a time. */
const WIDTH = 2;

const running = withOwnServer({ deliveryAllowPrivate: true, deliveries: { width: { first: WIDTH, greatest: WIDTH } } });
const receiver = withReceiver();

it('further events are sent while it is stored that others were delivered: as many again, and no more', async () => {
  const client = await subscribedLedger(running.current.url, receiver.url);
  await addWallet(client, 'w');
  const { url } = running.current.database;
  const delivered = async () => (await loadDeliveries(url, client)).filter(({ status }) => status === 'delivered');
  await eventually(async () => expect(await delivered()).toHaveLength(1));
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  const holder = await pool.connect();
  try {
    // Outcomes are counted for the quota of the ledger, and wait for this row.
    await holder.query('begin');
    const locked = await holder.query('select from storage where ledger_id = $1 for update', [
      await ledgerId(url, client),
    ]);
    expect(locked.rowCount).toBe(1);
    await copyDelivery(running.current, client, 'hook', 10);
    await eventually(() => expect(receiver.received).toHaveLength(1 + 2 * WIDTH));
    await pause(500);
    expect(receiver.received).toHaveLength(1 + 2 * WIDTH);
    expect(await delivered()).toHaveLength(1);
  } finally {
    await holder.query('rollback');
    holder.release();
    await pool.end();
  }
  await eventually(async () => expect(await delivered()).toHaveLength(11));
  expect(receiver.received).toHaveLength(11);
});
