import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';
import { eventually } from '../support/eventually.js';

const name = `test_${process.pid}_icu`;
const url = new URL(inject('databaseUrl'));
url.pathname = `/${name}`;
let server: pg.Client;
let pool: pg.Pool;

beforeAll(async () => {
  server = new pg.Client({ connectionString: inject('databaseUrl') });
  await server.connect();
  await server.query(
    `create database ${name} template template0 encoding 'UTF8' locale_provider icu icu_locale 'en' locale 'C'`,
  );
  pool = createPool({ connectionString: url.href }, () => {});
  await migrate(pool);
});

afterAll(async () => {
  await pool.end();
  await server.query(`drop database ${name} with (force)`);
  await server.end();
});

async function waiting(count: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(count);
  });
}

/** Locks B while both work, then lets them go on. @returns what they were told */
async function whileLocked(lock: string, works: readonly string[]): Promise<unknown[]> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(lock);
    const done: Promise<unknown>[] = [];
    for (const work of works) {
      done.push(pool.query(work).then(() => 'done', String));
      await waiting(done.length);
    }
    await holder.query('commit');
    return await Promise.all(done);
  } finally {
    holder.release();
  }
}

// In an order of words a comes before B, in that of bytes after it.
const settled = (more: string) =>
  `select settle_deliveries_1(1, array[${['B', 'a'].map((letter) => more.replaceAll('?', letter)).join(', ')}]::settled_delivery_1[],
    array['', ''], 1, 1, 1, 1)`;

it('rows are locked in one order, whatever the order of words in the database', async () => {
  await pool.query(
    `insert into ledger (id, handle, luid, owners) overriding system value values (1, 'l', '$ldg.l', '{}')`,
  );
  for (const letter of ['a', 'B']) {
    await pool.query(`insert into delivery_backlog (ledger_id, receiver, failures, step, allowed)
      values (1, '$eff.${letter}', 1, 0, 0)`);
    await pool.query(`insert into open_intent (ledger_id, luid, thread, version, stage, uses, state, mac)
      values (1, '$int.${letter}', 't', 1, 'waiting', '{}', '{}', 'm')`);
    await pool.query(`insert into delivery (ledger_id, handle, effect, target, record, mac, moment, due, event, status)
      values (1, '${letter}', '$eff.${letter}', 't', 'wallet', 'm', now(), now(), '{}', 'running')`);
  }
  const backlogs = await whileLocked(`select from delivery_backlog where receiver = '$eff.B' for update`, [
    `select wake_receivers_1(1, '{$eff.a,$eff.B}')`,
    settled(`row('?', 0, 1, 1, 'failed', now(), now(), null, null, null, null, false, false)`),
  ]);
  expect(backlogs).toEqual(['done', 'done']);

  await pool.query(`update delivery set status = 'running', attempts = 0`);
  const intents = await whileLocked(`select from open_intent where luid = '$int.B' for update`, [
    `select luid from open_intent where ledger_id = 1 order by luid for no key update`,
    settled(`row('?', 0, 1, 1, 'failed', now(), null, null, '$int.?', 'n', 'm', null, null)`),
  ]);
  expect(intents).toEqual(['done', 'done']);
});
