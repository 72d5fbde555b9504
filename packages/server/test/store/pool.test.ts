import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';

/** Cuts a connection, as an operator or a stopping database does. */
async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    await client.query('select pg_terminate_backend($1)', [pid]);
  } finally {
    await client.end();
  }
}

it('tells of a lost idle connection, and nothing of the connection itself', async () => {
  const errors: Error[] = [];
  const pool = createPool({ connectionString: inject('databaseUrl') }, (error) => errors.push(error));
  try {
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    await terminate(rows[0]!.pid);
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).not.toHaveProperty('client');
    expect((await pool.query('select 1')).rowCount).toBe(1);
  } finally {
    await pool.end();
  }
});

it('tells nothing of connections that end while it is let go', async () => {
  const errors: Error[] = [];
  const pool = createPool({ connectionString: inject('databaseUrl') }, (error) => errors.push(error));
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ending = pool.end();
  pool.emit('error', new Error(`connection ${rows[0]!.pid} was cut`), undefined as unknown as pg.PoolClient);
  await ending;
  await pause(20);
  expect(errors).toEqual([]);
});

it('ends no process by a connection that is cut while it is checked out, between two statements', async () => {
  const pool = createPool({ connectionString: inject('databaseUrl') }, () => {});
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await terminate(rows[0]!.pid);
    await ended;
    await expect(client.query('select 1')).rejects.toThrow();
  } finally {
    client.release(true);
    await pool.end();
  }
});
