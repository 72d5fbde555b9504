import type pg from 'pg';
import { databaseLimits } from './database-limits.js';
import type { EpochGuard } from './epoch-guard.js';
import { createPool } from './pool.js';
import { queryLimits } from './queries/query-limits.js';

/**
 * The pools of a process. Each has its own timeouts, and connections that the others leave alone.
 *
 * @param onConnect verifies a new connection, and may refuse it
 * @param failed told of an idle connection that fails
 */
export function createPools(database: pg.PoolConfig, onConnect: EpochGuard['verify'], failed: (error: Error) => void) {
  const { connections, listing, leases } = databaseLimits;
  const patience = { statement_timeout: queryLimits.listed.quick, connectionTimeoutMillis: 2 * listing };
  const short = { statement_timeout: leases, query_timeout: leases };
  return {
    lists: createPool({ max: connections.lists, ...patience, ...database, onConnect }, failed),
    deliveries: createPool({ max: connections.deliveries, ...database, onConnect }, failed),
    leases: createPool({ max: connections.leases, ...short, ...database, onConnect }, failed),
    others: createPool({ max: connections.others, ...database, onConnect }, failed),
  };
}
