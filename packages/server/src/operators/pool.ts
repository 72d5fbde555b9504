import type pg from 'pg';
import { createPool } from '../store/pool.js';

/**
 * A pool whose connections are cut once `signal` is aborted, whatever they do: a statement under way then fails, and so does each later one.
 *
 * @param most connections at a time
 */
export function createCutPool(connectionString: string, most: number, signal: AbortSignal): pg.Pool {
  const pool = createPool({ connectionString, max: most }, () => {});
  const open = new Set<pg.PoolClient>();
  const cut = () => {
    for (const client of open) void client.end().catch(() => {});
  };
  pool.on('connect', (client) => {
    open.add(client);
    if (signal.aborted) cut();
  });
  pool.on('remove', (client) => open.delete(client));
  signal.addEventListener('abort', cut, { once: true });
  return pool;
}
