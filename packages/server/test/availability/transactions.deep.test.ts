import { setTimeout as pause } from 'node:timers/promises';
import type { RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { dropOf, newLedger, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

/** More than there are connections. */
const MANY = 20;

/** Runs `work` while another transaction has what a statement locks. */
async function locked(lock: string, values: readonly string[], work: (pid: number) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: server.current.database.url });
  await client.connect();
  try {
    await client.query('begin');
    expect((await client.query(lock, [...values])).rowCount).toBe(1);
    await work((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
  } finally {
    await client.end();
  }
}

/** Milliseconds in which the others come to wait as well. */
const OTHERS = 1_000;

/** Resolves when a transaction of the server waits for the lock of that process, and others had time to. */
async function waitedFor(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: server.current.database.url });
  await client.connect();
  const waiting = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
  try {
    await eventually(async () => expect((await client.query(waiting, [pid])).rowCount).toBeGreaterThan(0));
    await pause(OTHERS);
  } finally {
    await client.end();
  }
}

describe('a small read of one tenant is answered', () => {
  it('while another sends many writes that are stored alone and wait for a lock', async () => {
    const victim = await newLedger(server.current.url);
    await stored(victim, 'wallet', { handle: 'small' });
    const client = await newLedger(server.current.url);
    const wallet: RecordEnvelope = await stored(client, 'wallet', { handle: 'w' });
    let drops: Promise<{ status: number }[]> | undefined;
    await locked('select from record where luid = $1 for update', [wallet.luid], async (pid) => {
      const drop = () => client.call('DELETE', '/wallets/w', dropOf(wallet, client.key));
      drops = Promise.all(Array.from({ length: MANY }, drop));
      await waitedFor(pid);
      expect((await victim.get('/wallets/small')).status).toBe(200);
    });
    expect((await drops!).filter(({ status }) => status === 204)).not.toEqual([]);
  });

  it('while somebody makes many ledgers that wait for a lock', async () => {
    const victim = await newLedger(server.current.url);
    await stored(victim, 'wallet', { handle: 'small' });
    let births: Promise<{ status: number }[]> | undefined;
    await locked(`select from deployment where name = $1 for update`, ['epoch'], async (pid) => {
      const birth = (_: unknown, at: number) =>
        victim.in(undefined).call('POST', '/ledgers', signed({ handle: `born-${at}`, access: [] }, victim.key));
      births = Promise.all(Array.from({ length: MANY }, birth));
      await waitedFor(pid);
      expect((await victim.get('/wallets/small')).status).toBe(200);
    });
    expect((await births!).map(({ status }) => status)).toEqual(Array(MANY).fill(201));
  });
});
